import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../../daemon/model/json.ts';
import { capabilityOf, withCapability } from '../../../../daemon/model/machine/capabilities.ts';
import { throwsFault } from '../../../fakes/faults.ts';
import { fakeNode } from '../../../fakes/task.ts';

test('withCapability replaces, appends or removes a capability', () => {
  assert.equal(withCapability('a:1,b:2', 'a', '3'), 'a:3,b:2');
  assert.equal(withCapability('a:1,b:2, a:4', 'a', '3'), 'a:3,b:2');
  assert.equal(withCapability('a:1', 'b', 'http://x'), 'a:1,b:http://x');
  assert.equal(withCapability('', 'a', '1'), 'a:1');
  assert.equal(withCapability('a:1,,ab:2', 'a', undefined), 'ab:2');
});

const read = (instance: Json, properties: Json, name = 'boot_mode') =>
  capabilityOf(
    fakeNode({ instance_info: { capabilities: instance }, properties: { capabilities: properties } }),
    name,
  );

test('capabilities of the instance take precedence over those of the properties', () => {
  assert.equal(read({ boot_mode: 'bios' }, 'boot_mode:uefi'), 'bios');
  assert.equal(read({ other: 'x' }, 'cpu_vt:true, boot_mode:uefi'), 'uefi');
  assert.equal(read({}, ''), undefined);
  assert.equal(capabilityOf(fakeNode(), 'boot_mode'), undefined);
});

test('capabilities may be an object, its JSON or text', () => {
  for (const given of [
    { secure_boot: true },
    '{"secure_boot": true}',
    ' {"secure_boot":"true"}',
    'a:b, secure_boot:true,',
  ])
    assert.equal(read(given, '', 'secure_boot'), 'true');
  assert.equal(read('url:http://x', '', 'url'), 'http://x');
});

test('malformed capabilities of the instance are refused, and those of the properties ignored', () => {
  for (const malformed of ['uefi', '{', ':x', 5, [], true]) {
    throwsFault(() => read(malformed, ''), 400, /instance_info\/capabilities: expected an object/);
    assert.equal(read('', malformed), undefined);
  }
});
