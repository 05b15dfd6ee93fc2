import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineFault, Fault } from '../../../daemon/plugin-api/index.ts';

test('a plugin defines its own fault with typed parameters', () => {
  const doorOpen = defineFault('DoorOpen', 409, 'The door of node {node} is open.');
  const made = doorOpen({ node: 'n-1' });
  assert.ok(made instanceof Fault);
  assert.deepEqual(
    [made.code, made.status, made.message],
    ['DoorOpen', 409, 'The door of node n-1 is open.'],
  );
  assert.deepEqual(made.parameters, { node: 'n-1' });
});

test('a plugin cannot define a fault with a code of the daemon, a malformed code or a status that is not allowed', () => {
  assert.throws(() => defineFault('NodeNotFound', 404, 'x'), /NodeNotFound: expected a code/);
  assert.throws(() => defineFault('door open', 404, 'x'), /door open: expected a code/);
  assert.throws(
    () => defineFault('DoorOpen', 401 as 404, 'x'),
    /its status is 401; expected one of 400, 403/,
  );
});
