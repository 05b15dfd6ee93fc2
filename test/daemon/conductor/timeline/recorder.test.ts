import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KEPT_OF_NODE } from '../../../../daemon/conductor/timeline/recorder.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const MAC = '52:54:00:12:34:56';

interface Shown {
  readonly id: number;
  readonly at: string;
  readonly hop: string;
  readonly text: string;
  readonly mac: string | null;
  readonly address: string | null;
}

const eventsOf = async (daemon: InProcessDaemon, path: string) => {
  const answer = await daemon.request('GET', path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body['events'] as readonly Shown[];
};
const texts = (events: readonly Shown[]) => events.map(({ text }) => text);

describe('the timeline of a node', () => {
  it('holds the events of the node and its ports, also those from before the node existed, in the order of time', async (t) => {
    const daemon = await startInProcess(t);
    const { timeline } = daemon.services;
    timeline.record({ hop: 'dhcp', mac: MAC, address: '10.0.0.21', text: 'asked for an address' });
    timeline.flush();
    const { uuid } = await daemon.createNode();
    await daemon.createPort(uuid, MAC);
    await daemon.clock.advance(1500);
    timeline.record({ hop: 'tftp', address: '10.0.0.21', text: 'got snponly.efi' });
    timeline.record({ hop: 'power', node: uuid, text: 'power on' });
    timeline.record({ hop: 'dhcp', mac: '52:54:00:00:00:99', text: 'asked for an address' });
    const events = await eventsOf(daemon, `/v1/nodes/${uuid}/timeline`);
    assert.deepEqual(texts(events), ['asked for an address', 'got snponly.efi', 'power on']);
    assert.deepEqual(
      events.map(({ mac }) => mac),
      [MAC, MAC, null],
    );
    assert.deepEqual(
      events.map(({ at }) => at.slice(17)),
      ['00.000Z', '01.500Z', '01.500Z'],
    );
  });

  it('survives a restart and continues with higher ids', async (t) => {
    const first = await startInProcess(t);
    const { uuid } = await first.createNode();
    first.services.timeline.record({ hop: 'power', node: uuid, text: 'power on' });
    await first.stop();
    const second = await startInProcess(t, { stateDirectory: first.stateDirectory });
    second.services.timeline.record({ hop: 'power', node: uuid, text: 'power off' });
    const events = await eventsOf(second, `/v1/nodes/${uuid}/timeline`);
    assert.deepEqual(texts(events), ['power on', 'power off']);
    assert.ok((events[1]?.id ?? 0) > (events[0]?.id ?? 0));
  });

  it('is stored within a quarter of a second, without a reader', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    daemon.services.timeline.record({ hop: 'power', node: uuid, text: 'power on' });
    const stored = () => daemon.services.db.machineEvents.ofNode(uuid, { since: 0, limit: 9 }).length;
    assert.equal(stored(), 0);
    await daemon.clock.advance(250);
    assert.equal(stored(), 1);
  });

  it('keeps the newest events of a node, and one machine cannot push out those of others', async (t) => {
    const daemon = await startInProcess(t);
    const { timeline } = daemon.services;
    const [one, other] = [await daemon.createNode(), await daemon.createNode()];
    for (const { uuid: node } of [one, other]) timeline.record({ hop: 'power', node, text: 'power on' });
    for (let index = 0; index < KEPT_OF_NODE + 200; index += 1) {
      timeline.record({ hop: 'tftp', node: one.uuid, text: `request ${index}` });
      if (index % 50 === 0) timeline.flush();
    }
    timeline.flush();
    const page = { since: 0, limit: 10_000 };
    const kept = daemon.services.db.machineEvents.ofNode(one.uuid, page);
    assert.equal(kept.length, KEPT_OF_NODE + 1);
    assert.equal(kept[0]?.text, 'power on', 'strangers push out only events that anybody can make');
    assert.equal(kept.at(-1)?.text, `request ${KEPT_OF_NODE + 199}`);
    assert.equal(daemon.services.db.machineEvents.ofNode(other.uuid, page).length, 1);
  });

  it('takes at most 100 events of a machine in a quarter of a second, and logs how many it has dropped', async (t) => {
    const daemon = await startInProcess(t);
    const { timeline } = daemon.services;
    for (let index = 0; index < 150; index += 1)
      timeline.record({ hop: 'tftp', mac: MAC, text: `request ${index}` });
    timeline.flush();
    const events = await eventsOf(daemon, `/v1/unknown_machines/${MAC}/timeline`);
    assert.equal(events.length, 100);
    assert.match(daemon.log(), /"events":50,.*too many events: timelines are incomplete/);
  });

  it('is deleted with its node', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    daemon.services.timeline.record({ hop: 'power', node: uuid, text: 'power on' });
    daemon.services.timeline.flush();
    daemon.services.timeline.record({ hop: 'power', node: uuid, text: 'power off' });
    const removed = await daemon.request('DELETE', `/v1/nodes/${uuid}`);
    assert.equal(removed.status, 204, removed.text);
    daemon.services.timeline.flush();
    assert.deepEqual(daemon.services.db.machineEvents.ofNode(uuid, { since: 0, limit: 9 }), []);
  });
});

