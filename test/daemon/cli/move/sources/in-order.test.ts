import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inGivenOrder } from '../../../../../daemon/cli/move/sources/in-order.ts';

const parent = { uuid: 'p', name: 'chassis', parent_node: null };
const child = { uuid: 'c', name: null, parent_node: 'p' };

test('a child node moves after its parent, even if the child is named first', () => {
  assert.deepEqual(inGivenOrder([child, parent], []), [parent, child]);
  assert.deepEqual(inGivenOrder([child, parent], ['c', 'chassis']), [parent, child]);
  assert.deepEqual(inGivenOrder([child, parent], ['c']), [child]);
  assert.throws(
    () => inGivenOrder([child, parent], ['x']),
    /--node x: there is no node with this name or UUID/,
  );
});
