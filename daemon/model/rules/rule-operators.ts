// The operators of conditions and actions in inspection rules, and their arguments. daemon/docs/inspection-rules.md is
// generated from these tables.

export type ArgumentKind = 'any' | 'text' | 'object' | 'flag' | 'number' | 'log level' | 'regex' | 'subnet';

/** Arguments by name. A rule that gives its arguments as a list must keep this order: required arguments first. */
interface Arguments {
  readonly required: Readonly<Record<string, ArgumentKind>>;
  readonly optional?: Readonly<Record<string, ArgumentKind>>;
  /** Arguments in which references, such as `{node.uuid}`, are not replaced, except in a loop. */
  readonly literal?: readonly string[];
}

export interface Operator extends Arguments {
  /** The text in the documentation: when the condition is met, or what the action does. */
  readonly meaning: string;
}

const operator = (given: Arguments, meaning: string): Operator => ({ ...given, meaning });

// as in Ironic, the types of these arguments are checked only when they are compared
const comparison: Arguments = { required: { values: 'any' }, optional: { force_strings: 'any' } };
const judgement: Arguments = { required: { value: 'any' } };
const search: Arguments = { required: { value: 'any', regex: 'regex' }, literal: ['regex'] };

/** Conditions by name. `!` before the name inverts the condition. */
export const conditionOperators: Readonly<Record<string, Operator>> = {
  eq: operator(comparison, 'Each of `values` equals the next. `force_strings` compares them as strings.'),
  lt: operator(comparison, 'Each of `values` is less than the next. Compares numbers or strings.'),
  gt: operator(comparison, 'Each of `values` is greater than the next. Compares numbers or strings.'),
  'is-empty': operator(
    judgement,
    '`value` is an empty string, list or object, null, the text None, or a reference to something that does not exist.',
  ),
  'is-none': operator(
    judgement,
    '`value` is null. A reference to null does not match, as it is replaced by the string None.',
  ),
  'is-true': operator(judgement, '`value` is true, a number other than 0, or the string yes or true.'),
  'is-false': operator(judgement, '`value` is false, 0, null, or the string no or false.'),
  'in-net': operator(
    { required: { address: 'text', subnet: 'subnet' } },
    'The IP address is in the subnet: `192.0.2.0/24`, `192.0.2.0/255.255.255.0` or a single address.',
  ),
  matches: operator(search, 'The regular expression (Python syntax) matches the whole of `value`.'),
  contains: operator(search, 'The regular expression (Python syntax) matches a part of `value`.'),
  'one-of': operator(
    { required: { value: 'any' }, optional: { values: 'any' } },
    '`value` is one of `values` and of the same type. If `values` is a string, `value` is a part of it.',
  ),
};

const setting: Arguments = { required: { path: 'text', value: 'any' }, literal: ['path'] };
const extension: Arguments = { ...setting, optional: { unique: 'flag' } };
const removal: Arguments = { required: { path: 'text' }, literal: ['path'] };
const trait: Arguments = { required: { name: 'text' } };
const ofPort = ({ required, ...rest }: Arguments): Arguments => ({
  required: { port_id: 'text', ...required },
  ...rest,
});

export const actionOperators: Readonly<Record<string, Operator>> = {
  fail: operator(
    { required: { msg: 'text' }, literal: ['msg'] },
    'The inspection fails with this message, and nothing is stored.',
  ),
  log: operator(
    { required: { msg: 'text' }, optional: { level: 'log level' } },
    'Writes a line to the log. `level` is debug, info (the default), warning, error or critical.',
  ),
  'set-attribute': operator(setting, 'Sets a field of the node, or a value inside one.'),
  'extend-attribute': operator(
    extension,
    'Appends `value` to a list in the node. `unique`: only if the list does not contain it.',
  ),
  'del-attribute': operator(removal, 'Removes a value from the node. A field gets its initial value again.'),
  'set-capability': operator(
    { required: { name: 'text', value: 'any' }, literal: ['name'] },
    'Sets a capability in `properties/capabilities`, replacing its earlier value.',
  ),
  'unset-capability': operator(
    { required: { name: 'text' }, literal: ['name'] },
    'Removes a capability from `properties/capabilities`.',
  ),
  'add-trait': operator(trait, 'Adds a trait to the node.'),
  'remove-trait': operator(
    trait,
    'Removes a trait from the node. Logs a warning if the node does not have it.',
  ),
  'set-plugin-data': operator(
    setting,
    'Sets a value in the plugin data, which is stored with the inventory.',
  ),
  'extend-plugin-data': operator(extension, 'Appends `value` to a list in the plugin data.'),
  'unset-plugin-data': operator(
    removal,
    'Removes a value from the plugin data. Logs a warning if it does not exist.',
  ),
  'set-port-attribute': operator(
    ofPort(setting),
    'Like `set-attribute`, for a port of the node. `port_id` is its UUID or MAC address.',
  ),
  'extend-port-attribute': operator(ofPort(extension), 'Like `extend-attribute`, for a port of the node.'),
  'del-port-attribute': operator(ofPort(removal), 'Like `del-attribute`, for a port of the node.'),
  'api-call': operator(
    {
      required: { url: 'text' },
      optional: {
        headers: 'object',
        proxies: 'object',
        timeout: 'number',
        retries: 'number',
        backoff_factor: 'number',
      },
    },
    'Sends a GET request to the URL; the inspection fails unless the status is 2xx. `timeout` (default 5) is in seconds. A request that gets no answer or status 429, 500, 502, 503 or 504 is retried up to `retries` (default 3) times, after `backoff_factor` (default 0.3) seconds, doubled each time.',
  ),
};
