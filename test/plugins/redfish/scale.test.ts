// Many BMCs, of which some are stopped and some never answer. REDFISH_BMCS: how many, 40 unless set.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FakeRedfish, shapeNames, startFakeRedfish } from '#plugin-api/fake-redfish';
import { requestsInFlight, settled } from '../../fakes/daemon/in-flight.ts';
import { type InProcessDaemon, startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

const COUNT = Number(process.env['REDFISH_BMCS'] ?? 40);
const EACH_TWENTIETH = 20;
const PERIODS = 5;
const INTERVAL = 60;
const READ_TIMEOUT = 20;
/** The longest pause before the daemon asks a BMC again that does not answer. */
const LONGEST_PAUSE = 300;
const WORKERS = 8;

test('BMCs that are stopped or never answer do not delay the power sync of others, and no session stays open', async (t) => {
  const rack: FakeRedfish[] = [];
  // registered first, so that the BMCs stop before the daemon, which waits for those that do not answer
  t.after(() => Promise.all(rack.map((each) => each.stop())));
  const daemon = await startInProcess(t, {
    loops: true,
    ini: `enabled_hardware_types = redfish
[conductor]
sync_power_state_interval = ${INTERVAL}
sync_power_state_workers = ${WORKERS}
power_state_sync_max_retries = 1000
[redfish]
read_timeout = ${READ_TIMEOUT}
`,
  });
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
  const silentAddresses = new Set(silent.map(({ address }) => address));
  const requests = requestsInFlight(t, ({ origin }) => silentAddresses.has(String(origin)));
  const begun = secondsOf(daemon);
  const syncs = new Map(healthy.map((each) => [each, [] as number[]]));
  const until = async (limitSeconds: number, is: () => boolean) => {
    const limit = secondsOf(daemon) + limitSeconds;
    for (;;) {
      await settled(() => requests.size === 0);
      noteSyncs(syncs, secondsOf(daemon));
      if (is()) return;
      assert.ok(secondsOf(daemon) <= limit, `not within ${limitSeconds} s`);
      await daemon.clock.advance((daemon.clock.nextDue ?? 0) - daemon.clock.now());
    }
  };
  await until(INTERVAL * PERIODS, () => [...syncs.values()].every((times) => times.length >= PERIODS));
  const gaps = [...syncs.values()].flatMap((times) =>
    times.slice(1).map((at, index) => at - (times[index] ?? 0)),
  );
  for (const { bmc } of healthy) assertAskedLittle(bmc);
  const taken = Math.max(...[...syncs.values()].flat()) - begun;
  t.diagnostic(
    `${COUNT} BMCs, ${PERIODS} syncs of ${healthy.length} in ${taken} s of the daemon's time, ` +
      `at most ${Math.max(...gaps)} s apart, ${rack.flatMap(({ bmc }) => bmc.requests).length} requests`,
  );
  for (const { bmc } of silent) bmc.faults.clear();
  silentAddresses.clear();
  await until(LONGEST_PAUSE + 2 * INTERVAL, () =>
    silent.every(({ bmc }) => bmc.requests.at(-1)?.status === 200),
  );
  await daemon.stop();
  assert.deepEqual(
    [...healthy, ...silent].map(({ bmc }) => bmc.sessions.open.size).filter((open) => open > 0),
    [],
  );
});

const isSync = ({ paths }: FakeRedfish['bmc'], { method, path }: { method: string; path: string }): boolean =>
  method === 'GET' && path === paths.system;

function noteSyncs(syncs: ReadonlyMap<FakeRedfish, number[]>, now: number): void {
  for (const [{ bmc }, times] of syncs) {
    const count = bmc.requests.filter((request) => isSync(bmc, request)).length;
    while (times.length < count) times.push(now);
  }
}

/** Asserts that a BMC was asked, besides its power state, once for Secure Boot and at most once for its boot settings. */
function assertAskedLittle(bmc: FakeRedfish['bmc']): void {
  const others = bmc.requests.filter((request) => !isSync(bmc, request)).map(({ path }) => path);
  const { system, boot } = bmc.paths;
  assert.deepEqual(
    others.filter((path) => path !== boot || path === system),
    [`${system}/SecureBoot`],
  );
  assert.ok(others.length <= 2, others.join());
}

const secondsOf = ({ clock }: InProcessDaemon): number => clock.monotonic() / 1000;
