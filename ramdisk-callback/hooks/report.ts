// Parses reports: anyone can send one, so nothing in it is trusted. Pure.
import type {
  Addresses,
  ReportedLogin,
  ReportRefusal,
} from '../../daemon/conductor/inspection/report-processor.ts';
import type { StoredInventory } from '../../daemon/db/tables/node-inventory.ts';
import { canonicalIp } from '../../daemon/lib/network/ip.ts';
import { jsonExcess, readJson, type SentNumbers, VALUES_LIMIT } from '../../daemon/lib/json/json-text.ts';
import { visibleLine } from '../../daemon/lib/plain-text.ts';
import { parseStationMac } from '../../daemon/lib/network/mac.ts';
import { reasonOf } from '../../daemon/model/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../daemon/model/json.ts';

export interface Report {
  readonly inventory: JsonObject & {
    readonly interfaces: readonly (JsonObject & { readonly mac_address: string })[];
    readonly bmc_address?: string | null;
    readonly bmc_v6address?: string | null;
  };
  /** All keys of the body except the inventory and the login. */
  readonly pluginData: JsonObject;
  /**
   * The numbers in inventory and plugin data that JavaScript would round. Hooks and rules see the rounded numbers; the stored
   * data keep them as sent.
   */
  readonly numbers?: SentNumbers;
  /** The sealed login of the BMC, as sent: it is neither stored nor given to hooks. */
  readonly login?: Json;
}

type Reading = { readonly kind: 'read'; readonly report: Report } | ReportRefusal;

export function readReport(bytes: Uint8Array, depthLimit: number): Reading {
  const reading = readBody(bytes, depthLimit);
  if (reading.kind === 'refused') return reading;
  const reason = flawOf(reading.body);
  if (reason !== undefined) return { kind: 'refused', code: 'InvalidSchema', reason };
  const { body, numbers, login } = reading;
  const { inventory, ...pluginData } = body as JsonObject & Pick<Report, 'inventory'>;
  const atTop = numbers.get(body);
  return {
    kind: 'read',
    report: {
      inventory,
      pluginData,
      ...(login !== undefined && { login }),
      numbers: atTop === undefined ? numbers : new Map([...numbers, [pluginData, atTop]]),
    },
  };
}

/** Parses a report's JSON object without checking its members. The body has no login any more. */
export function readBody(
  bytes: Uint8Array,
  depthLimit: number,
):
  | ({ readonly kind: 'read'; readonly body: JsonObject; readonly numbers: SentNumbers } & Pick<
      Report,
      'login'
    >)
  | ReportRefusal {
  const excess = jsonExcess(bytes, depthLimit);
  if (excess === 'depth')
    return {
      kind: 'refused',
      code: 'BodyTooDeep',
      reason: `the body is nested deeper than ${depthLimit} levels`,
    };
  if (excess === 'values')
    return {
      kind: 'refused',
      code: 'BodyTooManyValues',
      reason: `the body holds more than ${VALUES_LIMIT} values`,
    };
  try {
    const { value, numbers } = readJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isJsonObject(value)) return { kind: 'read', numbers, ...apart(value) };
    return { kind: 'refused', code: 'InvalidSchema', reason: 'the body is not of type object' };
  } catch (error) {
    return { kind: 'refused', code: 'InvalidBody', reason: reasonOf(error) };
  }
}

/** Takes the login out of the body, whose identity `numbers` needs. */
function apart(body: Record<string, Json>): { readonly body: JsonObject } & Pick<Report, 'login'> {
  const { [LOGIN]: login } = body;
  delete body[LOGIN];
  return login === undefined ? { body } : { body, login };
}

const LOGIN = 'bmc_login';

/**
 * The limit for the characters of all names and texts in an inventory. Hooks copy parts of the inventory into plugin data, so
 * these parts are stored several times. The inventory of a large server has some 300,000 characters.
 */
const INVENTORY_LIMIT_CHARACTERS = 4_194_304;

