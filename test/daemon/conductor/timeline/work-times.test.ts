import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { transition } from '../../../../daemon/conductor/tasks/transition.ts';
import { readUsualTimes } from '../../../../daemon/ui/read/usual-times.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const timesOf = ({ services }: InProcessDaemon, node: string) =>
  services.db.workTimes.newest(node, 10).map(({ work, seconds }) => [work, seconds]);

async function verify(daemon: InProcessDaemon, uuid: string, seconds: number, end: 'done' | 'fail') {
  const { services, clock } = daemon;
  transition(services, daemon.node(uuid), 'manage', { startsWork: true });
  await clock.advance(seconds * 1000);
  transition(services, daemon.node(uuid), end, end === 'fail' ? { error: 'No answer.' } : {});
}

describe('the durations of work', () => {
  it('are stored for work that succeeds, and not for work that fails', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    await verify(daemon, uuid, 5, 'fail');
    assert.deepEqual(timesOf(daemon, uuid), []);
    await verify(daemon, uuid, 40, 'done');
    assert.deepEqual(timesOf(daemon, uuid), [['verifying', 40]]);
  });

  it('are stored for each step', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
    const clean_steps = [{ interface: 'power', step: 'power_on', args: {} }];
    const body = { target: 'clean', clean_steps, disable_ramdisk: true };
    const answer = await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body });
    assert.equal(answer.status, 202, answer.text);
    await daemon.idle();
    assert.deepEqual(
      timesOf(daemon, uuid).map(([work]) => work),
      ['cleaning', 'clean power.power_on'],
    );
  });

  it('are stored for the hops of a boot when the agent sends its first heartbeat', async (t) => {
    const daemon = await startInProcess(t);
    const { services, clock } = daemon;
    const { uuid } = await daemon.createNode();
    await daemon.createPort(uuid, '52:54:00:00:00:01');
    const see = (hop: 'power' | 'dhcp' | 'heartbeat', text: string) =>
      services.timeline.record({
        hop,
        ...(hop === 'dhcp' ? { mac: '52:54:00:00:00:01' } : { node: uuid }),
        text,
      });
    see('power', 'power changed: power on');
    await clock.advance(70_000);
    see('dhcp', 'asked for an address');
    assert.deepEqual(timesOf(daemon, uuid), []);
    await clock.advance(30_000);
    see('heartbeat', 'sent a heartbeat');
    await clock.advance(60_000);
    see('heartbeat', 'sent a heartbeat');
    assert.deepEqual(timesOf(daemon, uuid), [
      ['boot heartbeat', 100],
      ['boot dhcp', 70],
    ]);
  });

  it('are limited in number for each node and kind of work', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    for (let round = 1; round <= 20; round += 1) daemon.services.workTimes.store(uuid, ['cleaning', round]);
    const kept = daemon.services.db.workTimes.newest(uuid, 100);
    assert.deepEqual([kept.length, kept.at(-1)?.seconds], [15, 6]);
  });

  it('give the usual duration of work on a node, or on all nodes of its model while the node has too few durations', async (t) => {
    const daemon = await startInProcess(t);
    const { services } = daemon;
    const old = await daemon.createNode();
    const fresh = await daemon.createNode();
    const other = await daemon.createNode();
    for (const [{ uuid }, product_name] of [
      [old, 'X100'],
      [fresh, 'X100'],
      [other, 'Y7'],
    ] as const)
      services.db.inventory.put(uuid, 'now', {
        inventory: JSON.stringify({ system_vendor: { product_name } }),
        plugin_data: '{}',
      });
    for (const seconds of [30, 40, 50]) services.workTimes.store(old.uuid, ['cleaning', seconds]);
    services.workTimes.store(fresh.uuid, ['cleaning', 900]);
    const usual = readUsualTimes(
      services,
      [old, fresh, other].map(({ uuid: node }) => ({ node, work: 'cleaning' })),
    );
    assert.deepEqual(
      [old, fresh, other].map(({ uuid }) => usual(uuid, 'cleaning')),
      [40, 50, undefined],
    );
  });
});
