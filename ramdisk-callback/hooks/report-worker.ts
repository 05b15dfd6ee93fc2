// The worker thread that parses ramdisks' reports. It runs neither hooks nor rules, so a report is matched to its
// node at once, even while hooks run on another report.
import { workerData } from 'piscina';
import type { Identification } from '../../daemon/conductor/inspection/report-processor.ts';
import type { StoredInventory } from '../../daemon/db/tables/node-inventory.ts';
import type { JsonObject } from '../../daemon/model/json.ts';
import { storedIn } from './changes-of-draft.ts';
import { handedOver } from './handed-over.ts';
import { addressesOf, loginIn, logsIn, readBody, readReport } from './report.ts';

/** `depthLimit`: the maximum nesting of JSON. */
const { depthLimit } = workerData as { readonly depthLimit: number };

export function identify(report: Uint8Array): Identification {
  const reading = readReport(report, depthLimit);
  if (reading.kind === 'refused') return reading;
  const login = loginIn(reading.report);
  return { kind: 'identified', ...addressesOf(reading.report), ...(login && { login }) };
}

export function split(report: Uint8Array): StoredInventory<Uint8Array<ArrayBuffer>> {
  const reading = readBody(report, depthLimit);
  if (reading.kind === 'refused') throw new Error(reading.reason);
  const { body, numbers } = reading;
  const { inventory = {}, ...pluginData } = body as JsonObject & { readonly inventory?: JsonObject };
  const stored = storedIn({ inventory, pluginData, numbers }, body);
  return handedOver(stored, [stored.inventory.buffer, stored.plugin_data.buffer]);
}

export function logs(report: Uint8Array): Uint8Array | undefined {
  const reading = readReport(report, depthLimit);
  const archive = reading.kind === 'read' ? logsIn(reading.report) : undefined;
  return archive && handedOver(archive, [archive.buffer]);
}
