// What inspection rules can test and do: the operators of conditions and actions, and the arguments that each takes.

export type ArgumentKind = 'any' | 'text' | 'object' | 'flag' | 'number' | 'log level' | 'regex' | 'subnet';

/** Arguments by name, in the order in which a list gives them: the required ones first. */
export interface Operator {
  readonly required: Readonly<Record<string, ArgumentKind>>;
  readonly optional?: Readonly<Record<string, ArgumentKind>>;
}

// Ironic looks at the kind of these when they are compared, and so do conditions here
const comparison: Operator = { required: { values: 'any' }, optional: { force_strings: 'any' } };
const judgement: Operator = { required: { value: 'any' } };
const search: Operator = { required: { value: 'any', regex: 'regex' } };

/** Each may be preceded by `!`, which inverts it. */
export const conditionOperators: Readonly<Record<string, Operator>> = {
  eq: comparison,
  lt: comparison,
  gt: comparison,
  'is-empty': judgement,
  'is-none': judgement,
  'is-true': judgement,
  'is-false': judgement,
  'in-net': { required: { address: 'text', subnet: 'subnet' } },
  matches: search,
  contains: search,
  'one-of': { required: { value: 'any' }, optional: { values: 'any' } },
};

const setting: Operator = { required: { path: 'text', value: 'any' } };
const extension: Operator = { ...setting, optional: { unique: 'flag' } };
const removal: Operator = { required: { path: 'text' } };
const naming: Operator = { required: { name: 'text' } };
const ofPort = ({ required, ...rest }: Operator): Operator => ({
  required: { port_id: 'text', ...required },
  ...rest,
});

export const actionOperators: Readonly<Record<string, Operator>> = {
  fail: { required: { msg: 'text' } },
  log: { required: { msg: 'text' }, optional: { level: 'log level' } },
  'set-attribute': setting,
  'extend-attribute': extension,
  'del-attribute': removal,
  'set-capability': { required: { name: 'text', value: 'any' } },
  'unset-capability': naming,
  'add-trait': naming,
  'remove-trait': naming,
  'set-plugin-data': setting,
  'extend-plugin-data': extension,
  'unset-plugin-data': removal,
  'set-port-attribute': ofPort(setting),
  'extend-port-attribute': ofPort(extension),
  'del-port-attribute': ofPort(removal),
  'api-call': {
    required: { url: 'text' },
    optional: {
      headers: 'object',
      proxies: 'object',
      timeout: 'number',
      retries: 'number',
      backoff_factor: 'number',
    },
  },
};
