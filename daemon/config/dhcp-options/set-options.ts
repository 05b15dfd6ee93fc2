// DHCP options that operators set, for the machines of a subnet or of a port: an object such as
// `{"interface-mtu": 9000, "domain-search-list": ["a.example", "b.example"], "242": "text:L2QVLAN=5"}`.
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { nearestName } from '../nearest-name.ts';
import {
  decidedOptions,
  type KnownOption,
  knownOptions,
  optionName,
  type OptionType,
  subnetWords,
} from './known-options.ts';
import { UnusableValue, valueBytes } from './option-value.ts';

export interface SetOption {
  readonly code: number;
  readonly value: Uint8Array;
  /** Whether machines get it that do not ask for it. */
  readonly always: boolean;
}

export type SetOptionsReading =
  | { readonly kind: 'read'; readonly value: readonly SetOption[] }
  | { readonly kind: 'unreadable'; readonly reason: string };

const byCode = new Map(knownOptions.map((option) => [option.code, option]));
const byName = new Map(knownOptions.map((option) => [option.name, option]));

/** The types that a value may begin with, as in `hex:0a0b`. */
const GIVEN_TYPES: Readonly<Record<string, OptionType>> = {
  hex: 'hex',
  text: 'text',
  ip: 'ips',
  uint8: 'uint8',
  uint16: 'uint16',
  uint32: 'uint32',
};
const GIVEN = /^(hex|text|ip|uint8|uint16|uint32):(.*)$/s;

/** `of`: whose options they are. A subnet has words of its own for some options. */
export function readSetOptions(given: Json, of: 'subnet' | 'port'): SetOptionsReading {
  try {
    if (!isJsonObject(given))
      throw new UnusableValue(`${shown(given)} is not an object of options and their values`);
    return { kind: 'read', value: optionsOf(given, of) };
  } catch (error) {
    if (error instanceof UnusableValue) return { kind: 'unreadable', reason: error.message };
    throw error;
  }
}

function optionsOf(given: JsonObject, of: 'subnet' | 'port'): readonly SetOption[] {
  const options = new Map<number, SetOption>();
  for (const [key, value] of Object.entries(given)) {
    const option = optionOf(key, value, of);
    if (options.has(option.code)) throw new UnusableValue(`option ${option.code} is set twice`);
    options.set(option.code, option);
  }
  return [...options.values()];
}

/** A key is the name or number of an option; `!` behind it stands for `always`. */
function optionOf(key: string, value: Json, of: 'subnet' | 'port'): SetOption {
  const always = key.endsWith('!');
  const known = optionNamed(always ? key.slice(0, -1) : key);
  const { code } = known;
  const title = known.name === undefined ? `option ${code}` : `option ${code} (${known.name})`;
  const decided = decidedOptions.get(code);
  if (decided !== undefined) throw new UnusableValue(`${title} cannot be set: ${decided}`);
  const word = of === 'subnet' ? subnetWords.get(code) : undefined;
  if (word !== undefined)
    throw new UnusableValue(`${title} has a word of its own: set ${word}= in [dhcp_server] subnet`);
  try {
    return { code, value: bytesOf(known, textOf(value)), always };
  } catch (error) {
    if (error instanceof UnusableValue)
      throw new UnusableValue(`${title}: ${error.message}`, { cause: error });
    throw error;
  }
}

type NamedOption = { readonly code: number } & Partial<KnownOption>;

function optionNamed(text: string): NamedOption {
  const code = /^\d{1,3}$/.test(text) ? Number(text) : undefined;
  if (code !== undefined && code >= 1 && code <= 254) return byCode.get(code) ?? { code };
  const known = byName.get(optionName(text));
  if (known !== undefined) return known;
  const near = nearestName(optionName(text), [...byName.keys()]);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  throw new UnusableValue(
    `${shown(text)} is neither the number of an option, 1 to 254, nor a name of one${hint}`,
  );
}

function textOf(value: Json): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const isList = Array.isArray(value) && value.every((item) => ['string', 'number'].includes(typeof item));
  if (isList) return value.join(',');
  throw new UnusableValue(`${shown(value)} is not a text, a number or a list of them`);
}

function bytesOf({ type, choices }: NamedOption, text: string): Uint8Array {
  const [, given = '', rest = ''] = GIVEN.exec(text) ?? [];
  const typed = GIVEN_TYPES[given];
  if (typed !== undefined) return valueBytes(typed, rest);
  if (type === undefined)
    throw new UnusableValue(
      `the daemon does not know its type; begin the value with one of ${Object.keys(GIVEN_TYPES).join(':, ')}:`,
    );
  if (choices !== undefined && !choices.includes(Number(text)))
    throw new UnusableValue(`${shown(text)} is not one of ${choices.join(', ')}`);
  return valueBytes(type, text);
}

const shown = (value: Json): string => JSON.stringify(value).slice(0, 100);
