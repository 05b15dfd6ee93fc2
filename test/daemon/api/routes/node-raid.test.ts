import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { startAbleSession, uuidOf } from '../../../fakes/daemon/able-session.ts';
import { refused } from '../../../fakes/clients/api-replies.ts';

const api = await startAbleSession({ after });

const config = {
  logical_disks: [
    { size_gb: 100, raid_level: '1', is_root_volume: true },
    { size_gb: 'MAX', raid_level: '5', controller: 'c', physical_disks: ['a', { size: '> 10' }] },
  ],
};
const put = (node: string, body: unknown, version?: number) =>
  api.request('PUT', `${node}/states/raid`, { body, ...(version !== undefined && { version }) });
const propertiesOf = (driver: string, version = 115) =>
  api.request('GET', `/v1/drivers/${driver}/raid/logical_disk_properties`, { version });

test('a RAID configuration is stored as target_raid_config and shown in states', async () => {
  const node = await api.createNode('fake-hardware');
  const reply = await put(node, config);
  assert.equal(reply.status, 204);
  assert.equal(reply.json, undefined);
  const states = (await api.request('GET', `${node}/states`)).body as Record<string, unknown>;
  assert.deepEqual(states['target_raid_config'], config);
  assert.deepEqual(states['raid_config'], {});
});

test('an empty configuration clears target_raid_config, and is accepted for a driver without RAID', async () => {
  const node = await api.createNode('fake-hardware');
  await put(node, config);
  assert.equal((await put(node, {})).status, 204);
  assert.deepEqual((await api.settled(node)).target_raid_config, {});
  assert.equal((await put(await api.createNode('manual-management'), {})).status, 204);
});

test('a RAID configuration for a driver without RAID returns 404', async () => {
  const node = await api.createNode('manual-management');
  assert.match(
    refused(await put(node, config), 404),
    /manual-management does not support RAID with raid_interface no-raid\. Another one does: baremetal node set \S+ --raid-interface agent\.$/,
  );
});

test('an invalid RAID configuration is refused and changes nothing', async () => {
  const node = await api.createNode('fake-hardware');
  const disk = { size_gb: 1, raid_level: '1' };
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [[], /not of type object/],
    [{ disks: [] }, /logical_disks/],
    [{ logical_disks: [] }, /fewer than 1/],
    [{ logical_disks: [{ size_gb: 1 }] }, /raid_level/],
    [{ logical_disks: [{ raid_level: '1' }] }, /size_gb/],
    [{ logical_disks: [{ ...disk, raid_level: '7' }] }, /raid_level/],
    [{ logical_disks: [{ ...disk, size_gb: -1 }] }, /size_gb/],
    [{ logical_disks: [{ ...disk, size_gb: 'max' }] }, /size_gb/],
    [{ logical_disks: [{ ...disk, number_of_physical_disks: 0 }] }, /number_of_physical_disks/],
    [{ logical_disks: [{ ...disk, disk_type: 'tape' }] }, /disk_type/],
    [{ logical_disks: [{ ...disk, physical_disks: ['a'] }] }, /controller/],
    [{ logical_disks: [{ ...disk, colour: 'red' }] }, /additional properties/],
    [{ logical_disks: [disk], more: 1 }, /additional properties/],
    [
      {
        logical_disks: [
          { ...disk, is_root_volume: true },
          { ...disk, is_root_volume: true },
        ],
      },
      /is_root_volume/,
    ],
  ];
  for (const [body, reason] of wrong)
    assert.match(refused(await put(node, body), 400), reason, JSON.stringify(body));
  assert.deepEqual((await api.settled(node)).target_raid_config, {});
});

test('setting target_raid_config needs 1.12, an existing node and its lock', async () => {
  const node = await api.createNode('fake-hardware');
  refused(await put(node, config, 11), 406);
  assert.equal((await put(node, config, 12)).status, 204);
  refused(await put('/v1/nodes/nobody', config), 404);
  const release = api.services.locks.tryAcquire(uuidOf(node));
  assert.match(refused(await put(node, config), 409), /is locked by host/);
  release?.();
});

test("a driver's logical disk properties are described since 1.12", async () => {
  const { status, body } = await propertiesOf('fake-hardware', 12);
  assert.equal(status, 200);
  const properties = body as Record<string, string>;
  assert.match(properties['raid_level'] ?? '', /Required/);
  assert.match(properties['physical_disks'] ?? '', /Optional/);
  refused(await propertiesOf('fake-hardware', 11), 406);
});

test('logical disk properties of an unknown driver or one without RAID return 404', async () => {
  assert.match(refused(await propertiesOf('manual-management'), 404), /does not support RAID/);
  assert.match(refused(await propertiesOf('nothing'), 404), /nothing/);
});
