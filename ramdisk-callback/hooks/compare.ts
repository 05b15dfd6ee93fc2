// Lists the values that processing a report changes, for dry runs, replays and reprocessing.
import type {
  ComparedOutcome,
  ReportDifference,
} from '../../daemon/conductor/inspection/report-processor.ts';
import { sameJson } from '../../daemon/lib/json/same-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../daemon/model/json.ts';
import { isSecretKey, MASK, maskSecrets } from '../../daemon/model/secrets.ts';
import type { PortDraft } from '#plugin-api';
import type { InspectedRecords, InspectionChanges } from '../../daemon/conductor/inspection/changes.ts';
import { type Processing, processReport } from './process-report.ts';
import type { Report } from './report.ts';

export async function processAndCompare(
  processing: Processing,
  report: Report,
  records: InspectedRecords,
): Promise<ComparedOutcome> {
  const outcome = await processReport(processing, report, records);
  if (outcome.kind === 'failed') return outcome;
  const { logs: _, ...pluginData } = report.pluginData;
  const before = treeOf({ ...records.node }, records.ports, pluginData);
  const after = treeOf(
    { ...records.node, ...outcome.changes.node },
    portsAfter(records.ports, outcome.changes),
    JSON.parse(new TextDecoder().decode(outcome.changes.stored.plugin_data)) as JsonObject,
  );
  return { ...outcome, differences: differencesBetween([], before, after) };
}

const treeOf = (node: JsonObject, ports: readonly PortDraft[], pluginData: JsonObject): JsonObject => ({
  node,
  ports: Object.fromEntries(ports.map((port) => [port.address, shownPort(port)])),
  plugin_data: pluginData,
});

const shownPort = ({
  pxe_enabled,
  extra,
  local_link_connection,
  physical_network,
}: PortDraft): JsonObject => ({
  pxe_enabled,
  extra,
  local_link_connection,
  physical_network,
});

function portsAfter(ports: readonly PortDraft[], changes: InspectionChanges): readonly PortDraft[] {
  const removed = new Set(changes.removedPorts);
  const changed = new Map(changes.changedPorts.map((port) => [port.uuid, port.changes]));
  const remaining = ports.filter(({ uuid = '' }) => !removed.has(uuid));
  return [...remaining.map((port) => ({ ...port, ...changed.get(port.uuid ?? '') })), ...changes.addedPorts];
}

function differencesBetween(
  keys: readonly string[],
  before: Json | undefined,
  after: Json | undefined,
): readonly ReportDifference[] {
  if (sameJson(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => differencesBetween([...keys, name], before[name], after[name]));
  }
  return [
    {
      path: pointer(keys),
      ...(before !== undefined && { before: shown(keys, before) }),
      ...(after !== undefined && { after: shown(keys, after) }),
    },
  ];
}

const pointer = (keys: readonly string[]): string =>
  keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

// maskSecrets does not mask this URL, but the API masks it wherever it shows a node
const IMAGE_URL = '/node/instance_info/image_url';

const shown = (keys: readonly string[], value: Json): Json =>
  keys.some(isSecretKey) || pointer(keys) === IMAGE_URL ? MASK : maskSecrets(value);
