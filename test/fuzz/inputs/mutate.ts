// Generates hostile reports, inspection rules, texts for str.format, LLDP data and root device hints.
import type { Json, JsonObject } from '#plugin-api';
import type { Random } from './random.ts';

const deep = (levels: number): Json => (levels === 0 ? 'deep' : [deep(levels - 1)]);

const hostile: readonly Json[] = [
  null,
  true,
  -1,
  0,
  1e308,
  1.5,
  '',
  ' ',
  '\0',
  '\ud800',
  '__proto__',
  'constructor',
  '[object Object]',
  'x'.repeat(3000),
  '../../etc/passwd',
  '$(reboot)',
  '0x10',
  '02:00:00:00:00:01',
  'FF:FF:FF:FF:FF:FF',
  '::1%eth0',
  '10.20.110.57',
  '999999999999999999999',
  [],
  {},
  [null],
  [[], {}],
  { toJSON: 1, length: -1 },
  deep(18),
  Array.from({ length: 200 }, (_, at) => at),
];

/** Makes one to four changes to the report: replaces, inserts or removes a part, or puts it under another key. */
export function mutated(random: Random, report: JsonObject): Json {
  let result: Json = report;
  for (let left = 1 + random.below(4); left > 0; left -= 1) result = changedAt(random, result, 8);
  return result;
}

function changedAt(random: Random, value: Json, depth: number): Json {
  const parts = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (parts.length === 0 || depth === 0 || random.once(12)) return random.of(hostile);
  const key = random.of(parts);
  const isHere = random.once(4);
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    return isHere
      ? spliced(random, list, Number(key))
      : list.with(Number(key), changedAt(random, list[Number(key)] ?? null, depth - 1));
  }
  const entries = Object.entries(value as JsonObject);
  const changed = entries.flatMap(([name, part]): [string, Json][] => {
    if (name !== key) return [[name, part]];
    if (!isHere) return [[name, changedAt(random, part, depth - 1)]];
    return random.once(2) ? [] : [[random.of(['__proto__', 'error', random.of(parts)]), part]];
  });
  return Object.fromEntries(changed);
}

function spliced(random: Random, list: readonly Json[], at: number): Json {
  return random.once(2) ? list.toSpliced(at, 1) : list.toSpliced(at, 0, random.of([...hostile, ...list]));
}

/** The text as bytes, with some of them changed, cut out or repeated. */
export function damaged(random: Random, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const [from, length] = [random.below(bytes.length), random.below(40)];
  const part = bytes.subarray(from, from + length);
  if (random.once(3)) return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]);
  if (random.once(2)) return Buffer.concat([bytes.subarray(0, from), part, bytes.subarray(from)]);
  for (let left = 1 + random.below(8); left > 0; left -= 1)
    bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

const REFERENCES = [
  '{node.name}',
  '{node.driver_info[ipmi_password]}',
  '{node.properties[capabilities]}',
  '{inventory[cpu][count]}',
  '{inventory[disks][0][name]}',
  '{inventory[interfaces]}',
  '{plugin_data[all_interfaces]}',
  '{plugin_data[__proto__]}',
  '{item}',
  '{item[a][b]}',
  '{constructor}',
  '{{}}',
  '{',
  'x{node.extra}y{node}',
  '{inventory[cpu][count]:>4}',
  '{inventory[interfaces][0][mac_address]!r:*^{inventory[cpu][count]}}',
  '{inventory[memory][physical_mb]:,}',
  '{node.name:d}',
  '{node!x:{{}}}',
  '{inventory[cpu][count]:999999999}',
];
const PATHS = [
  'extra.a',
  '/extra/a/b',
  'extra/a.b/',
  'driver_info/ipmi_address',
  '//',
  'traits',
  'properties.capabilities',
  'driver_info.ipmi_password',
  'name',
  'pxe_enabled',
  'local_link_connection.port_id',
  'uuid',
  '__proto__.polluted',
  'extra.__proto__.polluted',
  'extra.constructor.prototype.polluted',
  '',
  '.',
  'list.0',
];
const REGEXES = ['^a+$', '(?i)dell', '(?P<name>x)', '[', '(?:', '\\d{1,3}', '$', ''];

/** A rule that is usually well-formed and has hostile content. */
export function hostileRule(
  random: Random,
  operators: Readonly<Record<'conditions' | 'actions', readonly string[]>>,
): JsonObject {
  const value = (): Json => random.of<Json>([...REFERENCES, ...hostile, 'CUSTOM_A', 7, true]);
  const argument = (name: string): Json => {
    if (random.once(20)) return random.of(hostile);
    if (name === 'path') return random.of(PATHS);
    if (name === 'regex') return random.of(REGEXES);
    if (name === 'port_id') return random.of([...REFERENCES, '52:54:00:aa:bb:01', '02:00:00:00:00:01']);
    if (name === 'values') return Array.from({ length: random.below(4) }, value);
    if (name === 'subnet') return random.of(['192.0.2.0/24', '::/0', '{inventory[bmc_address]}', '0/0']);
    if (name === 'unique' || name === 'force_strings') return random.once(2);
    return value();
  };
  const part = (choices: readonly string[]) => {
    const [op = '', ...names] = random.of(choices).split(' ');
    const given = names.filter(() => !random.once(30)).map((name) => [name, argument(name)]);
    return {
      op: random.once(8) ? `!${op}` : op,
      args: Object.fromEntries(given) as JsonObject,
      ...(random.once(4) && {
        loop: random.of<Json>([[1, 'two', { a: { b: 1 } }], { a: 1 }, [], 'text', null]),
      }),
      ...(random.once(6) && { multiple: random.of(['any', 'all', 'first', 'last', 'none']) }),
    };
  };
  const list = (choices: readonly string[], limit: number) =>
    Array.from({ length: random.below(limit) }, () => part(choices));
  return {
    conditions: list(operators.conditions, 3),
    actions: [...list(operators.actions, 3), part(operators.actions)],
  };
}

