import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  deployBootMode,
  diskLabel,
  secureBootWanted,
} from '../../../../daemon/model/machine/deploy-capabilities.ts';
import type { JsonObject } from '../../../../daemon/model/json.ts';
import { throwsFault } from '../../../fakes/faults.ts';
import { fakeNode } from '../../../fakes/task.ts';

const nodeWith = (instance_info: JsonObject, capabilities = '') =>
  fakeNode({ instance_info, properties: { capabilities } });
const modeOf = (instance: JsonObject, ofNode?: string) => deployBootMode(nodeWith(instance, ofNode), 'uefi');

test('the boot mode is that of the instance, else of the node, else of the configuration', () => {
  assert.equal(modeOf({}), 'uefi');
  assert.equal(modeOf({}, 'boot_mode:bios'), 'bios');
  assert.equal(modeOf({ capabilities: { boot_mode: 'uefi' } }, 'boot_mode:bios'), 'uefi');
  assert.equal(modeOf({ capabilities: '{"boot_mode": "bios"}' }), 'bios');
  assert.equal(modeOf({ deploy_boot_mode: 'bios' }), 'bios');
  assert.equal(modeOf({ deploy_boot_mode: 'bios', capabilities: { boot_mode: 'uefi' } }), 'uefi');
  assert.equal(modeOf({ deploy_boot_mode: 'uefi' }, 'boot_mode:bios'), 'uefi');
});

test('Secure Boot sets the boot mode to UEFI, and is off unless a capability asks for it', () => {
  assert.equal(modeOf({ capabilities: { secure_boot: 'true' } }, 'boot_mode:bios'), 'uefi');
  assert.equal(secureBootWanted(nodeWith({}, 'secure_boot:True')), true);
  assert.equal(secureBootWanted(nodeWith({})), false);
});

test('the partition table follows the boot mode unless a capability names one', () => {
  assert.equal(diskLabel(nodeWith({}), 'uefi'), 'gpt');
  assert.equal(diskLabel(nodeWith({}, 'boot_mode:bios'), 'uefi'), 'msdos');
  assert.equal(diskLabel(nodeWith({}, 'boot_mode:bios,disk_label:gpt'), 'uefi'), 'gpt');
});

const refused = (capabilities: JsonObject, reason: RegExp) =>
  throwsFault(() => diskLabel(nodeWith({ capabilities }), 'uefi'), 400, reason);

test('an unknown boot mode, Secure Boot setting or disk label is refused, and the valid ones are listed', () => {
  refused({ boot_mode: 'legacy' }, /capability boot_mode: "legacy"; expected bios or uefi/);
  refused({ secure_boot: 'maybe' }, /capability secure_boot: "maybe"; expected true or false/);
  refused({ disk_label: 'apm' }, /capability disk_label: "apm"; expected gpt or msdos/);
});
