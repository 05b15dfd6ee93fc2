// What inspection rules accept as conditions and actions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Fault } from '../../../../daemon/model/faults.ts';
import type { JsonObject } from '../../../../daemon/model/json.ts';
import {
  actionOperators,
  conditionOperators,
  type Operator,
} from '../../../../daemon/model/rules/rule-operators.ts';
import { namedArguments, parseAction, parseCondition } from '../../../../daemon/model/rules/rule-parts.ts';
import { throwsFault } from '../../../fakes/faults.ts';

const samples = {
  any: null,
  text: 'x',
  object: {},
  flag: true,
  number: 2,
  'log level': 'error',
  regex: '(?i)^a{2}',
  subnet: '192.0.2.0/24',
} as const;

const filled = (kinds: Operator['required'] = {}): JsonObject =>
  Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, samples[kind]]));

const everyOperator = [
  ...Object.entries(conditionOperators).map(([op, operator]) => ({ op, operator, parse: parseCondition })),
  ...Object.entries(actionOperators).map(([op, operator]) => ({ op, operator, parse: parseAction })),
];

const refused = (parse: (given: JsonObject) => unknown, given: JsonObject, reason = /./) =>
  throwsFault(() => parse(given), 400, reason);

test('the operators are exactly those of the API', () => {
  assert.deepEqual(Object.keys(conditionOperators).toSorted(), [
    'contains',
    'eq',
    'gt',
    'in-net',
    'is-empty',
    'is-false',
    'is-none',
    'is-true',
    'lt',
    'matches',
    'one-of',
  ]);
  assert.deepEqual(Object.keys(actionOperators).toSorted(), [
    'add-trait',
    'api-call',
    'del-attribute',
    'del-port-attribute',
    'extend-attribute',
    'extend-plugin-data',
    'extend-port-attribute',
    'fail',
    'log',
    'remove-trait',
    'set-attribute',
    'set-capability',
    'set-plugin-data',
    'set-port-attribute',
    'unset-capability',
    'unset-plugin-data',
  ]);
});

test('every operator is accepted with its required arguments, and with the optional ones', () => {
  for (const { op, operator, parse } of everyOperator) {
    for (const args of [filled(operator.required), filled({ ...operator.required, ...operator.optional })]) {
      assert.deepEqual(parse({ op, args }), { op, args });
    }
  }
});

test('every operator is refused without one of its required arguments', () => {
  for (const { op, operator, parse } of everyOperator) {
    for (const name of Object.keys(operator.required)) {
      const { [name]: _, ...args } = filled(operator.required);
      refused(parse, { op, args }, new RegExp(`args of ${op}: ${name} is missing`));
    }
  }
});

test('every operator is refused with an argument that it does not have', () => {
  for (const { op, operator, parse } of everyOperator) {
    refused(parse, { op, args: { ...filled(operator.required), foo: 1 } }, /foo is not one of/);
    refused(parse, { op, args: JSON.parse('{"__proto__": 1}') as JsonObject }, /__proto__ is not one of/);
  }
});

test('an argument of the wrong kind is refused', () => {
  for (const given of [{ op: 'matches', args: { value: 1, regex: 5 } }]) {
    refused(parseCondition, given, /is not a/);
  }
  for (const given of [
    { op: 'log', args: { msg: 'x', level: 'loud' } },
    { op: 'set-attribute', args: { path: ['a'], value: 1 } },
    { op: 'extend-attribute', args: { path: 'a', value: 1, unique: 1 } },
    { op: 'api-call', args: { url: 'http://h', timeout: '5' } },
    { op: 'api-call', args: { url: 'http://h', headers: [] } },
  ]) {
    refused(parseAction, given, /is not a/);
  }
});

test('compared values may be of any type when a rule is parsed', () => {
  for (const given of [
    { op: 'eq', args: { values: 'abc' } },
    { op: '!gt', args: { values: 5, force_strings: 'yes' } },
    { op: 'lt', args: ['{inventory[memory][physical_mb]}', 4096] },
    { op: 'one-of', args: { value: 1, values: {} } },
  ]) {
    assert.deepEqual(parseCondition(given), given);
  }
});

