// The worker thread that parses ramdisks' reports. It runs neither hooks nor rules, so a report is matched to its
// node at once, even while hooks run on another report.
import { workerData } from 'piscina';
import type { SharedBytes } from '../../daemon/http/request/body.ts';
import type { JsonObject } from '../../daemon/model/json.ts';
import { handedOver } from './handed-over.ts';
import { storedIn } from './inspection-changes.ts';
import { addressesOf, logsIn, readBody, readReport, type Refusal } from './report.ts';

/** `depthLimit`: the maximum nesting of JSON. */
const { depthLimit } = workerData as { readonly depthLimit: number };

export type Identification = ({ readonly kind: 'identified' } & ReturnType<typeof addressesOf>) | Refusal;

/** Returns the addresses that identify the reporting machine. */
export function identify(bytes: SharedBytes): Identification {
  const reading = readReport(bytes, depthLimit);
  return reading.kind === 'refused' ? reading : { kind: 'identified', ...addressesOf(reading.report) };
}

/** Returns an external service's report in the form the database stores. Throws an Error when it is not a report. */
export function split(bytes: SharedBytes): unknown {
  const reading = readBody(bytes, depthLimit);
  if (reading.kind === 'refused') throw new Error(reading.reason);
  const { body, numbers } = reading;
  const { inventory = {}, ...pluginData } = body as JsonObject & { readonly inventory?: JsonObject };
  const stored = storedIn({ inventory, pluginData, numbers }, body);
  return handedOver(stored, [stored.inventory.buffer, stored.plugin_data.buffer]);
}

export function logs(bytes: SharedBytes): unknown {
  const reading = readReport(bytes, depthLimit);
  const archive = reading.kind === 'read' ? logsIn(reading.report) : undefined;
  return archive && handedOver(archive, [archive.buffer]);
}
