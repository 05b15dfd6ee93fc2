import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../daemon/model/json.ts';
import { detectedDeployInterface } from '../../../../daemon/model/machine/deploy-detection.ts';

const ALL = ['ramdisk', 'bootc', 'anaconda', 'ansible', 'direct'];
const detected = (instance_info: JsonObject, driver_info: JsonObject = {}, interfaces = ALL) =>
  detectedDeployInterface(interfaces, { instance_info, driver_info });
const disk = { image_source: 'https://i/debian.qcow2' };
const kernel = { kernel: 'https://i/k', ramdisk: 'https://i/r' };

for (const [what, found, expected] of [
  ['a disk image', detected(disk), 'direct'],
  ['a node with empty driver_info and instance_info', detected({}), 'direct'],
  ['a CD image', detected({ boot_iso: 'https://i/live.iso' }), 'ramdisk'],
  ['kernel and ramdisk', detected(kernel), 'ramdisk'],
  ['the kernel and ramdisk of a partition image', detected({ ...disk, ...kernel }), 'direct'],
  [
    'a partition image with ironic_ramdisk_deploy',
    detected({ ...disk, ...kernel, ironic_ramdisk_deploy: true }),
    'ramdisk',
  ],
  ['a bootable container', detected({ image_source: 'oci://r/os:1', image_disk_format: 'bootc' }), 'bootc'],
  ['a disk image in a registry', detected({ image_source: 'oci://r/disk:1' }), 'direct'],
  ['the second stage of an installer', detected({ ...disk, ...kernel, stage2: 'https://i/s' }), 'anaconda'],
  ['a user for Ansible', detected(disk, { ansible_username: 'deploy' }), 'ansible'],
  [
    'a CD image when neither bootc nor custom-agent, the last in the list, suits it',
    detected({ boot_iso: 'x' }, {}, ['bootc', 'custom-agent']),
    'custom-agent',
  ],
] as const)
  test(`autodetect chooses ${expected} for ${what}`, () => assert.equal(found, expected));

test('the first listed interface that suits the node is chosen; toString suits no node, and an empty list gives undefined', () => {
  const both = { ...disk, stage2: 'https://i/s' };
  assert.equal(detected(both, { ansible_username: 'x' }, ['ansible', 'anaconda', 'direct']), 'ansible');
  assert.equal(detected({}, {}, ['toString', 'direct']), 'direct');
  assert.equal(detected({}, {}, []), undefined);
});
