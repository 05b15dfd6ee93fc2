// Many BMCs, of which some are dead and some never answer. REDFISH_BMCS: how many, 40 unless set.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeRedfish, shapeNames, startFakeRedfish } from '#plugin-api/fake-redfish';
import { startInProcess } from '../../fakes/in-process-daemon.ts';

const COUNT = Number(process.env['REDFISH_BMCS'] ?? 40);
const EACH_TWENTIETH = 20;
const PERIODS = 5;
const READ_TIMEOUT = 20;
const WORKERS = 8;

test('dead and silent BMCs delay the power sync of no other, and no session is left behind', async (t) => {
  const daemon = await startInProcess(t, {
    loops: true,
    ini: `enabled_hardware_types = redfish
[conductor]
sync_power_state_interval = 60
sync_power_state_workers = ${WORKERS}
power_state_sync_max_retries = 1000
[redfish]
read_timeout = ${READ_TIMEOUT}
`,
  });
  const rack: FakeRedfish[] = [];
  t.after(() => Promise.all(rack.map((each) => each.stop())));
  for (let number = 0; number < COUNT; number += 1) {
    const shape = shapeNames[number % shapeNames.length] ?? 'plain';
    const fake = await startFakeRedfish({ shape });
    rack.push(fake);
    const { uuid } = await daemon.createNode({
      driver: 'redfish',
      driver_info: {
        redfish_address: fake.address,
        redfish_username: 'admin',
        redfish_password: 'secret',
        redfish_system_id: fake.bmc.paths.system,
      },
    });
    await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'manage' } });
    await daemon.idle();
    assert.equal(daemon.node(uuid).provision_state, 'manageable');
  }
  const dead = rack.filter((_, index) => index % EACH_TWENTIETH === 1);
  const silent = rack.filter((_, index) => index % EACH_TWENTIETH === 2);
  const healthy = rack.filter((each) => !dead.includes(each) && !silent.includes(each));
  await Promise.all(dead.map((each) => each.stop()));
  for (const { bmc } of silent) bmc.faults.add({ times: 10_000, does: { kind: 'silence' } });
  for (const { bmc } of rack) bmc.forget();
  const begun = daemon.clock.monotonic();
  const deadline = Date.now() + 500_000;
  const asked = () => healthy.reduce((sum, { bmc }) => sum + bmc.requests.length, 0);
  while (
    !healthy.every(({ bmc }) => bmc.requests.filter((request) => isSync(bmc, request)).length >= PERIODS)
  ) {
    const before = asked();
    // real sockets need real time, in which the daemon's clock stands still
    await sleep(20);
    if (asked() === before) await daemon.clock.advance(1000);
    assert.ok(Date.now() < deadline);
  }
  for (const { bmc } of healthy) {
    // once an hour: Secure Boot, and the boot mode where only the boot settings have it
    const others = bmc.requests.filter((request) => !isSync(bmc, request)).map(({ path }) => path);
    const { system, boot } = bmc.paths;
    const expected = boot === system ? [`${system}/SecureBoot`] : [boot, `${system}/SecureBoot`];
    assert.deepEqual(others, expected);
  }
  const seconds = (daemon.clock.monotonic() - begun) / 1000;
  // silent BMCs hold up three rounds, until nobody waits for them any more
  const heldUp = 3 * READ_TIMEOUT * Math.ceil(silent.length / WORKERS);
  assert.ok(seconds <= PERIODS * 60 + heldUp + 60, `${seconds} s`);
  t.diagnostic(
    `${COUNT} BMCs, ${PERIODS} syncs of ${healthy.length} in ${Math.round(seconds)} s of the daemon's time`,
  );
  for (const { bmc } of silent) bmc.faults.clear();
  await daemon.stop();
  assert.deepEqual(
    [...healthy, ...silent].map(({ bmc }) => bmc.sessions.open.size).filter((open) => open > 0),
    [],
  );
});

const isSync = ({ paths }: FakeRedfish['bmc'], { method, path }: { method: string; path: string }): boolean =>
  method === 'GET' && path === paths.system;
