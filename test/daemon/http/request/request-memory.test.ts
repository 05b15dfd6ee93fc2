import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { RequestMemory } from '../../../../daemon/http/request/request-memory.ts';
import { sharesOf } from '../../../../daemon/lib/limits/memory-budget.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { httpServer } from '../../../fakes/services/http-server.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { MAC, waitingNode } from '../../../ramdisk-callback/waiting-node.ts';

const KIBIBYTE = 1024;

/**
 * The budget is 1 MiB. All unauthenticated clients (`strangers`) together may hold 512 KiB of it, and each of them 256 KiB. A
 * client that holds nothing may exceed its 256 KiB with one request.
 */
const SMALL = {
  IRONIC_API__MEMORY_BUDGET: '1',
  IRONIC_API__MAX_JSON_BODY_SIZE: '1024',
  IRONIC_API__MAX_JSON_BODY_SIZE_PROVISION: '1024',
  IRONIC_API__MAX_JSON_BODY_SIZE_INSPECTION: '512',
};

async function startSmall(context: TestContext) {
  const clock = fakeClock();
  const daemon = await startListening(context, { environment: SMALL, clock });
  const { port } = new URL(daemon.url);
  const open = async (line: string): Promise<Socket> => {
    const socket = connect(Number(port), '127.0.0.1');
    context.after(() => socket.destroy());
    await once(socket, 'connect');
    socket.write(`${line}\r\nHost: 127.0.0.1\r\n`);
    return socket;
  };
  /** Sends the head of a report without its body. */
  const announce = async (bytes: number): Promise<Socket> => {
    const socket = await open('POST /v1/continue_inspection HTTP/1.1');
    socket.write(`Content-Length: ${bytes}\r\n\r\n`);
    return socket;
  };
  const waitingForReport = async () => {
    const uuid = await enrolNode(daemon.url, { driver: 'fake-hardware' });
    daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait' });
  };
  return { daemon, clock, open, announce, waitingForReport };
}

async function head(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString();
}

/** Resolves when strangers occupy exactly `bytes`. */
async function counted(daemon: Awaited<ReturnType<typeof startListening>>, bytes: number): Promise<void> {
  const probe = { peer: 'probe', share: 'strangers' } as const;
  const free = 512 * KIBIBYTE - bytes;
  for (;;) {
    const fits = daemon.services.memory.reserve(probe, free);
    const isExact = fits !== undefined && daemon.services.memory.reserve({ ...probe, peer: 'x' }, 1);
    if (fits !== undefined) fits();
    if (typeof isExact === 'function') isExact();
    if (fits !== undefined && isExact === undefined) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a report is refused before its body is read if no node waits for one', async (context) => {
  const { announce } = await startSmall(context);
  assert.match(await head(await announce(500 * KIBIBYTE)), /^HTTP\/1\.1 404 /);
});

test('unauthenticated requests beyond their share of the memory return 503, and operators are served', async (context) => {
  const { daemon, announce, waitingForReport } = await startSmall(context);
  await waitingForReport();
  const first = await announce(400 * KIBIBYTE);
  await counted(daemon, 400 * KIBIBYTE);
  const refused = await head(await announce(200 * KIBIBYTE));
  assert.match(refused, /^HTTP\/1\.1 503 /);
  assert.match(refused, /\r\nretry-after: 2\r\n/);
  assert.match(refused, /Requests from 127\.0\.0\.1, or all requests together/);
  assert.equal((await fetch(`${daemon.url}/v1/nodes`)).status, 200);
  first.destroy();
  await counted(daemon, 0);
  const again = await announce(400 * KIBIBYTE);
  await counted(daemon, 400 * KIBIBYTE);
  again.destroy();
});

test('a client that announces a report and does not send its body is disconnected after a minute', async (context) => {
  const { daemon, clock, announce, waitingForReport } = await startSmall(context);
  await waitingForReport();
  const slow = await announce(400 * KIBIBYTE);
  await counted(daemon, 400 * KIBIBYTE);
  const closed = once(slow, 'close');
  await clock.advance(60_000);
  await closed;
  await counted(daemon, 0);
});

test('an unread answer counts as occupied memory until its connection ends', async (context) => {
  const { daemon, open } = await startSmall(context);
  const extra = { text: 'x'.repeat(100_000) };
  for (let count = 0; count < 60; count += 1) await enrolNode(daemon.url, { driver: 'fake-hardware', extra });
  const operator = { peer: '127.0.0.1', share: 'operators' } as const;
  const reader = await open('GET /v1/nodes/detail HTTP/1.1');
  reader.pause();
  reader.write('\r\n');
  while (daemon.services.memory.hasRoom(operator)) await new Promise((resolve) => setImmediate(resolve));
  const refused = await fetch(`${daemon.url}/v1/nodes`);
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('retry-after'), '2');
  reader.destroy();
  while (!daemon.services.memory.hasRoom(operator)) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await fetch(`${daemon.url}/v1/nodes`)).status, 200);
});

test('a report counts as occupied memory until its hooks have run', async (context) => {
  const { daemon } = await waitingNode(context, { ini: '[api]\nmemory_budget = 64\n' });
  const body = JSON.stringify({ inventory: { interfaces: [{ name: 'eth0', mac_address: MAC }] } });
  const others = { peer: 'others', share: 'strangers' } as const;
  const everything = 32 * KIBIBYTE * KIBIBYTE;
  const whileProcessed = daemon.app.fetch(
    new Request('http://ironic.test/v1/continue_inspection', {
      method: 'POST',
      headers: { 'content-length': String(body.length) },
      body,
    }),
  );
  assert.equal((await whileProcessed).status, 202);
  assert.equal(daemon.services.memory.reserve(others, everything), undefined);
  await daemon.idle();
  assert.ok(daemon.services.memory.reserve(others, everything));
});

test('a body of more than 200000 JSON values is refused', async (context) => {
  const daemon = await startInProcess(context);
  const body = `{"driver":"fake-hardware","extra":{"a":[${'0,'.repeat(200_000)}0]}}`;
  const answer = await daemon.request('POST', '/v1/nodes', { body });
  assert.deepEqual(
    [answer.status, answer.fault],
    [400, 'The request body holds more than 200000 JSON values.'],
  );
});

test('the daemon does not start if the largest body that an option allows exceeds its share of memory_budget', async (context) => {
  await assert.rejects(
    startListening(context, { environment: { IRONIC_API__MEMORY_BUDGET: '20' } }),
    /\[api\] max_json_body_size_provision = 65536 KiB exceeds what all requests of that kind may occupy together, 20480 KiB/,
  );
});

test('an answer to a client that has disconnected does not count as occupied memory', async (t) => {
  const { services } = await startInProcess(t);
  const claimant = { peer: '192.0.2.1', share: 'operators' } as const;
  const [received, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { port } = await httpServer(t, (incoming, outgoing) => {
    received.resolve();
    const memory = new RequestMemory(services, claimant, { incoming, outgoing });
    outgoing.once('close', () =>
      setImmediate(() => {
        memory.countAnswer('x'.repeat(20_000));
        answered.resolve();
      }),
    );
  });
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await received.promise;
  socket.destroy();
  await answered.promise;
  const all = sharesOf(services.config.api.memory_budget * KIBIBYTE * KIBIBYTE).operators;
  assert.ok(services.memory.reserve(claimant, all), 'the answer still occupies memory');
});
