// Converts between an option's text, as in the file or the environment, and its value.
import { resolve } from 'node:path';
import { isSubnet } from '../lib/network/ip.ts';
import { booleanOf } from '../lib/words.ts';
import { kernelParametersFlaw, parseKernelParameters } from '../model/machine/kernel-parameters.ts';
import { readSubnetOptions } from './dhcp-options/subnets-with-options.ts';
import { readAnyDhcpSubnet } from './dhcp-subnet.ts';
import type { ItemFormat, OptionSchema, OptionValue, TextFormat } from './section-schema.ts';

/**
 * Returns null for an empty text if the schema has no default, and undefined if the schema does not allow the text;
 * `allowedValues` describes the allowed values.
 */
export function parseValue(
  schema: OptionSchema,
  text: string,
  workingDirectory: string,
): OptionValue | undefined {
  if (text === '' && schema.default === undefined) return null;
  switch (schema.type) {
    case 'boolean':
      return booleanOf(text.trim());
    case 'integer':
      return parseNumber(schema, /^[+-]?\d{1,15}$/, text);
    case 'number':
      return parseNumber(schema, /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i, text);
    case 'string':
      return parseText(schema, text, workingDirectory);
    default:
      return parseList(schema.items.format, text, workingDirectory);
  }
}

function parseText(
  schema: { readonly enum?: readonly string[]; readonly format?: TextFormat },
  text: string,
  workingDirectory: string,
): string | undefined {
  if (schema.enum !== undefined && !schema.enum.includes(text)) return undefined;
  if (schema.format === undefined) return text;
  if (schema.format === 'kernel-parameters') return kernelFlaw(text) === undefined ? text : undefined;
  return text === '' ? undefined : resolve(workingDirectory, text);
}

function kernelFlaw(text: string): string | undefined {
  const parameters = parseKernelParameters(text);
  return parameters === undefined ? 'it is not such words' : kernelParametersFlaw(parameters);
}

function parseNumber(
  schema: { readonly minimum?: number; readonly maximum?: number },
  pattern: RegExp,
  text: string,
): number | undefined {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  const value = pattern.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isFinite(value) && value >= minimum && value <= maximum ? value : undefined;
}

function parseList(
  format: ItemFormat | undefined,
  text: string,
  workingDirectory: string,
): string[] | undefined {
  const items = splitList(text);
  if (format === undefined) return items;
  if (format === 'path') return items.map((item) => resolve(workingDirectory, item));
  return items.every(ITEMS[format]) ? items : undefined;
}

const ITEMS = {
  pair: (item: string) => /^[^:]+:.+$/.test(item),
  priority: (item: string) => /^[^:]+:\d{1,9}$/.test(item),
  network: isSubnet,
  'dhcp-subnet': (item: string) => readAnyDhcpSubnet(item).kind === 'read',
  'dhcp-options': (item: string) => readSubnetOptions(item).kind === 'read',
};

// a comma inside braces belongs to its item, because the item is JSON
const splitList = (text: string): string[] =>
  (text.match(/(?:[^,{]+|\{[^}]*\}|\{)+/g) ?? []).map((item) => item.trim()).filter((item) => item !== '');

/** Returns the value as the file would contain it, with `$` not escaped; null becomes the empty text. */
export function valueText(value: OptionValue): string {
  return typeof value === 'object' ? (value ?? []).join(',') : String(value);
}

const TEXTS = {
  text: 'text',
  path: 'a path',
  'kernel-parameters':
    'NAME or NAME=VALUE words separated by blanks (double quotes around a value that contains blanks)',
};

const LISTS = {
  text: 'a list, separated by commas',
  path: 'a list of paths, separated by commas',
  pair: 'a list of NAME:VALUE, separated by commas',
  network: 'a list of networks, separated by commas, as in 192.0.2.0/24',
  priority: 'a list of NAME:PRIORITY, separated by commas, as in deploy.erase_devices:20',
  'dhcp-subnet':
    'NETWORK/BITS and then range=FIRST-LAST, router= (IPv4 only), dns=, ntp=, domain= and interface= as needed, separated by blanks',
  'dhcp-options':
    'a JSON object of DHCP options, for all subnets or with NETWORK/BITS before it, as in 10.0.0.0/24 {"interface-mtu": 9000}',
};

const READERS: Readonly<
  Record<
    string,
    (item: string) => { readonly kind: 'read' } | { readonly kind: 'unreadable'; readonly reason: string }
  >
> = { 'dhcp-subnet': readAnyDhcpSubnet, 'dhcp-options': readSubnetOptions };

/** Returns why the schema does not allow the text, if there is more to say than `allowedValues` does. */
export function whatIsWrong(schema: OptionSchema, text: string): string | undefined {
  if (schema.type === 'string' && schema.format === 'kernel-parameters') return kernelFlaw(text);
  const read = schema.type === 'array' ? READERS[schema.items.format ?? ''] : undefined;
  if (read === undefined) return undefined;
  const readings = splitList(text).map(read);
  return readings.find((reading) => reading.kind === 'unreadable')?.reason;
}

/** Describes the values that an option takes, such as `an integer from 0 to 65535`. */
export function allowedValues(schema: OptionSchema): string {
  switch (schema.type) {
    case 'boolean':
      return 'true or false (or yes/no, on/off, 1/0)';
    case 'integer':
      return `an integer${range(schema)}`;
    case 'number':
      return `a number${range(schema)}`;
    case 'string':
      if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
      return TEXTS[schema.format ?? 'text'];
    default:
      return LISTS[schema.items.format ?? 'text'];
  }
}

function range({ minimum, maximum }: { readonly minimum?: number; readonly maximum?: number }): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}
