// Reads what the firmware step is to update.
import type { Json, JsonObject } from '#plugin-api';
import { invalidSettings, settingsIn } from '../steps/requested.ts';

export interface Update extends JsonObject {
  readonly component: string;
  readonly url: string;
  /** In seconds; the greater of this and [redfish] firmware_update_reboot_delay counts. Null: not given. */
  readonly wait: number | null;
}

const KEYS = ['component', 'url', 'wait'];

/** Throws InvalidParameter. */
export const requestedUpdates = (given: JsonObject): readonly Update[] =>
  settingsIn(given, '{"component": ..., "url": ...}').map(updateIn);

function updateIn(setting: JsonObject): Update {
  const unknown = Object.keys(setting).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw invalidSettings(`${unknown} is not one of ${KEYS.join(', ')}`);
  const { component, url, wait = null } = setting;
  if (typeof component !== 'string' || !isComponent(component))
    throw invalidSettings(`component ${JSON.stringify(component)}; expected bios, bmc or nic:SERIAL`);
  if (typeof url !== 'string' || !isUrl(url))
    throw invalidSettings(`the url of ${component}: expected an http, https or file URL`);
  if (wait !== null && !isSeconds(wait))
    throw invalidSettings(`wait of ${component}: expected whole seconds, at least 1`);
  return { component, url, wait };
}

const isUrl = (text: string): boolean =>
  ['http:', 'https:', 'file:'].includes(URL.parse(text)?.protocol ?? '');
const isSeconds = (value: Json): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0;
const isComponent = (name: string): boolean => name === 'bios' || name === 'bmc' || name.startsWith('nic:');
