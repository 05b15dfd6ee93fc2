// The form in which the core and plugin manifests declare sections of the configuration: the subset of JSON Schema
// whose values can be written in one line of an INI file or in one environment variable.

interface Described {
  readonly description?: string;
  /** Former names of the option; they still work, with a warning. */
  readonly formerly?: readonly string[];
}
interface Bounded extends Described {
  readonly default?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}
/** `path`: a relative path is resolved against the working directory. */
export type TextFormat = 'path' | 'kernel-parameters';
interface TextOption extends Described {
  readonly type: 'string';
  readonly default?: string;
  readonly enum?: readonly string[];
  readonly format?: TextFormat;
}
interface IntegerOption extends Bounded {
  readonly type: 'integer';
}
interface NumberOption extends Bounded {
  readonly type: 'number';
}
interface BooleanOption extends Described {
  readonly type: 'boolean';
  readonly default?: boolean;
}
/**
 * `pair`: `NAME:VALUE`. `priority`: a pair whose value is an integer of at least 0. `network`: a subnet or an address.
 * `dhcp-subnet`: a text that `readAnyDhcpSubnet` reads. `dhcp-options`: a text that `readSubnetOptions` reads.
 */
export type ItemFormat = 'path' | 'pair' | 'priority' | 'network' | 'dhcp-subnet' | 'dhcp-options';
interface ListOption extends Described {
  readonly type: 'array';
  readonly items: { readonly type: 'string'; readonly format?: ItemFormat };
  readonly default?: readonly string[];
  /** If the file sets the option more than once, the lists are joined. */
  readonly repeatable?: true;
}

/** One option. Without a `default` its value is null until it is set. */
export type OptionSchema = TextOption | IntegerOption | NumberOption | BooleanOption | ListOption;

/** Sections by name, each `{ type: 'object', properties: { <option>: OptionSchema } }`. */
export type SectionSchemas = Readonly<
  Record<string, { readonly type: 'object'; readonly properties: Readonly<Record<string, OptionSchema>> }>
>;

// A name in lower case without double underscores, so that IRONIC_<SECTION>__<OPTION> matches exactly one option.
const WORDS = '[a-z][a-z0-9]*(?:_[a-z0-9]+)*';

const closed = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const only = (value: string) => ({ const: value });
const format = { enum: ['path', 'kernel-parameters'] };

const option = (type: string, more: object, required: readonly string[] = []) =>
  closed(
    {
      type: only(type),
      description: { type: 'string', minLength: 1 },
      formerly: { type: 'array', items: { type: 'string', pattern: `^${WORDS}$` } },
      ...more,
    },
    ['type', ...required],
  );

const bounded = (type: 'integer' | 'number') =>
  option(type, { default: { type }, minimum: { type }, maximum: { type } });

const optionSchemas = [
  option('string', {
    default: { type: 'string' },
    enum: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
    format,
  }),
  bounded('integer'),
  bounded('number'),
  option('boolean', { default: { type: 'boolean' } }),
  option(
    'array',
    {
      items: closed(
        {
          type: only('string'),
          format: { enum: ['path', 'pair', 'priority', 'network', 'dhcp-subnet', 'dhcp-options'] },
        },
        ['type'],
      ),
      default: { type: 'array', items: { type: 'string' } },
      repeatable: { const: true },
    },
    ['items'],
  ),
];

const named = (pattern: string, value: object) => ({
  type: 'object',
  patternProperties: { [pattern]: value },
  additionalProperties: false,
});

/** The JSON Schema of `configuration` in a plugin's manifest: sections by name. */
export const configurationSchema = named(
  `^(?:DEFAULT|(?!default$)${WORDS})$`,
  closed({ type: only('object'), properties: named(`^${WORDS}$`, { anyOf: optionSchemas }) }, [
    'type',
    'properties',
  ]),
);

/** The loaded value of an option; null if it has no default and is not set. */
export type OptionValue = string | number | boolean | readonly string[] | null;
