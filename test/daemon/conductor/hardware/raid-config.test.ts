import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { checkRaidConfig } from '../../../../daemon/conductor/hardware/raid-config.ts';
import { Fault } from '../../../../daemon/model/faults.ts';
import type { JsonObject } from '../../../../daemon/model/json.ts';
import { logicalDiskSchema } from '../../../../daemon/model/steps/raid.ts';

const disk = fc.record(
  {
    size_gb: fc.oneof(fc.nat(), fc.constant('MAX')),
    raid_level: fc.constantFrom('JBOD', '0', '1', '2', '5', '6', '1+0', '5+0', '6+0'),
    volume_name: fc.string(),
    share_physical_disks: fc.boolean(),
    disk_type: fc.constantFrom('hdd', 'ssd'),
    interface_type: fc.constantFrom('sata', 'scsi', 'sas'),
    number_of_physical_disks: fc.integer({ min: 1 }),
    controller: fc.string(),
  },
  { requiredKeys: ['size_gb', 'raid_level'] },
);

test('every RAID configuration that matches the schema is accepted', () => {
  fc.assert(
    fc.property(fc.array(disk, { minLength: 1, maxLength: 4 }), (disks) => {
      assert.doesNotThrow(() => checkRaidConfig(logicalDiskSchema, { logical_disks: disks }));
    }),
    { numRuns: 20 },
  );
});

test('an arbitrary RAID configuration is accepted or rejected with InvalidSchema', () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.record({ size_gb: fc.jsonValue(), raid_level: fc.jsonValue() }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.array(anything)), (disks) => {
      try {
        checkRaidConfig(logicalDiskSchema, { logical_disks: disks } as JsonObject);
      } catch (error) {
        assert.ok(error instanceof Fault);
        assert.equal(error.code, 'InvalidSchema');
      }
    }),
    { numRuns: 50 },
  );
});

test('a driver can define its own RAID properties', () => {
  const own = { properties: { stripes: { type: 'integer', description: 'How many.' } }, required: [] };
  assert.doesNotThrow(() => checkRaidConfig(own, { logical_disks: [{ stripes: 2 }] }));
  assert.throws(() => checkRaidConfig(own, { logical_disks: [{ size_gb: 2 }] }), { code: 'InvalidSchema' });
});
