import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json, JsonObject } from '#plugin-api';
import { rootDevice } from '../../../../plugins/inspection/storage/root-device.ts';
import { draftOf } from '../draft.ts';

const GIB = 2 ** 30;
const A = { name: '/dev/sda', vendor: 'DELL', size: 479_559_942_144, serial: 'a' };
const B = { name: '/dev/nvme0n1', vendor: null, size: 1_920_383_410_176, serial: 'S64GNE0R600148' };
const C = { name: '/dev/sdb', vendor: 'SEAGATE', size: 2_000_398_934_016, serial: '' };

function after(properties: JsonObject, root_disk?: Json, disk_partitioning_spacing = '1') {
  const draft = draftOf({
    inventory: { disks: [A, B, C, null] },
    properties,
    pluginData: root_disk === undefined ? {} : { root_disk },
    inspector: { disk_partitioning_spacing },
  });
  rootDevice.call?.(draft);
  const { local_gb } = draft.node.properties;
  assert.equal(draft.pluginData['local_gb'], local_gb);
  return { disk: draft.pluginData['root_disk'], local_gb, warnings: draft.warnings };
}

const cases: readonly (readonly [string, JsonObject, Json | undefined, unknown, number])[] = [
  ['hints', { root_device: { serial: 's64gne0r600148' } }, A, B, 1787],
  ['no hints', {}, A, A, 445],
  ['empty hints', { root_device: {} }, A, A, 445],
  ['an empty list of hints', { root_device: [] }, A, A, 445],
  ['hints set to false', { root_device: false }, A, A, 445],
  [
    'an empty object as skip_block_devices',
    { root_device: { serial: 'a' }, skip_block_devices: {} },
    undefined,
    A,
    445,
  ],
  ['neither hints nor a root disk', {}, undefined, undefined, 0],
  [
    'hints and a disk to skip',
    { root_device: { vendor: '<or> dell <or> seagate' }, skip_block_devices: [{ name: '/dev/sda' }] },
    undefined,
    C,
    1862,
  ],
  ['a disk to skip but no hints', { skip_block_devices: [{ name: '/dev/sda' }] }, A, A, 445],
];

for (const [title, properties, rootDisk, disk, localGb] of cases) {
  test(`with ${title}, local_gb is ${localGb}`, () => {
    const found = after(properties, rootDisk);
    assert.deepEqual([found.disk, found.local_gb], [disk, localGb]);
  });
}

test('local_gb is the size of the root disk in whole GiB minus disk_partitioning_spacing, and 0 if negative or unknown', () => {
  const sizes: readonly (readonly [Json, string, number])[] = [
    [GIB - 1, '1', 0],
    [GIB, '1', 0],
    [5 * GIB, 'true', 4],
    [5 * GIB, 'False', 5],
    [5 * GIB + 7, '0', 5],
    [5 * GIB, '3', 2],
    [5 * GIB, '9', 0],
    [null, '1', 0],
    ['5', '1', 0],
  ];
  for (const [size, spacing, expected] of sizes)
    assert.equal(after({}, { size }, spacing).local_gb, expected, JSON.stringify([size, spacing]));
  assert.match(after({}, { size: null }).warnings.join(), /unknown size/);
});

test('unsatisfied and invalid hints fail the inspection and change nothing', () => {
  const failures: readonly (readonly [JsonObject, RegExp])[] = [
    [{ root_device: { name: '/dev/sdz' } }, /No disks satisfied .*sdz.*Disks: \["\/dev\/sda"\]/],
    [{ root_device: { vendor: 'dell' }, skip_block_devices: [{ size: '< 500' }] }, /No disks satisfied/],
    [{ root_device: { banana: 1 } }, /properties\/root_device\/banana: there is no such hint/],
    [{ root_device: 'sda' }, /properties\/root_device: expected an object of hints/],
    [
      { root_device: { name: 'x' }, skip_block_devices: [{ size: 'x' }] },
      /skip_block_devices\/size: expected/,
    ],
    [{ root_device: { name: 'x' }, skip_block_devices: { a: 1 } }, /skip_block_devices of the node is \{"a"/],
    [{ root_device: ['sda'] }, /properties\/root_device: expected an object of hints/],
  ];
  for (const [properties, message] of failures) {
    const draft = draftOf({
      inventory: { disks: [A] },
      properties: { ...properties, local_gb: 7 },
      pluginData: { root_disk: A },
    });
    assert.throws(() => rootDevice.call?.(draft), { name: 'InspectionError', message });
    assert.deepEqual([draft.node.properties['local_gb'], draft.pluginData], [7, { root_disk: A }]);
  }
});

test('an empty root_device that is not an object is logged as a warning', () => {
  assert.match(
    after({ root_device: [] }, A).warnings.join(),
    /root_device of the node is \[\], expected an object of hints; the hints are ignored/,
  );
  assert.deepEqual(after({ root_device: {} }, A).warnings, []);
});

test('an invalid disk_partitioning_spacing is refused at startup', () => {
  for (const spacing of ['', '-1', 'yes', '1.5']) {
    assert.throws(
      () => rootDevice.checkConfiguration?.({ inspector: { disk_partitioning_spacing: spacing } }),
      /disk_partitioning_spacing = .*: expected a number of GiB, true \(1\) or false \(0\)/,
    );
  }
});
