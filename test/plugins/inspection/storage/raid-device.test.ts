import assert from 'node:assert/strict';
import test from 'node:test';
import type { JsonObject } from '#plugin-api';
import { raidDevice } from '../../../../plugins/inspection/storage/raid-device.ts';
import { draftOf } from '../draft.ts';

const inventory = (serials: readonly (string | null)[]): JsonObject => ({
  disks: serials.map((serial) => ({ serial })),
});

function after(previous: JsonObject | undefined, current: JsonObject, properties: JsonObject = {}) {
  const draft = draftOf({
    inventory: current,
    properties,
    ...(previous && { previousInventory: previous }),
  });
  raidDevice.call?.(draft);
  return { properties: draft.node.properties, warnings: draft.warnings };
}

test('the only new disk becomes the root device', () => {
  const B = { root_device: { serial: 'B' } };
  assert.deepEqual(after(inventory(['A']), inventory(['A', 'B'])).properties, B);
  assert.deepEqual(after(inventory(['A', 'C']), inventory(['B', 'B', '', null])).properties, B);
  assert.deepEqual(after({}, inventory(['B'])).properties, B);
});

test('with no new disk or several, no root device is set and a warning is logged', () => {
  for (const serials of [['A'], ['A', 'B', 'C']]) {
    const { properties, warnings } = after(inventory(['A']), inventory(serials));
    assert.deepEqual(properties, {});
    assert.match(warnings.join(), /No root device set: [02] disks are new/);
  }
  assert.match(after(inventory(['A']), { disks: null }).warnings.join(), /no disk .* has a serial number/);
});

test('a first inspection sets no root_device, and an existing root_device stays', () => {
  assert.deepEqual(after(undefined, inventory(['A'])), { properties: {}, warnings: [] });
  const set = { root_device: { name: '/dev/sda' } };
  assert.deepEqual(after(inventory(['A']), inventory(['A', 'B']), set), { properties: set, warnings: [] });
});
