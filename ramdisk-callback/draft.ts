// What inspection hooks work on, made of a report and of what is known of the node.
import { isJsonObject, type Json, type JsonObject } from '../daemon/model/json.ts';
import { maskSecrets } from '../daemon/model/secrets.ts';
import type { HookConfiguration, InspectionDraft } from '#plugin-api';
import type { InspectedRecords } from './inspection-changes.ts';
import type { Report } from './report.ts';

export function createDraft(
  { inventory, pluginData }: Report,
  { node, ports, previousInventory, isDiscovered }: InspectedRecords,
  configuration: HookConfiguration,
  warn: InspectionDraft['warn'],
): InspectionDraft {
  let previous: JsonObject | undefined;
  return {
    inventory: deepFreeze(inventory),
    // few hooks look at it
    get previousInventory() {
      if (previousInventory === undefined) return undefined;
      return (previous ??= parsedInventory(previousInventory));
    },
    pluginData: { ...deepFreeze(pluginData), ...(isDiscovered && { auto_discovered: true }) },
    node: {
      uuid: node.uuid,
      driver_info: maskSecrets(node.driver_info),
      properties: { ...node.properties },
      extra: { ...node.extra },
    },
    ports: ports.map((port) => structuredClone(port)),
    configuration,
    warn,
  };
}

function parsedInventory(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? deepFreeze(value) : {};
}

export function deepFreeze<T extends Json>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}
