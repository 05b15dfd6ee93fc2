import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assignmentIn,
  assignedBody,
  offeredFields,
  assignedPath,
} from '../../../../daemon/cli/records/assignments.ts';
import { portFields } from '../../../../daemon/model/records/port.ts';

test('= gives a text, also one that looks like a number, and := gives any JSON', () => {
  assert.deepEqual(assignmentIn('driver_info/ipmi_password=0123=:=x'), {
    path: ['driver_info', 'ipmi_password'],
    value: '0123=:=x',
  });
  assert.deepEqual(assignmentIn('properties/cpus:=8'), { path: ['properties', 'cpus'], value: 8 });
  assert.deepEqual(assignmentIn('name='), { path: ['name'], value: '' });
});

for (const argument of ['name', '=x', ':=1', 'a//b=1', '/a=1'])
  test(`the argument ${argument} is refused with what was expected`, () => {
    assert.throws(() => assignmentIn(argument), /expected FIELD=TEXT or FIELD:=JSON/);
  });

test('a path with an empty part is refused with an error that does not ask for a value', () => {
  assert.throws(() => assignedPath('extra//rack'), {
    message: '"extra//rack": expected a field such as name or driver_info/ipmi_address',
  });
});

test('a value that is no JSON is refused', () => {
  assert.throws(() => assignmentIn('automated_clean:=no'), /"no" is not JSON: /);
});

test('assignments become one body, with the keys of one object together', () => {
  const body = assignedBody(
    ['name=a', 'extra/x/y:=1', 'extra/x/z=2', 'extra/__proto__/w=3'].map(assignmentIn),
  );
  assert.equal(JSON.stringify(body), '{"name":"a","extra":{"x":{"y":1,"z":"2"},"__proto__":{"w":"3"}}}');
});

test('a shell is offered the fields that a request may set, with := for those that take no text', () => {
  const offered = offeredFields(portFields, 'create');
  assert.ok(offered.includes('address=') && offered.includes('extra:=') && offered.includes('pxe_enabled:='));
  assert.ok(!offered.some((field) => field.startsWith('created_at')));
});
