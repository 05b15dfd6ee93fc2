import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patchedFields } from '../../../daemon/api/json-patch.ts';
import { nodeFields } from '../../../daemon/model/node.ts';

test('one patch of several fields changes each alone, though their empty values were the same object', () => {
  const empty = Object.freeze({});
  const changes = patchedFields(
    { extra: empty, driver_info: empty, properties: empty },
    [
      { op: 'add', path: '/extra/rack', value: 'r1' },
      { op: 'add', path: '/driver_info/ipmi_password', value: 'secret' },
    ],
    nodeFields,
  );
  assert.deepEqual(changes, { extra: { rack: 'r1' }, driver_info: { ipmi_password: 'secret' } });
  assert.deepEqual(empty, {});
});
