import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../../daemon/model/faults.ts';
import type { Json, JsonObject } from '../../../../daemon/model/json.ts';
import { diskTest } from '../../../../daemon/model/instance/root-device-hints.ts';

const disks: readonly JsonObject[] = [
  {
    name: '/dev/sda',
    model: 'PERC H740P Mini',
    size: 479559942144,
    rotational: false,
    wwn: '0x6d09466062a8d300',
    serial: '6d09466062a8d30025f7c9a51b2e9c10',
    vendor: 'DELL',
    wwn_with_extension: '0x6d09466062a8d30025f7c9a51b2e9c10',
    wwn_vendor_extension: '0x25f7c9a51b2e9c10',
    hctl: '0:2:0:0',
    by_path: '/dev/disk/by-path/pci-0000:18:00.0-scsi-0:2:0:0',
  },
  {
    name: '/dev/nvme0n1',
    model: 'SAMSUNG MZQL21T9HCJR-00A07',
    size: 1920383410176,
    rotational: false,
    wwn: 'eui.36344630526001480025384300000001',
    serial: 'S64GNE0R600148',
    vendor: null,
    wwn_with_extension: null,
    wwn_vendor_extension: null,
    hctl: null,
    by_path: '/dev/disk/by-path/pci-0000:65:00.0-nvme-1',
  },
  {
    name: '/dev/sdb',
    model: 'ST2000NX0463',
    size: 2000398934016,
    rotational: true,
    wwn: '0x5000c500a1b2c3d4',
    serial: '',
    vendor: 'SEAGATE',
    wwn_with_extension: null,
    wwn_vendor_extension: null,
    hctl: '0:0:3:0',
    by_path: null,
  },
];
const names = new Map([
  ['/dev/sda', 'A'],
  ['/dev/nvme0n1', 'B'],
  ['/dev/sdb', 'C'],
]);

/** Returns the letter of the first disk that matches, null if none does, or `refused` for invalid hints. */
function chosen(hints: Json): string | null {
  try {
    const { name } = disks.find(diskTest('properties/root_device', hints)) ?? { name: '' };
    return names.get(name as string) ?? null;
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'InvalidParameter', String(error));
    assert.match(
      error.message,
      /^Invalid input for properties\/root_device(\/\w+)?: (expected|there is no such hint)/,
    );
    return 'refused';
  }
}

const cases: readonly (readonly [Json, 'A' | 'B' | 'C' | 'refused' | null])[] = [
  [{ serial: 'S64GNE0R600148' }, 'B'],
  [{ model: '<in> samsung' }, 'B'],
  [{ model: 'PERC H740P' }, null],
  [{ vendor: 'dell' }, 'A'],
  [{ size: 446 }, null],
  [{ size: '!= 446' }, 'A'],
  [{ size: '> 1700' }, 'B'],
  [{ size: '= 1000' }, 'B'],
  [{ size: '<range-in> ( 1800 1900 )' }, 'C'],
  [{ size: '<or> 446 <or> 447' }, null],
  [{ rotational: 'yes' }, 'C'],
  [{ rotational: 'maybe' }, 'refused'],
  [{ name: 's== /dev/nvme0n1' }, 'B'],
  [{ hctl: '<in> 0:0' }, 'A'],
  [{ by_path: '<in> nvme' }, 'B'],
  [{ wwn: '<or> 0xdead <or> 0x5000c500a1b2c3d4' }, 'C'],
  [{ size: '>= 400', rotational: false, vendor: '<in> samsung' }, null],
  [{ size: 0 }, 'refused'],
  [{ size: 'abc' }, 'refused'],
  [{ serial: '' }, 'refused'],
  [{ vendor: 'none' }, 'B'],
  [{ model: 's>= st' }, 'C'],
  [{ tran: 'nvme' }, 'refused'],
  [{ size: '  >=   500 ' }, 'B'],
  [{ size: '< 447' }, 'A'],
  [{ vendor: 's== SEAGATE' }, 'C'],
  [{ rotational: 1 }, 'C'],
  [{ serial: 's64gne0r600148' }, 'B'],
  [{ model: '<in> PERC H740P' }, 'A'],
  [{ model: 's!= PERC H740P Mini' }, 'B'],
  [{ vendor: '<or> hp <or> seagate' }, 'C'],
  [{ size: '>= 500' }, 'B'],
  [{ size: '<= 1000' }, 'A'],
  [{ rotational: true }, 'C'],
  [{ rotational: 'false' }, 'A'],
  [{ by_path: '/dev/disk/by-path/pci-0000:65:00.0-nvme-1' }, 'B'],
  [{ wwn: '0x5000C500A1B2C3D4' }, 'C'],
  [{ model: '<in> mzql21t9hcjr-00a07 <in> x' }, 'B'],
  [{ size: '<range-in> [ 446 447 ]' }, 'A'],
  [{ size: '<range-in> ( 1788.5 1900 )' }, 'C'],
  [{ size: -5 }, 'refused'],
  [{ size: true }, 'refused'],
  [{ size: null }, 'refused'],
  [{ size: 's== 446' }, 'refused'],
  [{ size: '<in> 446' }, 'refused'],
  [{ size: '<range-in> [ 20 10 ]' }, 'refused'],
  [{ size: '<range-in> 10 20' }, 'refused'],
  [{ size: '>= 5 6' }, 'refused'],
  [{ model: '!= PERC' }, 'refused'],
  [{ model: '<all-in> a b' }, 'refused'],
  [{ model: '<range-in> [ 1 2 ]' }, 'refused'],
  [{ model: 's==' }, 'refused'],
  [{ model: 's== <in> x' }, 'refused'],
  [{ model: '   ' }, 'refused'],
  [{ model: '<or>' }, 'refused'],
  [{ model: 5 }, 'refused'],
  [{ serial: null }, 'refused'],
  [{ __proto__x: 'a' }, 'refused'],
  [{}, 'refused'],
  [[], 'refused'],
  ['sda', 'refused'],
];

for (const [hints, expected] of cases) {
  test(`the hints ${JSON.stringify(hints)} result in ${expected ?? 'no disk'}`, () =>
    assert.equal(chosen(hints), expected));
}

test('sizes are compared to the byte', () => {
  const whole = { size: 20 * 2 ** 30 };
  const more = { size: 20.5 * 2 ** 30 };
  const first = (size: Json) => [whole, more].find(diskTest('x', { size }));
  assert.equal(first(20), whole);
  assert.equal(first('> 20'), more);
  assert.equal(first('<range-in> ( 20 21 )'), more);
  assert.equal(diskTest('x', { size: 20 })({ size: 20 * 2 ** 30 + 1 }), false);
});

test('a disk with several serial numbers matches if any of them does', () => {
  const isMeant = diskTest('x', { serial: 's== AB 1' });
  assert.equal(isMeant({ serial: ['x', null, ' ab 1 '] }), true);
  assert.equal(isMeant({ serial: ['x'] }), false);
  assert.equal(isMeant({ serial: [] }), false);
});

test('a hint does not match a disk whose value for it is missing or malformed', () => {
  for (const value of [undefined, null, '', ' ', {}, [], false, 'banana']) {
    const disk = value === undefined ? {} : { size: value, rotational: value, model: value };
    assert.equal(diskTest('x', { size: '> 1' })(disk as JsonObject), false);
    assert.equal(diskTest('x', { rotational: true })(disk as JsonObject), false);
    assert.equal(diskTest('x', { model: 'perc' })(disk as JsonObject), false);
    assert.equal(diskTest('x', { model: '> 1' })(disk as JsonObject), false);
  }
});
