// Checks the config drive in a provision request: a URL, an image in base64, or the documents to put in it.
import { fault } from '../../model/faults.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { ProvisionVerb } from '../../model/states/verbs.ts';

const REBUILD_SINCE = 35;
const DOCUMENTS_SINCE = 56;
const VENDOR_DATA_SINCE = 59;

const documents: Readonly<Record<string, (value: unknown) => boolean>> = {
  meta_data: isJsonObject,
  network_data: isJsonObject,
  user_data: (value) =>
    value === null || typeof value === 'string' || isJsonObject(value) || Array.isArray(value),
  vendor_data: isJsonObject,
};

const wrong = (reason: string) => fault('InvalidParameter', { name: 'configdrive', reason });

/** Returns null for a missing or empty config drive. Throws InvalidParameter, which does not quote the config drive. */
export function checkedConfigdrive(
  given: unknown,
  verb: ProvisionVerb,
  minor: number,
): string | JsonObject | null {
  if (given === undefined) return null;
  if (typeof given !== 'string' && !isJsonObject(given)) throw wrong('it is neither an object nor a string');
  if (given === '' || (isJsonObject(given) && Object.keys(given).length === 0)) return null;
  refuseForeign(verb, minor);
  if (typeof given === 'string') refuseOtherText(given);
  else refuseOtherDocuments(given, minor);
  return given;
}

function refuseForeign(verb: ProvisionVerb, minor: number): void {
  if (verb === 'active' || (verb === 'rebuild' && minor >= REBUILD_SINCE)) return;
  throw wrong(`it is only valid with target active, and with rebuild since API 1.${REBUILD_SINCE}`);
}

function refuseOtherText(text: string): void {
  if (text.includes('://') || !/[^A-Za-z0-9+/=\s]/.test(text)) return;
  throw wrong('the string is neither a URL nor base64');
}

function refuseOtherDocuments(given: JsonObject, minor: number): void {
  if (minor < DOCUMENTS_SINCE) throw wrong(`an object is accepted since API 1.${DOCUMENTS_SINCE}`);
  for (const [name, value] of Object.entries(given)) {
    const accepts = Object.hasOwn(documents, name) ? documents[name] : undefined;
    if (accepts === undefined) throw wrong(`${name} is not one of ${Object.keys(documents).join(', ')}`);
    if (!accepts(value)) throw wrong(`${name} is not of the right type`);
  }
  if ('vendor_data' in given && minor < VENDOR_DATA_SINCE) {
    throw wrong(`vendor_data is accepted since API 1.${VENDOR_DATA_SINCE}`);
  }
}
