// Setting the wall clock forward or back changes no timeout of a running daemon.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFastTrack } from '../../../../daemon/conductor/tasks/agent-state.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { startStepping, step, type SteppingSession } from '../../../fakes/machines/stepping-session.ts';
import { steppingAgent } from '../../../fakes/machines/stepping-agent.ts';

const DAY = 86_400_000;
const ini = `clean_callback_timeout = 100
service_callback_timeout = 100
deploy_callback_timeout = 100
rescue_callback_timeout = 100
inspect_wait_timeout = 100
check_provision_state_interval = 10
`;

interface Waiting {
  readonly what: string;
  readonly begin: (daemon: SteppingSession) => Promise<string>;
  /** The state after 100 s. */
  readonly end: string;
}

const waits: readonly Waiting[] = [
  {
    what: 'a cleaning that waits for its ramdisk',
    async begin(daemon) {
      const node = await daemon.stepping('manageable');
      await daemon.verb(node, 'clean', { clean_steps: [step('deploy.wipe')] });
      return node;
    },
    end: 'clean failed',
  },
  {
    what: 'a step that waits for 100 s',
    async begin(daemon) {
      const node = await daemon.stepping('manageable');
      const steps = [{ ...step('power.wait'), args: { seconds: 100 } }];
      await daemon.verb(node, 'clean', { clean_steps: steps, disable_ramdisk: true });
      return node;
    },
    end: 'manageable',
  },
];

for (const { what, begin, end } of waits)
  for (const jump of [DAY, -DAY])
    test(`${what} ends on time after a clock change of ${jump / DAY} day`, async (t) => {
      const daemon = await startStepping(t, { ini });
      const node = await begin(daemon);
      const [begun] = await daemon.state(node);
      assert.match(begun ?? '', /wait$/);
      await daemon.clock.advance(50_000);
      daemon.clock.set(jump);
      await daemon.clock.advance(49_999);
      assert.deepEqual((await daemon.state(node))[0], begun);
      await daemon.clock.advance(11);
      assert.equal((await daemon.state(node))[0], end);
      assert.equal(daemon.log().match(/the clock of this machine was set/g)?.length, 1);
    });

for (const jump of [DAY, -DAY])
  test(`an inspection ends on time after a clock change of ${jump / DAY} day`, async (t) => {
    const daemon = await startInProcess(t, { ini: `[conductor]\n${ini}`, loops: true });
    const { uuid } = await daemon.createNode({ driver: 'lab' });
    daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
    await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'inspect' } });
    await daemon.idle();
    await daemon.clock.advance(50_000);
    daemon.clock.set(jump);
    await daemon.clock.advance(49_999);
    assert.equal(daemon.node(uuid).provision_state, 'inspect wait');
    await daemon.clock.advance(11);
    await daemon.idle();
    assert.equal(daemon.node(uuid).provision_state, 'inspect failed');
  });

test('a clock change does not affect the age of a heartbeat', async (t) => {
  const daemon = await startStepping(t, {
    ini: `${ini}[deploy]\nfast_track = true\nfast_track_timeout = 300\n`,
  });
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  await agent.boot();
  await agent.beat();
  const isFast = () => isFastTrack(daemon.services, daemon.node(node));
  assert.equal(isFast(), true);
  daemon.clock.set(DAY);
  await daemon.clock.advance(299_000);
  assert.equal(isFast(), true);
  daemon.clock.set(-2 * DAY);
  await daemon.clock.advance(1001);
  assert.equal(isFast(), false);
});

test('a wait begins anew when the daemon starts with a clock that is far behind', async (t) => {
  const first = await startStepping(t, { ini });
  const node = await waits[0]?.begin(first);
  assert.ok(node);
  await first.idle();
  await first.stop();
  first.clock.set(-50 * 365 * DAY);
  const second = await startStepping(t, { ini, clock: first.clock, stateDirectory: first.stateDirectory });
  await second.clock.advance(10_000);
  second.clock.set(50 * 365 * DAY);
  await second.clock.advance(89_999);
  assert.equal(second.node(node).provision_state, 'clean wait');
  await second.clock.advance(11);
  assert.equal((await second.state(node))[0], 'clean failed');
});