/** Whether the names and texts in `value` have more than `limit` characters together. */
function hasMoreCharacters(value: Json, limit: number): boolean {
  let characters = 0;
  const queue: Json[] = [value];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (typeof next === 'string') characters += next.length;
    else if (Array.isArray(next)) for (const inner of next) queue.push(inner);
    else if (isJsonObject(next))
      for (const [name, inner] of Object.entries(next)) {
        characters += name.length;
        queue.push(inner);
      }
    if (characters > limit) return true;
  }
  return false;
}

function flawOf({ inventory }: JsonObject): string | undefined {
  if (!isJsonObject(inventory)) return "'inventory' is a required property of type object";
  if (hasMoreCharacters(inventory, INVENTORY_LIMIT_CHARACTERS))
    return `'inventory' has more than ${INVENTORY_LIMIT_CHARACTERS} characters`;
  const { interfaces } = inventory;
  if (!Array.isArray(interfaces) || interfaces.length === 0)
    return "'inventory.interfaces' is required, a list of at least one interface";
  if (!interfaces.every((one) => isJsonObject(one) && typeof one['mac_address'] === 'string')) {
    return "each of 'inventory.interfaces' needs a 'mac_address' of type string";
  }
  const wrong = BMC_KEYS.find(
    (key) => !['string', 'undefined'].includes(typeof (inventory[key] ?? undefined)),
  );
  return wrong === undefined ? undefined : `'inventory.${wrong}' is not of type string or null`;
}

const BMC_KEYS = ['bmc_address', 'bmc_v6address'] as const;

/** Reads a stored report. Its inventory is checked, because reports of external inspection services are stored unchecked. */
export function storedReport(stored: StoredInventory): Reading {
  const [found, added] = [readJson(stored.inventory), readJson(stored.plugin_data)];
  const inventory = found.value as Report['inventory'];
  const reason = flawOf({ inventory });
  if (reason !== undefined) return { kind: 'refused', code: 'InvalidSchema', reason };
  const numbers = new Map([...found.numbers, ...added.numbers]);
  return { kind: 'read', report: { inventory, pluginData: added.value as JsonObject, numbers } };
}

/** Returns the unicast MAC addresses and the addresses of the BMC, in canonical form. */
export function addressesOf({ inventory }: Report): Addresses {
  const macs = inventory.interfaces.flatMap((one) => parseStationMac(one.mac_address) ?? []);
  const bmcAddresses = BMC_KEYS.flatMap((key) => canonicalIp(inventory[key] ?? '') ?? []);
  const { bmc_mac: named } = inventory;
  const bmcMac = typeof named === 'string' ? parseStationMac(named) : undefined;
  return { macs: [...new Set(macs)], bmcAddresses, ...(bmcMac !== undefined && { bmcMac }) };
}

const SEALED_LIMIT_CHARACTERS = 4096;
const FAILURE_LIMIT_CHARACTERS = 300;

/** Returns undefined when the ramdisk was not asked for an account on the BMC. */
export function loginIn({ inventory, pluginData, login }: Report): ReportedLogin | undefined {
  const { bmc_login_failure: failure } = pluginData;
  const { system_vendor: vendor } = inventory;
  const serial = isJsonObject(vendor) ? vendor['serial_number'] : null;
  const serialNumber = typeof serial === 'string' ? serial : null;
  if (login !== undefined) {
    const isSealed = typeof login === 'string' && login.length <= SEALED_LIMIT_CHARACTERS;
    return { sealed: isSealed ? login : '', serialNumber };
  }
  if (typeof failure !== 'string') return undefined;
  return { failure: visibleLine(failure.slice(0, FAILURE_LIMIT_CHARACTERS)), serialNumber };
}

/** Returns the archive of the ramdisk's logs, decoded from Base64; undefined when there is none or it is not Base64. */
export function logsIn({ pluginData: { logs } }: Report): Uint8Array<ArrayBuffer> | undefined {
  const isArchive = typeof logs === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(logs);
  return isArchive ? new Uint8Array(Buffer.from(logs, 'base64')) : undefined;
}
