// DHCP options that operators set, for the machines of a subnet or of a port: an object such as
// `{"interface-mtu": 9000, "242": "text:L2QVLAN=5", "dhcp6.domain-search": ["a.example", "b.example"]}`.
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { nearestName } from '../nearest-name.ts';
import { decidedDhcp6Options, dhcp6Options, dhcp6SubnetWords } from './dhcp6-options.ts';
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
  /** Whether it is an option of DHCP, or of DHCPv6. */
  readonly version: 4 | 6;
  readonly code: number;
  readonly value: Uint8Array;
  /** Whether machines get it that do not ask for it. */
  readonly always: boolean;
}

export type SetOptionsReading =
  | { readonly kind: 'read'; readonly value: readonly SetOption[] }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** The options of one version of DHCP. */
interface Vocabulary {
  readonly version: 4 | 6;
  /** What the keys of its options begin with. */
  readonly prefix: string;
  readonly highest: number;
  readonly byCode: ReadonlyMap<number, KnownOption>;
  readonly byName: ReadonlyMap<string, KnownOption>;
  readonly decided: ReadonlyMap<number, string>;
  readonly words: ReadonlyMap<number, string>;
  /** The type of what is written behind `ip:`. */
  readonly ip: OptionType;
}

const tablesOf = (options: readonly KnownOption[]) => ({
  byCode: new Map(options.map((option) => [option.code, option])),
  byName: new Map(options.map((option) => [option.name, option])),
});

const DHCP: Vocabulary = {
  version: 4,
  prefix: '',
  highest: 254,
  ...tablesOf(knownOptions),
  decided: decidedOptions,
  words: subnetWords,
  ip: 'ips',
};

const DHCP6: Vocabulary = {
  version: 6,
  prefix: 'dhcp6.',
  highest: 65_535,
  ...tablesOf(dhcp6Options),
  decided: decidedDhcp6Options,
  words: dhcp6SubnetWords,
  ip: 'ip6s',
};

/** The types that a value may begin with, as in `hex:0a0b`; `ip` stands for addresses of the option's family. */
const GIVEN_TYPES = ['hex', 'text', 'ip', 'uint8', 'uint16', 'uint32'] as const;
const GIVEN = /^(hex|text|ip|uint8|uint16|uint32):(.*)$/s;

/** A message with these options, those of another object and everything else still fits into one or two packets of IPv6. */
const MOST_DHCP6_BYTES = 512;

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
  const options = new Map<string, SetOption>();
  for (const [key, value] of Object.entries(given)) {
    const option = optionOf(key, value, of);
    const { version, code } = option;
    const title = `${version === 6 ? DHCP6.prefix : DHCP.prefix}${code}`;
    if (options.has(title)) throw new UnusableValue(`option ${title} is set twice`);
    options.set(title, option);
  }
  const bytes = [...options.values()].reduce(
    (sum, { version, value }) => sum + (version === 6 ? value.length : 0),
    0,
  );
  if (bytes > MOST_DHCP6_BYTES)
    throw new UnusableValue(
      `its options of DHCPv6 have ${bytes} bytes together; at most ${MOST_DHCP6_BYTES} fit`,
    );
  return [...options.values()];
}

/** A key is the name or number of an option, of DHCPv6 behind `dhcp6.`; `!` at its end stands for `always`. */
function optionOf(key: string, value: Json, of: 'subnet' | 'port'): SetOption {
  const always = key.endsWith('!');
  const text = always ? key.slice(0, -1) : key;
  const vocabulary = text.toLowerCase().startsWith(DHCP6.prefix) ? DHCP6 : DHCP;
  const { version, prefix, decided, words } = vocabulary;
  const known = optionNamed(text.slice(prefix.length), vocabulary);
  const { code } = known;
  const title =
    known.name === undefined ? `option ${prefix}${code}` : `option ${prefix}${code} (${known.name})`;
  const reason = decided.get(code);
  if (reason !== undefined) throw new UnusableValue(`${title} cannot be set: ${reason}`);
  const word = of === 'subnet' ? words.get(code) : undefined;
  if (word !== undefined)
    throw new UnusableValue(`${title} has a word of its own: set ${word}= in [dhcp_server] subnet`);
  try {
    return { version, code, value: bytesOf(known, textOf(value), vocabulary), always };
  } catch (error) {
    if (error instanceof UnusableValue)
      throw new UnusableValue(`${title}: ${error.message}`, { cause: error });
    throw error;
  }
}

type NamedOption = { readonly code: number } & Partial<KnownOption>;

function optionNamed(text: string, { prefix, highest, byCode, byName }: Vocabulary): NamedOption {
  const code = /^\d{1,5}$/.test(text) ? Number(text) : undefined;
  if (code !== undefined && code >= 1 && code <= highest) return byCode.get(code) ?? { code };
  const known = byName.get(optionName(text));
  if (known !== undefined) return known;
  const near = nearestName(optionName(text), [...byName.keys()]);
  const hint = near === undefined ? '' : `; did you mean ${prefix}${near}?`;
  throw new UnusableValue(
    `${shown(prefix + text)} is neither the number of an option, ${prefix}1 to ${prefix}${highest}, nor a name of one${hint}`,
  );
}

function textOf(value: Json): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const isList = Array.isArray(value) && value.every((item) => ['string', 'number'].includes(typeof item));
  if (isList) return value.join(',');
  throw new UnusableValue(`${shown(value)} is not a text, a number or a list of them`);
}

function bytesOf({ type, choices }: NamedOption, text: string, { ip }: Vocabulary): Uint8Array {
  const [, word, rest = ''] = GIVEN.exec(text) ?? [];
  const given = GIVEN_TYPES.find((each) => each === word);
  if (given !== undefined) return valueBytes(given === 'ip' ? ip : given, rest);
  if (type === undefined)
    throw new UnusableValue(
      `the daemon does not know its type; begin the value with one of ${GIVEN_TYPES.join(':, ')}:`,
    );
  if (choices !== undefined && !choices.includes(Number(text)))
    throw new UnusableValue(`${shown(text)} is not one of ${choices.join(', ')}`);
  return valueBytes(type, text);
}

const shown = (value: Json): string => JSON.stringify(value).slice(0, 100);
