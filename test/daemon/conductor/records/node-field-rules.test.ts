import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeFieldChange } from '../../../../daemon/conductor/records/node-field-rules.ts';
import { nodeBodies } from '../../../../daemon/api/bodies/node-bodies.ts';
import { Fault } from '../../../../daemon/model/faults.ts';
import type { Json } from '../../../../daemon/model/json.ts';
import { MAXIMUM_MINOR } from '../../../../daemon/model/microversions.ts';
import {
  type InspectedNodeField,
  inspectedNodeFields,
} from '../../../../daemon/model/records/inspected-fields.ts';
import { initialNode } from '../../../../daemon/model/records/node.ts';

const UUID = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
/** The flags of this node are true, so that storing `no` changes them. */
const node = initialNode({
  uuid: UUID,
  driver: 'ipmi',
  maintenance: true,
  protected: true,
  retired: true,
  disable_power_off: true,
});

/** Returns the result of `change`, or the message of the fault that it throws. */
function outcomeOf(change: () => object): unknown {
  try {
    return change();
  } catch (error) {
    assert.ok(error instanceof Fault);
    return error.message.replace('Schema error for patch', 'Schema error for node');
  }
}

const patched = (name: InspectedNodeField, value: Json) =>
  outcomeOf(() =>
    nodeBodies.changes(
      node,
      nodeBodies.operations([{ op: 'add', path: `/${name}`, value }], MAXIMUM_MINOR),
      MAXIMUM_MINOR,
    ),
  );

const values: readonly Json[] = [
  'x',
  'two words',
  'x'.repeat(300),
  'x'.repeat(5000),
  7,
  'no',
  false,
  { local_gb: 'much' },
  { local_gb: '40' },
  { links: [] },
  ['x'],
  UUID.toUpperCase(),
];

for (const name of inspectedNodeFields) {
  test(`an inspection may store in ${name} what a PATCH may store there, and nothing else`, () => {
    for (const value of values)
      assert.deepEqual(
        outcomeOf(() => nodeFieldChange(name, value)),
        patched(name, value),
        JSON.stringify(value).slice(0, 40),
      );
  });
}

test('null or undefined resets a field to its initial value; null is refused for the driver, which every node must have', () => {
  assert.deepEqual(nodeFieldChange('properties', null), { properties: {} });
  assert.deepEqual(nodeFieldChange('name', undefined), { name: null });
  assert.throws(() => nodeFieldChange('driver', null), /driver: it is mandatory and can not be removed/);
});

test('traits are stored sorted and once each; an invalid name and more than fifty traits are refused', () => {
  assert.deepEqual(nodeFieldChange('traits', ['CUSTOM_B', 'CUSTOM_A', 'CUSTOM_B']), {
    traits: ['CUSTOM_A', 'CUSTOM_B'],
  });
  assert.throws(
    () => nodeFieldChange('traits', ['lower']),
    /"lower" does not match the rule for trait names/,
  );
  const many = Array.from({ length: 51 }, (_, at) => `CUSTOM_${at}`);
  assert.throws(() => nodeFieldChange('traits', many), /would have 51 traits; 50 are allowed/);
});
