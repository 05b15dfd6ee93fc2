import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withCapability } from '../../../../daemon/model/machine/capabilities.ts';

test('withCapability replaces, appends or removes a capability', () => {
  assert.equal(withCapability('a:1,b:2', 'a', '3'), 'a:3,b:2');
  assert.equal(withCapability('a:1,b:2, a:4', 'a', '3'), 'a:3,b:2');
  assert.equal(withCapability('a:1', 'b', 'http://x'), 'a:1,b:http://x');
  assert.equal(withCapability('', 'a', '1'), 'a:1');
  assert.equal(withCapability('a:1,,ab:2', 'a', undefined), 'ab:2');
});