describe('following a timeline', () => {
  it('answers with the events after `since`, and waits for one when there is none', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    const path = `/v1/nodes/${uuid}/timeline`;
    daemon.services.timeline.record({ hop: 'power', node: uuid, text: 'power on' });
    const [first] = await eventsOf(daemon, path);
    const waiting = eventsOf(daemon, `${path}?since=${first?.id}&wait=30`);
    await daemon.clock.advance(5000);
    daemon.services.timeline.record({ hop: 'heartbeat', node: uuid, text: 'the agent is there' });
    await daemon.clock.advance(250);
    assert.deepEqual(texts(await waiting), ['the agent is there']);
  });

  it('is not answered by an event of another machine', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    const waiting = eventsOf(daemon, `/v1/nodes/${uuid}/timeline?wait=30`);
    await daemon.clock.advance(0);
    daemon.services.timeline.record({ hop: 'dhcp', mac: MAC, text: 'asked for an address' });
    await daemon.clock.advance(30_000);
    assert.deepEqual(await waiting, []);
  });

  it('ends at once when the daemon stops', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    const waiting = eventsOf(daemon, `/v1/nodes/${uuid}/timeline?wait=60`);
    await daemon.clock.advance(0);
    daemon.services.timeline.close();
    assert.deepEqual(await waiting, []);
  });

  it('refuses invalid numbers and unknown parameters', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    for (const query of ['wait=61', 'wait=-1', 'limit=1001', 'since=-1', 'since=x', 'other=1']) {
      const answer = await daemon.request('GET', `/v1/nodes/${uuid}/timeline?${query}`);
      assert.equal(answer.status, 400, query);
    }
  });
});

describe('unknown machines', () => {
  it('are listed with what was seen of them, the last seen first, until a node has their MAC address', async (t) => {
    const daemon = await startInProcess(t);
    const { timeline } = daemon.services;
    const list = async () => (await daemon.request('GET', '/v1/unknown_machines')).body['unknown_machines'];
    timeline.record({ hop: 'http', address: '10.0.0.77', text: 'asked for boot.ipxe' });
    timeline.record({ hop: 'dhcp', mac: MAC, text: 'asked for an address' });
    timeline.record({ hop: 'tftp', mac: MAC, text: 'got snponly.efi' });
    const time = '2026-01-01T00:00:00.000Z';
    assert.deepEqual(await list(), [
      {
        machine: MAC,
        first_seen: time,
        last_seen: time,
        events: 2,
        last_event: 'got snponly.efi',
        ignored: false,
      },
      {
        machine: '10.0.0.77',
        first_seen: time,
        last_seen: time,
        events: 1,
        last_event: 'asked for boot.ipxe',
        ignored: false,
      },
    ]);
    assert.deepEqual(texts(await eventsOf(daemon, `/v1/unknown_machines/${MAC.toUpperCase()}/timeline`)), [
      'asked for an address',
      'got snponly.efi',
    ]);
    const { uuid } = await daemon.createNode();
    await daemon.createPort(uuid, MAC);
    assert.equal(((await list()) as unknown[]).length, 1);
  });
});
