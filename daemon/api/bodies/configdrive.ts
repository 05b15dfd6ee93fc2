// Checks the config drive in a provision request: a URL, an image in base64, or the documents to put in it.
import { configDriveFlaw } from '../../model/config-drive.ts';
import { fault } from '../../model/faults.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { ProvisionVerb } from '../../model/states/verbs.ts';

const REBUILD_SINCE = 35;
const DOCUMENTS_SINCE = 56;
const VENDOR_DATA_SINCE = 59;

const wrong = (reason: string) => fault('InvalidParameter', { name: 'configdrive', reason });

/** Returns null for an empty config drive. Throws InvalidParameter, which quotes no value in the config drive. */
export function checkedConfigdrive(
  given: unknown,
  verb: ProvisionVerb,
  minor: number,
): string | JsonObject | null {
  if (given === '' || (isJsonObject(given) && Object.keys(given).length === 0)) return null;
  refuseForeign(verb, minor);
  if (isJsonObject(given)) refuseNewer(given, minor);
  const flaw = configDriveFlaw(given);
  if (flaw !== undefined) throw wrong(flaw);
  return given as string | JsonObject;
}

function refuseForeign(verb: ProvisionVerb, minor: number): void {
  if (verb === 'active' || (verb === 'rebuild' && minor >= REBUILD_SINCE)) return;
  throw wrong(`it is only valid with target active, and with rebuild since API 1.${REBUILD_SINCE}`);
}

function refuseNewer(given: JsonObject, minor: number): void {
  if (minor < DOCUMENTS_SINCE) throw wrong(`an object is accepted since API 1.${DOCUMENTS_SINCE}`);
  if ('vendor_data' in given && minor < VENDOR_DATA_SINCE)
    throw wrong(`vendor_data is accepted since API 1.${VENDOR_DATA_SINCE}`);
}