const FORMATTED = [
  'inventory[text]',
  'inventory[empty]',
  'inventory[width]',
  'inventory[large]',
  'inventory[negative]',
  'inventory[zero]',
  'inventory[flag]',
  'inventory[float]',
  'inventory[small]',
  'inventory[huge]',
  'inventory[tie]',
  'inventory[list]',
  'inventory[list][0]',
  'inventory[list][3][a]',
  'inventory[list][9]',
  'inventory[object]',
  'inventory[object][0]',
  'inventory[odd]',
  'inventory[text][1]',
  'inventory[]',
  'inventory[object]k',
  'node.name',
  'node[name]',
  'node.nothing',
  'nobody',
  '0',
  '',
];

/** The values that FORMATTED refers to. */
export const formattedScope = {
  node: { name: 'n1', nothing: null },
  inventory: {
    text: 'h\u00e9llo w\u00f6rld',
    empty: '',
    width: 7,
    large: 1_234_567,
    negative: -42,
    zero: 0,
    flag: true,
    float: 3.14159,
    small: -0.000_012_34,
    huge: 1.5e300,
    tie: 2.5,
    list: [1, 'two', null, { a: "it's" }],
    object: { k: [1.25], '0': 'zero' },
    odd: 'a"b\'c\\\n\u0001\u00a0\u200b\u{1f600}',
  },
  plugin_data: {},
} satisfies JsonObject;

function formatSpecification(random: Random): string {
  if (random.once(6))
    return Array.from({ length: random.below(5) }, () =>
      random.of('<>=^+- z#0159,_.bcdeEfFgGnosxX%{}!:'.split('')),
    ).join('');
  return [
    random.of(['', '', '<', '>', '=', '^', 'x<', '0>', '*=', '\u00e9^']),
    random.of(['', '', '+', '-', ' ']),
    random.of(['', '', '', 'z']),
    random.of(['', '', '', '#']),
    random.of(['', '', '0']),
    random.of(['', '3', '10', '17', '{inventory[width]}']),
    random.of(['', '', ',', '_']),
    random.of(['', '', '.0', '.1', '.3', '.12', '.30']),
    random.of(['', ...'bcdeEfFgGnosxX%'.split('')]),
  ].join('');
}

/** A text for Python's str.format that is usually well-formed. */
export function hostileFormat(random: Random): string {
  if (random.once(10)) {
    const tokens = ['{', '}', '[', ']', '.', ':', '!', 'r', 'inventory', 'node', '0', '{{', '}}'];
    return Array.from({ length: random.below(12) }, () => random.of(tokens)).join('');
  }
  const conversion = random.of(['', '', '', '!r', '!s', '!a', '!x']);
  const format = random.once(5) ? '' : `:${formatSpecification(random)}`;
  return `${random.of(['', 'a ', '{{'])}{${random.of(FORMATTED)}${conversion}${format}}${random.of(['', ' b', '}}'])}`;
}

const TYPES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 127, 127, 127, 127, 255, -1, 1.5];
const ORGANIZATIONS = ['0080c2', '00120f', '000120', ''];

/** Fewer than forty TLVs, few of them valid. */
export function hostileTlvs(random: Random): Json {
  return Array.from({ length: random.below(40) }, (): Json => {
    if (random.once(20)) return random.of(hostile);
    const type = random.of(TYPES);
    const octets = Array.from({ length: random.once(30) ? 600 : random.below(24) }, () =>
      random.below(random.once(2) ? 9 : 256),
    );
    const hex = Buffer.from(octets).toString('hex');
    const value = type === 127 ? random.of(ORGANIZATIONS) + hex : hex;
    return random.once(15) ? [type, value.slice(1)] : [type, value];
  });
}

const OPERATORS = [
  '',
  '=',
  '==',
  '!=',
  '>',
  '>=',
  '<',
  '<=',
  's==',
  's!=',
  's>',
  's<',
  '<in>',
  '<or>',
  '<all-in>',
  '<range-in>',
];
const OPERANDS = [
  '446',
  '20',
  '-1',
  '1e3',
  '0x5',
  'samsung',
  'PERC H740P',
  '/dev/sda',
  '( 1 2 ]',
  '[ 2 1 ]',
  '%20',
  'none',
  '',
];
const HINTS = [
  'size',
  'model',
  'vendor',
  'serial',
  'wwn',
  'name',
  'hctl',
  'by_path',
  'rotational',
  'tran',
  '__proto__',
];

export function hostileHints(random: Random): Json {
  if (random.once(25)) return random.of(hostile);
  const hint = (): Json => {
    if (random.once(6)) return random.of(hostile);
    const parts = Array.from(
      { length: 1 + random.below(3) },
      () => `${random.of(OPERATORS)} ${random.of(OPERANDS)}`,
    );
    return parts.join(random.of([' ', '']));
  };
  return Object.fromEntries(Array.from({ length: random.below(4) }, () => [random.of(HINTS), hint()]));
}
