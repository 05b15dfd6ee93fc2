import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json } from '#plugin-api';
import { bootMode } from '../../../plugins/inspection/boot-mode.ts';
import { draftOf } from './draft.ts';

function after(boot: Json, capabilities?: Json) {
  const draft = draftOf({
    inventory: { boot },
    properties: capabilities === undefined ? {} : { capabilities },
  });
  bootMode.call?.(draft);
  return draft;
}

const uefi = { current_boot_mode: 'uefi' };

test('the capability boot_mode is set, in its old place if there is one, and other capabilities stay', () => {
  assert.deepEqual(after(uefi).node.properties, { capabilities: 'boot_mode:uefi' });
  assert.equal(after(uefi, null).node.properties['capabilities'], 'boot_mode:uefi');
  const { capabilities } = after(uefi, 'boot_mode:bios,cpu_vt:true,url:http://x').node.properties;
  assert.equal(capabilities, 'boot_mode:uefi,cpu_vt:true,url:http://x');
});

test('a missing or invalid boot mode leaves the capabilities unchanged and is logged', () => {
  for (const boot of [null, {}, [], { current_boot_mode: null }, { current_boot_mode: 'a,b:c' }]) {
    const draft = after(boot, 'boot_mode:bios');
    assert.equal(draft.node.properties['capabilities'], 'boot_mode:bios');
    assert.match(draft.warnings.join(), /Boot mode unchanged/);
  }
});

test('malformed capabilities fail the inspection and are shown in the error', () => {
  for (const malformed of ['malformed', 'a:b,c', 5, { boot_mode: 'bios' }, []]) {
    assert.throws(() => after(uefi, malformed), {
      name: 'InspectionError',
      message: /properties\/capabilities of the node is .*expected name:value pairs/,
    });
  }
});
