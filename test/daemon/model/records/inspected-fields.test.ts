import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectedNodeFields } from '../../../../daemon/model/records/inspected-fields.ts';
import { nodeFields } from '../../../../daemon/model/records/node.ts';
import { nodeBodies } from '../../../../daemon/api/bodies/node-bodies.ts';

test('inspection may change exactly the node fields that PATCH may change', () => {
  const patched = Object.entries(nodeFields).filter(([, field]) => 'update' in field);
  assert.deepEqual(inspectedNodeFields.toSorted(), patched.map(([name]) => name).toSorted());
  for (const name of inspectedNodeFields)
    assert.doesNotThrow(() => nodeBodies.operations([{ op: 'replace', path: `/${name}`, value: 'x' }], 200));
});
