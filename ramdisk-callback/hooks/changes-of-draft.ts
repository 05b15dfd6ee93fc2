// The changes that an inspection makes to a node's records.
import { sameJson } from '../../daemon/lib/json/same-json.ts';
import { writeJson } from '../../daemon/lib/json/json-text.ts';
import { inspectedPortFields } from '../../daemon/model/records/inspected-fields.ts';
import { hardwareIn } from '../../daemon/model/hardware/hardware.ts';
import type { JsonObject } from '../../daemon/model/json.ts';
import type { InspectionDraft, PortDraft } from '#plugin-api';
import type { NodeEdit } from './node-edit.ts';
import type { Report } from './report.ts';
import type {
  InspectedRecords,
  PortChange,
  ReportChanges,
} from '../../daemon/conductor/inspection/changes.ts';

const utf8 = new TextEncoder();

export function changesOf(
  records: InspectedRecords,
  { changes, authors }: Pick<NodeEdit, 'changes' | 'authors'>,
  draft: Pick<InspectionDraft, 'ports' | 'pluginData'>,
  report: Report,
): ReportChanges {
  const remaining = new Set(draft.ports.map((port) => port.uuid));
  const before = new Map(records.ports.map((port) => [port.uuid, port]));
  return {
    node: changes,
    authors,
    addedPorts: draft.ports.filter((port) => port.uuid === undefined),
    changedPorts: draft.ports.flatMap((port) => changed(before.get(port.uuid), port)),
    removedPorts: records.ports.flatMap(({ uuid }) =>
      uuid === undefined || remaining.has(uuid) ? [] : [uuid],
    ),
    stored: storedIn({ ...report, pluginData: draft.pluginData }, report.pluginData),
    hardware: hardwareIn(report.inventory, draft.pluginData),
  };
}

/**
 * Returns a report in the form the database stores: JSON in UTF-8, without the archive of the ramdisk's logs. `sent`: the object
 * from which `pluginData` was copied; it is the key in `numbers` for the numbers at the top level of the plugin data.
 */
export function storedIn(
  {
    inventory,
    pluginData,
    numbers = new Map(),
  }: Pick<Report, 'pluginData' | 'numbers'> & { readonly inventory: JsonObject },
  sent: JsonObject,
) {
  const { logs: _, ...rest } = pluginData;
  return {
    inventory: utf8.encode(writeJson(inventory, numbers)),
    plugin_data: utf8.encode(writeJson(rest, numbers, sent)),
  };
}

function changed(before: PortDraft | undefined, after: PortDraft): { uuid: string; changes: PortChange }[] {
  if (before === undefined || after.uuid === undefined) return [];
  const entries = inspectedPortFields
    .filter((name) => !sameJson(before[name], after[name]))
    .map((name) => [name, after[name]]);
  return entries.length === 0
    ? []
    : [{ uuid: after.uuid, changes: Object.fromEntries(entries) as PortChange }];
}
