// The thread that reads what ramdisks post. It runs no hook and no rule, so that one machine's report never waits for the work on another's.
import { workerData } from 'piscina';
import type { SharedBytes } from '../daemon/api/body.ts';
import type { JsonObject } from '../daemon/model/json.ts';
import { handedOver } from './handed-over.ts';
import { storedIn } from './inspection-changes.ts';
import { addressesOf, logsIn, readBody, readReport, type Refusal } from './report.ts';

/** `depthLimit`: the deepest nesting of JSON that is read. */
const { depthLimit } = workerData as { readonly depthLimit: number };

export type Identification = ({ readonly kind: 'identified' } & ReturnType<typeof addressesOf>) | Refusal;

/** Which machine the body is about. */
export function identify(bytes: SharedBytes): Identification {
  const reading = readReport(bytes, depthLimit);
  return reading.kind === 'refused' ? reading : { kind: 'identified', ...addressesOf(reading.report) };
}

/** The report of an external inspection service, as the database keeps it. Throws when it is no report. */
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
