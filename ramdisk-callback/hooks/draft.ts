// Creates the draft that inspection hooks edit, from a report and the node's records.
import { deepFreeze } from '../../daemon/lib/json/deep-freeze.ts';
import { isJsonObject, type JsonObject } from '../../daemon/model/json.ts';
import { nodeDraftOf } from '../../daemon/plugin-host/contract/node-draft.ts';
import type { Configuration, InspectionDraft } from '#plugin-api';
import type { InspectedRecords } from '../../daemon/conductor/inspection/changes.ts';
import type { Report } from './report.ts';

export function createDraft(
  { inventory, pluginData }: Report,
  { node, ports, previousInventory, isDiscovered }: InspectedRecords,
  configuration: Configuration,
  warn: InspectionDraft['warn'],
): InspectionDraft {
  let previous: JsonObject | undefined;
  return {
    inventory: deepFreeze(inventory),
    // parsed on demand, because few hooks read it
    get previousInventory() {
      if (previousInventory === undefined) return undefined;
      return (previous ??= parsedInventory(previousInventory));
    },
    pluginData: { ...deepFreeze(pluginData), ...(isDiscovered && { auto_discovered: true }) },
    node: nodeDraftOf(node),
    ports: ports.map((port) => structuredClone(port)),
    configuration,
    warn,
  };
}

function parsedInventory(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? deepFreeze(value) : {};
}
