import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settled } from '../../../fakes/clock.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const ACCEPT = { accept: 'text/event-stream' };

async function open(daemon: InProcessDaemon, query = '', headers = {}) {
  const request = new Request(`http://ironic.test/v1/events/stream${query}`, {
    headers: { ...ACCEPT, ...headers },
  });
  const response = await daemon.app.fetch(request);
  const reader = response.body?.getReader();
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    retryAfter: response.headers.get('retry-after'),
    /** The next part of the stream; undefined at its end. */
    async next() {
      const part = await reader?.read();
      return part?.value === undefined ? undefined : new TextDecoder().decode(part.value);
    },
    close: () => reader?.cancel(),
  };
}

const maintain = (daemon: InProcessDaemon, node: string, isOn: boolean) =>
  daemon.services.db.nodes.update(node, { maintenance: isOn });
const idsIn = (text: string | undefined) =>
  [...(text ?? '').matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
const greeting = (text: string | undefined) => /^event: (\w+)$/m.exec(text ?? '')?.[1];

describe('the event stream', () => {
  it('begins with a greeting and sends each event when it is stored', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    const stream = await open(daemon);
    assert.deepEqual([stream.status, stream.type], [200, 'text/event-stream; charset=utf-8']);
    assert.equal(await stream.next(), 'retry: 2000\nevent: hello\nid: 1\ndata: {"newest":1}\n\n');
    const next = stream.next();
    maintain(daemon, uuid, true);
    const text = await next;
    assert.deepEqual(idsIn(text), [2]);
    const data = /^data: (.*)$/m.exec(text ?? '')?.[1] ?? '';
    assert.equal(
      (JSON.parse(data) as { event_type: string }).event_type,
      'baremetal.node.maintenance_set.end',
    );
    await stream.close();
  });

  it('tells readers that ask for it which nodes have new timeline events, in messages without an id', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    const other = await daemon.createNode();
    const { timeline } = daemon.services;
    const watchersBefore = timeline.storedWatchers.size;
    const [all, one] = [
      await open(daemon, '?timelines=true'),
      await open(daemon, `?timelines=true&node=${uuid}`),
    ];
    const plain = await open(daemon);
    for (const stream of [all, one, plain]) await stream.next();
    const told = [all.next(), one.next()];
    timeline.record({ hop: 'lookup', address: '192.0.2.1', text: 'asked', failed: true });
    timeline.record({ hop: 'power', node: other.uuid, text: 'power changed: power on' });
    timeline.flush();
    timeline.record({ hop: 'power', node: uuid, text: 'power changed: power on' });
    timeline.flush();
    assert.match(
      (await told[0]) ?? '',
      new RegExp(`^event: timeline\ndata: {"nodes":\\[null,"${other.uuid}"`),
    );
    assert.equal(await told[1], `event: timeline\ndata: {"nodes":["${uuid}"]}\n\n`);
    const next = plain.next();
    maintain(daemon, uuid, true);
    assert.doesNotMatch((await next) ?? '', /timeline/);
    for (const stream of [all, one, plain]) await stream.close();
    assert.equal(timeline.storedWatchers.size, watchersBefore);
  });

  it('goes on after the last event that a browser got before its connection was cut', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    for (const isOn of [true, false, true]) maintain(daemon, uuid, isOn);
    for (const stream of [await open(daemon, '', { 'last-event-id': '2' }), await open(daemon, '?since=2')]) {
      assert.equal(greeting(await stream.next()), 'hello');
      assert.deepEqual(idsIn(await stream.next()), [3, 4]);
      await stream.close();
    }
  });

  it('begins with reset when events after the cursor are no longer kept, or the cursor is above the newest event ID', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    for (const isOn of [true, false]) maintain(daemon, uuid, isOn);
    daemon.services.db.events.trim(2);
    for (const [since, expected] of [
      [0, 'reset'],
      [1, 'reset'],
      [2, 'hello'],
      [3, 'hello'],
      [99, 'reset'],
    ] as const) {
      const stream = await open(daemon, `?since=${since}`);
      assert.equal(greeting(await stream.next()), expected, `since ${since}`);
      await stream.close();
    }
  });

  it('can be limited to one node, given by its name, and to one event type', async (t) => {
    const daemon = await startInProcess(t);
    const one = await daemon.createNode({ name: 'one' });
    const two = await daemon.createNode();
    maintain(daemon, two.uuid, true);
    maintain(daemon, one.uuid, true);
    const ofNode = await open(daemon, '?since=0&node=one');
    await ofNode.next();
    assert.deepEqual(idsIn(await ofNode.next()), [1, 4]);
    const ofType = await open(daemon, '?since=0&type=baremetal.node.maintenance_set');
    await ofType.next();
    assert.deepEqual(idsIn(await ofType.next()), [3, 4]);
    for (const stream of [ofNode, ofType]) await stream.close();
  });

  it('sends a comment when nothing happens for 15 seconds', async (t) => {
    const daemon = await startInProcess(t);
    const stream = await open(daemon);
    await stream.next();
    const next = stream.next();
    await daemon.clock.advance(15_000);
    assert.equal(await next, ':\n\n');
    await stream.close();
  });

  it('holds at most one batch for a reader that does not read, however much happens', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    const stalled = await open(daemon);
    for (let index = 0; index < 500; index += 1) maintain(daemon, uuid, index % 2 === 0);
    await settled();
    assert.equal(greeting(await stalled.next()), 'hello');
    let parts = 0;
    for (let seen = 1; seen < 501; parts += 1) seen = idsIn(await stalled.next()).at(-1) ?? 501;
    assert.ok(parts >= 5, `${parts}`);
    await stalled.close();
  });

  it('refuses the ninth stream of one caller until another is closed', async (t) => {
    const daemon = await startInProcess(t);
    const streams = [];
    for (let index = 0; index < 8; index += 1) streams.push(await open(daemon));
    const refused = await open(daemon);
    assert.deepEqual([refused.status, refused.retryAfter], [503, '2']);
    await streams[0]?.close();
    const admitted = await open(daemon);
    assert.equal(admitted.status, 200);
    for (const stream of [...streams.slice(1), admitted]) await stream.close();
  });

  it('ends when the daemon stops', async (t) => {
    const daemon = await startInProcess(t);
    const stream = await open(daemon);
    await stream.next();
    const next = stream.next();
    await daemon.stop();
    assert.equal(await next, undefined);
  });

  it('refuses a cursor that is not a valid event ID, and names the header that it came in', async (t) => {
    const daemon = await startInProcess(t);
    const refused = await open(daemon, '', { 'last-event-id': 'x' });
    assert.equal(refused.status, 400);
    assert.match((await refused.next()) ?? '', /Last-Event-ID: x is not the id of an event/);
    assert.equal((await open(daemon, '?since=-1')).status, 400);
  });
});
