import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import type { Json, Node } from '../../../daemon/plugin-api/index.ts';
import { bootModeOf } from '../../../plugins/ipmi/boot-mode.ts';
import { fakeNode } from '../../fakes/task.ts';

const modeOf = (fields: Partial<Node>) => bootModeOf(fakeNode(fields));
const instance = (capabilities: Json) => ({ instance_info: { capabilities } });
const properties = (capabilities: Json) => ({ properties: { capabilities } });

test('the default boot mode is uefi', () => {
  assert.equal(modeOf({}), 'uefi');
  assert.equal(modeOf(properties('boot_mode:coreboot')), 'uefi');
});

test('boot_mode takes precedence over instance_info, and instance_info over properties', () => {
  const all = { ...instance({ boot_mode: 'bios' }), ...properties('boot_mode:uefi') };
  assert.equal(modeOf(all), 'bios');
  assert.equal(modeOf({ ...all, boot_mode: 'uefi' }), 'uefi');
  assert.equal(modeOf(properties('cpu_vt:true, boot_mode:bios')), 'bios');
});

test('capabilities may be an object, JSON text or pairs', () => {
  for (const capabilities of [{ boot_mode: 'bios' }, '{"boot_mode": "bios"}', 'a:b,boot_mode:bios']) {
    assert.equal(modeOf(instance(capabilities)), 'bios');
  }
});

test('any capabilities in properties yield the boot mode bios or uefi', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.json(), fc.string()), (capabilities) => {
      assert.ok(['bios', 'uefi'].includes(modeOf(properties(capabilities as Json))));
    }),
  );
});
