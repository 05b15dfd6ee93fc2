// Operations that wait for a BMC that turns out not to answer anybody.
import assert from 'node:assert/strict';
import net from 'node:net';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type BmcRunOptions, createBmcQueues } from '../../../../daemon/conductor/bmcs/bmc-queues.ts';
import { HttpFailure } from '../../../../daemon/lib/http-client/http-failure.ts';
import { fault } from '../../../../daemon/model/faults.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { fakeLogger } from '../../../fakes/task.ts';

const BMC = 'https://192.0.2.1';

const failed = (cause: unknown) =>
  fault('BmcFailure', { operation: 'Reading', node: 'n', address: BMC, reason: 'no answer' }, { cause });
const httpFailure = (cause: unknown) => new HttpFailure('GET', new URL(BMC), cause);
const overdue = httpFailure(new DOMException('no complete reply within 60 s', 'TimeoutError'));
const unreachable = httpFailure(Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' }));
const closed = httpFailure(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));

function setUp(more: Partial<BmcRunOptions> = {}) {
  const clock = fakeClock(0);
  const queues = createBmcQueues({ clock, log: fakeLogger(), ended() {} });
  const signal = new AbortController().signal;
  const started: string[] = [];
  /** Begins an operation that ends after `seconds` with `error`, or else with its name. */
  const begin = (name: string, seconds: number, error?: Error) =>
    queues.run(BMC, { node: name, urgent: true, deadline: 120_000, signal, ...more }, async () => {
      started.push(name);
      await new Promise<void>((resolve) => void clock.after(seconds * 1000, resolve));
      if (error !== undefined) throw error;
      return name;
    });
  return { clock, begin, started };
}

test('what waits for a BMC that answered nobody fails with the operation that found this out; later operations try', async () => {
  for (const [cause, reason] of [
    [overdue, /another conversation .* not asked again: no complete reply within 60 s/],
    [unreachable, /not asked again: no route/],
  ] as const) {
    const { clock, begin, started } = setUp();
    const first = rejectsFault(begin('first', 60, failed(cause)), 'BmcFailure', /no answer/);
    const others = ['second', 'third'].map((name) =>
      rejectsFault(begin(name, 60), 'BmcFailure', new RegExp(`node ${name} .*${reason.source}`)),
    );
    await clock.advance(60_000);
    await Promise.all([first, ...others]);
    const later = begin('later', 1);
    await clock.advance(1000);
    assert.equal(await later, 'later');
    assert.deepEqual(started, ['first', 'later']);
  }
});

test('a closed connection, a lone unanswered request and other errors say nothing about the operations that wait', async () => {
  for (const cause of [closed, new Error('it answers other requests'), undefined]) {
    const { clock, begin } = setUp();
    const first = rejectsFault(begin('first', 60, failed(cause)), 'BmcFailure', /no answer/);
    const second = begin('second', 1);
    await clock.advance(61_000);
    await first;
    assert.equal(await second, 'second');
  }
});

test('an unanswered operation says nothing about the operations that wait when another one had an answer meanwhile', async () => {
  const { clock, begin } = setUp({ parallel: 2 });
  const first = rejectsFault(begin('first', 60, failed(overdue)), 'BmcFailure', /no answer/);
  const answered = begin('answered', 30);
  const long = begin('long', 100);
  const waiting = begin('waiting', 1);
  await clock.advance(140_000);
  await first;
  assert.deepEqual(await Promise.all([answered, long, waiting]), ['answered', 'long', 'waiting']);
});

test('five nodes behind one BMC that accepts and never answers are free again after one time limit', async (t) => {
  const connections: net.Socket[] = [];
  const server = net.createServer((socket) => {
    connections.push(socket);
    socket.on('error', () => {});
    socket.resume();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as net.AddressInfo;
  const daemon = await startInProcess(t, { ini: 'enabled_hardware_types = redfish\n' });
  const uuids: string[] = [];
  for (const number of [1, 2, 3, 4, 5]) {
    const { uuid } = await daemon.createNode({
      driver: 'redfish',
      driver_info: {
        redfish_address: `http://127.0.0.1:${port}`,
        redfish_username: 'admin',
        redfish_password: 'secret',
        redfish_system_id: `/redfish/v1/Systems/${number}`,
      },
    });
    uuids.push(uuid);
    const asked = await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, {
      body: { target: 'manage' },
    });
    assert.equal(asked.status, 202);
  }
  while (connections.length === 0) await setImmediate();
  const begun = daemon.clock.monotonic();
  while (uuids.some((uuid) => daemon.node(uuid).provision_state !== 'enroll')) {
    await daemon.clock.advance(1000);
    await setImmediate();
  }
  assert.ok(daemon.clock.monotonic() - begun < 120_000, `${daemon.clock.monotonic() - begun} ms`);
  // one request, and one that asks whether the BMC answers anything
  assert.equal(connections.length, 2);
  for (const uuid of uuids) assert.match(daemon.node(uuid).last_error ?? '', /no complete reply within 60 s/);
});
