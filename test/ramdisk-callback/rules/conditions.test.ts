// Conditions of inspection rules.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../daemon/model/json.ts';
import type { RuleCondition } from '../../../daemon/model/rules/rule-parts.ts';
import { holds } from '../../../ramdisk-callback/rules/conditions.ts';
import { filling, inventory } from './machine.ts';

const product = '{inventory[system_vendor][product_name]}';
const maker = '{inventory[system_vendor][manufacturer]}';
const value = (given: JsonObject[string], more: JsonObject = {}) => ({ value: given, ...more });

type Row = readonly [
  op: string,
  args: RuleCondition['args'],
  expected: boolean | RegExp,
  more?: Partial<RuleCondition>,
];

const rows: readonly Row[] = [
  ['eq', { values: ['{node.driver}', 'ipmi'] }, true],
  ['!eq', { values: ['{node.driver}', 'ipmi'] }, false],
  ['eq', { values: ['{inventory[cpu][count]}', 8] }, false],
  ['eq', { values: ['{inventory[cpu][count]}', 8], force_strings: true }, true],
  ['eq', { values: [{ a: [1] }, { a: [1] }, { a: [1] }] }, true],
  ['eq', { values: [1] }, true],
  ['eq', { values: [] }, true],
  ['eq', { values: 'abc' }, /values: "abc" is not a list/],
  ['lt', { values: [1, 2, 3] }, true],
  ['lt', { values: [1, 3, 2] }, false],
  ['lt', { values: [1, 1] }, false],
  ['gt', { values: ['b', 'a'] }, true],
  ['gt', { values: [1, 'a'] }, /cannot be ordered/],
  ['gt', { values: [null, 1] }, /cannot be ordered/],
  ['is-true', value('{plugin_data[auto_discovered]}'), true],
  ['is-true', value('YES'), true],
  ['is-true', value('on'), false],
  ['is-true', value(2), true],
  ['is-true', value(0), false],
  ['is-true', value(true), true],
  ['is-true', value(null), false],
  ['is-true', value([]), false],
  ['is-false', value('No'), true],
  ['is-false', value(0), true],
  ['is-false', value(null), true],
  ['is-false', value(false), true],
  ['is-false', value('0'), false],
  ['is-false', value({}), false],
  ['is-none', value(null), true],
  ['is-none', value('None'), false],
  ['is-none', value('{node.name}'), false],
  ['is-empty', value('{node.name}'), true],
  ['is-empty', value('{inventory[nothing]}'), true],
  ['is-empty', value(''), true],
  ['is-empty', value([]), true],
  ['is-empty', value({}), true],
  ['is-empty', value(0), false],
  ['!is-empty', value('{inventory[nothing]}'), false],
  ['in-net', { address: '{inventory[bmc_address]}', subnet: '192.0.2.0/24' }, true],
  ['in-net', { address: '192.0.3.1', subnet: '192.0.2.0/24' }, false],
  ['in-net', { address: '192.0.2.9', subnet: '192.0.2.9' }, true],
  ['in-net', { address: '2001:db8::1', subnet: '2001:db8::/32' }, true],
  ['in-net', { address: '192.0.2.9', subnet: '2001:db8::/32' }, false],
  ['in-net', { address: '192.0.2.9', subnet: '192.0.2.0/255.255.255.0' }, true],
  ['in-net', { address: '192.0.3.9', subnet: '192.0.2.0/255.255.255.0' }, false],
  ['in-net', { address: '192.0.2.9', subnet: '192.0.2.0/255.0.255.0' }, /is not a subnet/],
  ['in-net', { address: '192.0.2.9', subnet: '192.0.2.0/40' }, /subnet: "192\.0\.2\.0\/40" is not a subnet/],
  ['in-net', { address: 'meow', subnet: '192.0.2.0/24' }, /address: "meow" is not an IP address/],
  ['matches', value(maker, { regex: 'Dell' }), false],
  ['matches', value(maker, { regex: 'Dell.*' }), true],
  ['matches', value(maker, { regex: 'HPE|Dell Inc.' }), true],
  ['matches', value(maker, { regex: '(?i)dell.*' }), true],
  ['contains', value(maker, { regex: 'ell' }), true],
  ['contains', value(maker, { regex: '(?i)dell' }), true],
  ['contains', value(maker, { regex: '(?P<name>D)' }), true],
  ['contains', value(maker, { regex: '\\AInc' }), false],
  ['contains', value(maker, { regex: 'Inc\\.\\Z' }), true],
  ['contains', value(maker, { regex: '(' }), /regex "\(": /],
  ['contains', value(8, { regex: '8' }), true],
  ['one-of', value(product, { values: ['X', 'PowerEdge R640'] }), true],
  ['one-of', value(8, { values: ['8'] }), false],
  ['one-of', value(8), false],
  ['one-of', value('b', { values: 'abc' }), true],
  ['one-of', value(8, { values: {} }), /values: \{\} is not a list/],
  ['eq', [['{inventory[cpu][count]}', 8], true], true],
  ['!eq', [['{inventory[cpu][count]}', 8]], true],
  ['eq', ['{inventory[cpu][count]}', 8], /values: "8" is not a list/],
  ['gt', { values: 5 }, /values: 5 is not a list/],
  ['eq', { values: [1, '1'], force_strings: 'yes' }, true],
  ['eq', { values: [1, '1'], force_strings: 0 }, false],
  ['matches', [maker, 'Dell.*'], true],
  ['eq', { values: [product, '{item}'] }, true, { loop: ['PowerEdge R640', 'X'] }],
  ['eq', { values: [product, '{item}'] }, true, { loop: ['PowerEdge R640', 'X'], multiple: 'any' }],
  ['eq', { values: [product, '{item}'] }, true, { loop: ['PowerEdge R640', 'X'], multiple: 'first' }],
  ['eq', { values: [product, '{item}'] }, false, { loop: ['PowerEdge R640', 'X'], multiple: 'all' }],
  ['eq', { values: [product, '{item}'] }, false, { loop: ['PowerEdge R640', 'X'], multiple: 'last' }],
  ['eq', { values: ['{inventory[cpu][count]}', 8] }, true, { loop: [0] }],
  ['eq', { values: [product, '{item[name]}'] }, true, { loop: { name: 'PowerEdge R640' } }],
  ['contains', value(product, { regex: '{item}' }), true, { loop: ['R640'] }],
  ['eq', { values: [product, 'PowerEdge R640'] }, true, { loop: [] }],
  ['eq', { values: [1, '1'] }, false, { loop: {} }],
  ['eq', { values: ['{item[is]}', 'Dell Inc.'] }, true, { loop: { is: maker } }],
];

const judged = ([op, args, , more]: Row) => holds({ op, args, ...more }, filling());

for (const row of rows) {
  const [op, args, expected, more = {}] = row;
  const title = `${op} ${JSON.stringify(args)} ${JSON.stringify(more)}`;
  test(`${title} is ${expected instanceof RegExp ? 'an error' : String(expected)}`, () => {
    if (expected instanceof RegExp) assert.throws(() => judged(row), expected);
    else assert.equal(judged(row), expected);
  });
}

test('references in reported values are not filled in, even in a loop', () => {
  const reported = { ...inventory, name: '{inventory[bmc_password]}' };
  const scope = { ...filling().scope, inventory: reported };
  const condition = { op: 'eq', args: { values: ['{item}', 'hunter2'] }, loop: ['{inventory[name]}'] };
  assert.equal(holds(condition, filling({ masked: false, scope })), false);
  assert.equal(
    holds({ ...condition, loop: ['{inventory[bmc_password]}'] }, filling({ masked: false })),
    true,
  );
});