test('an action with a loop accepts text for an argument of another type', () => {
  const args = { path: 'extra.a', value: '{item[v]}', unique: '{item[u]}' };
  const looped = { op: 'extend-attribute', args, loop: [{ v: 1, u: true }] };
  assert.deepEqual(parseAction(looped), looped);
  refused(parseAction, { op: 'extend-attribute', args });
});

test('one leading exclamation mark inverts a condition and is refused on an action', () => {
  const args = { value: 1 };
  assert.equal(parseCondition({ op: '!is-none', args }).op, '!is-none');
  for (const op of ['! is-none', '!!is-none', '!', 'is-none!']) refused(parseCondition, { op, args });
  refused(parseAction, { op: '!fail', args: { msg: 'x' } });
});

test('an unknown operator is refused and the known ones are listed', () => {
  for (const op of ['ne', 'le', 'ge', 'fail', '', 'toString', '__proto__']) {
    refused(parseCondition, { op, args: {} }, /is not one of eq, lt, gt/);
  }
  refused(parseAction, { op: 'eq', args: { values: [] } }, /is not one of fail, log/);
  for (const op of [undefined, null, 5, ['eq']]) {
    refused(
      parseCondition,
      JSON.parse(JSON.stringify({ op, args: {} })) as JsonObject,
      /name of an operator/,
    );
  }
});

test('positional arguments stay a list and namedArguments names them in order', () => {
  const condition = { op: '!in-net', args: ['10.0.0.1', '10.0.0.0/8'] };
  assert.deepEqual(parseCondition(condition), condition);
  assert.deepEqual(namedArguments(condition), { address: '10.0.0.1', subnet: '10.0.0.0/8' });
  const action = { op: 'set-port-attribute', args: ['p', 'extra.a', 1] };
  assert.deepEqual(parseAction(action), action);
  assert.deepEqual(namedArguments(action), { port_id: 'p', path: 'extra.a', value: 1 });
  refused(parseAction, { op: 'fail', args: [] }, /msg is missing/);
  refused(parseAction, { op: 'fail', args: ['a', 'b'] }, /\[1\] is not one of msg/);
});

test('arguments that are neither an object nor a list are refused', () => {
  for (const args of ['x', 5, null, true]) refused(parseAction, { op: 'fail', args }, /neither/);
  refused(parseAction, { op: 'fail' }, /neither an object nor a list/);
});

test('a loop is a list or an object', () => {
  for (const loop of [[1], [], {}, { a: 1 }]) {
    assert.deepEqual(parseAction({ op: 'fail', args: { msg: 'x' }, loop }).loop, loop);
  }
  for (const loop of ['abc', 5, null])
    refused(parseAction, { op: 'fail', args: { msg: 'x' }, loop }, /loop of/);
});

test('multiple is one of four words on conditions and is dropped on actions', () => {
  const condition = { op: 'is-true', args: { value: 1 } };
  for (const multiple of ['any', 'all', 'first', 'last'] as const) {
    assert.equal(parseCondition({ ...condition, multiple }).multiple, multiple);
  }
  for (const multiple of ['some', null, 1]) refused(parseCondition, { ...condition, multiple });
  assert.deepEqual(parseAction({ op: 'fail', args: { msg: 'x' }, multiple: 'some' }), {
    op: 'fail',
    args: { msg: 'x' },
  });
});

test('unknown keys are dropped', () => {
  const action = { op: 'fail', args: { msg: 'x' } };
  assert.deepEqual(parseAction({ ...action, comment: 'why' }), action);
});

test('any JSON is either parsed or refused with a fault', () => {
  const operators = [...Object.keys(conditionOperators), ...Object.keys(actionOperators), '!eq', 'x'];
  const part = fc.record(
    {
      op: fc.oneof(fc.constantFrom(...operators), fc.jsonValue()),
      args: fc.jsonValue(),
      loop: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(part, fc.constantFrom(parseCondition, parseAction), (given, parse) => {
      try {
        const { op, args } = parse(given as JsonObject);
        assert.equal(op, given.op);
        assert.equal(typeof args, 'object');
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
      }
    }),
  );
});
