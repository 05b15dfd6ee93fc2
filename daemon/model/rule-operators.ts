// What inspection rules can test and do: the operators of conditions and actions, and the arguments that each takes.
// daemon/docs/inspection-rules.md is drawn from these tables.

export type ArgumentKind = 'any' | 'text' | 'object' | 'flag' | 'number' | 'log level' | 'regex' | 'subnet';

/** Arguments by name, in the order in which a list gives them: the required ones first. */
interface Arguments {
  readonly required: Readonly<Record<string, ArgumentKind>>;
  readonly optional?: Readonly<Record<string, ArgumentKind>>;
  /** Arguments in which references are not filled in, except in a loop. */
  readonly literal?: readonly string[];
}

export interface Operator extends Arguments {
  /** For the manual: when the condition holds, or what the action does. */
  readonly meaning: string;
}

const operator = (given: Arguments, meaning: string): Operator => ({ ...given, meaning });

// Ironic looks at the kind of these when they are compared, and so do conditions here
const comparison: Arguments = { required: { values: 'any' }, optional: { force_strings: 'any' } };
const judgement: Arguments = { required: { value: 'any' } };
const search: Arguments = { required: { value: 'any', regex: 'regex' }, literal: ['regex'] };

/** Each may be preceded by `!`, which inverts it. */
export const conditionOperators: Readonly<Record<string, Operator>> = {
  eq: operator(comparison, 'Each of `values` equals the next. `force_strings` compares them as texts.'),
  lt: operator(comparison, 'Each of `values` is less than the next: numbers, or texts.'),
  gt: operator(comparison, 'Each of `values` is greater than the next: numbers, or texts.'),
  'is-empty': operator(
    judgement,
    '`value` is an empty text, list or object, null or None, or refers to something that is not there.',
  ),
  'is-none': operator(judgement, '`value` is null. A reference never is: it is filled in as the text None.'),
  'is-true': operator(judgement, '`value` is true, a number other than 0, or the text yes or true.'),
  'is-false': operator(judgement, '`value` is false, 0, null, or the text no or false.'),
  'in-net': operator(
    { required: { address: 'text', subnet: 'subnet' } },
    'The IP address lies in the subnet: `192.0.2.0/24`, `192.0.2.0/255.255.255.0` or a single address.',
  ),
  matches: operator(search, 'The regular expression (of Python) describes the whole of `value`.'),
  contains: operator(search, 'The regular expression (of Python) describes a part of `value`.'),
  'one-of': operator(
    { required: { value: 'any' }, optional: { values: 'any' } },
    '`value` is one of `values`, of the same type; where `values` is a text, a part of it.',
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
    'A line in the log. `level` is debug, info, warning, error or critical; info unless given.',
  ),
  'set-attribute': operator(setting, 'Sets a field of the node, or a value inside one.'),
  'extend-attribute': operator(
    extension,
    'Appends `value` to a list in the node. `unique`: unless the list has it.',
  ),
  'del-attribute': operator(removal, 'Removes a value from the node; a field becomes what it is initially.'),
  'set-capability': operator(
    { required: { name: 'text', value: 'any' }, literal: ['name'] },
    'Sets a capability in `properties/capabilities`, in the place of its earlier value.',
  ),
  'unset-capability': operator(
    { required: { name: 'text' }, literal: ['name'] },
    'Removes a capability from `properties/capabilities`.',
  ),
  'add-trait': operator(trait, 'Adds a trait to the node.'),
  'remove-trait': operator(trait, 'Removes a trait from the node; a warning when it does not have it.'),
  'set-plugin-data': operator(
    setting,
    'Sets a value in the plugin data, which are stored with the inventory.',
  ),
  'extend-plugin-data': operator(extension, 'Appends `value` to a list in the plugin data.'),
  'unset-plugin-data': operator(
    removal,
    'Removes a value from the plugin data; a warning when it is not there.',
  ),
  'set-port-attribute': operator(
    ofPort(setting),
    'As `set-attribute`, on a port of the node: `port_id` is its UUID or MAC address.',
  ),
  'extend-port-attribute': operator(ofPort(extension), 'As `extend-attribute`, on a port of the node.'),
  'del-port-attribute': operator(ofPort(removal), 'As `del-attribute`, on a port of the node.'),
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
    'GETs the URL; the inspection fails unless the answer is 2xx. `timeout` (5) is in seconds; the statuses 429, 500, 502, 503 and 504 are tried `retries` (3) times again, after `backoff_factor` (0.3) seconds that double.',
  ),
};
