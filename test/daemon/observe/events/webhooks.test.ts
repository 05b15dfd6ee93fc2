import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { fileWith } from '../../../fakes/file-with.ts';
import { httpServer } from '../../../fakes/services/http-server.ts';
import {
  fastDirectory,
  type InProcessDaemon,
  startInProcess,
} from '../../../fakes/daemon/in-process-daemon.ts';

const HOUR_MILLISECONDS = 3_600_000;
const KEY = Buffer.from('0123456789abcdef0123456789abcdef');

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts a receiver of webhooks. It answers each delivery with `answer.status`, which a test may change. */
async function startReceiver(t: TestContext) {
  const deliveries: Delivery[] = [];
  const waiting: (() => void)[] = [];
  const answer = { status: 204 };
  const { port } = await httpServer(t, async (message, response) => {
    deliveries.push({ headers: message.headers, body: await text(message) });
    response.writeHead(answer.status).end();
    for (const resume of waiting.splice(0)) resume();
  });
  return {
    url: `http://127.0.0.1:${port}/hook`,
    deliveries,
    answer,
    async until(count: number) {
      while (deliveries.length < count) await new Promise<void>((resolve) => void waiting.push(resolve));
    },
  };
}

function settings(url: string, more = '') {
  const stateDirectory = mkdtempSync(join(fastDirectory(), 'webhooks-'));
  const secret = join(stateDirectory, 'secret');
  writeFileSync(secret, `whsec_${KEY.toString('base64')}\n`, { mode: 0o600 });
  return { stateDirectory, ini: `[webhooks]\nurls = ${url}\nsecret_file = ${secret}\n${more}` };
}

const toggle = (daemon: InProcessDaemon, node: string, times: number) => {
  for (let index = 0; index < times; index += 1)
    daemon.services.db.nodes.update(node, { maintenance: index % 2 === 0 });
};
function assertSigned({ headers, body }: Delivery): void {
  const signed = `${headers['webhook-id']?.toString()}.${headers['webhook-timestamp']?.toString()}.${body}`;
  const expected = createHmac('sha256', KEY).update(signed).digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${expected}`);
}

const idsOf = (deliveries: readonly Delivery[]) =>
  deliveries.map(({ headers }) => Number(headers['webhook-id']));

describe('webhooks', () => {
  it('get every event in order, signed with the secret', async (t) => {
    const receiver = await startReceiver(t);
    const daemon = await startInProcess(t, settings(receiver.url));
    const { uuid } = await daemon.createNode();
    toggle(daemon, uuid, 3);
    await receiver.until(4);
    assert.deepEqual(idsOf(receiver.deliveries), [1, 2, 3, 4]);
    receiver.deliveries.forEach(assertSigned);
  });

  it('get all events, in order and once, when the receiver was down for an hour', async (t) => {
    const receiver = await startReceiver(t);
    receiver.answer.status = 500;
    const daemon = await startInProcess(t, settings(receiver.url));
    const { uuid } = await daemon.createNode();
    let tries = 1;
    // the pauses double: 1, 2, 4 seconds and so on
    for (let [pause, down] = [1000, 0]; down < HOUR_MILLISECONDS; pause *= 2, tries += 1) {
      await receiver.until(tries);
      await untilPending(daemon, pause);
      toggle(daemon, uuid, 2);
      down += pause;
      if (down >= HOUR_MILLISECONDS) receiver.answer.status = 200;
      await daemon.clock.advance(pause);
    }
    const events = 1 + 2 * (tries - 1);
    await receiver.until(tries - 1 + events);
    const [failed, taken] = [receiver.deliveries.slice(0, tries - 1), receiver.deliveries.slice(tries - 1)];
    assert.deepEqual(new Set(idsOf(failed)), new Set([1]));
    assert.deepEqual(
      idsOf(taken),
      Array.from({ length: events }, (_, at) => at + 1),
    );
    taken.forEach(assertSigned);
  });

  it('continue where they were when the daemon starts again', async (t) => {
    const receiver = await startReceiver(t);
    const given = settings(receiver.url);
    const first = await startInProcess(t, given);
    const { uuid } = await first.createNode();
    await receiver.until(1);
    receiver.answer.status = 503;
    toggle(first, uuid, 2);
    await receiver.until(2);
    await first.stop();
    receiver.answer.status = 200;
    await startInProcess(t, given);
    await receiver.until(4);
    assert.deepEqual(idsOf(receiver.deliveries), [1, 2, 2, 3]);
  });

  it('get only events with priority error if [webhooks] level is error', async (t) => {
    const receiver = await startReceiver(t);
    const daemon = await startInProcess(t, settings(receiver.url, 'level = error\n'));
    const { uuid } = await daemon.createNode({ driver: 'ipmi', driver_info: {} });
    await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'manage' } });
    await receiver.until(1);
    assert.match(receiver.deliveries[0]?.body ?? '', /"baremetal\.node\.provision_set\.error"/);
  });

  it('need an http or https URL', async (t) => {
    await assert.rejects(
      startInProcess(t, settings('inventory.example/hook')),
      /\[webhooks\] urls: inventory\.example\/hook is not an http or https URL/,
    );
  });

  it('need a secret file: the error says how to make one if none is set, and names a file that is missing', async (t) => {
    for (const line of ['', 'secret_file = /etc/hostname-of-nobody\n'])
      await assert.rejects(
        startInProcess(t, { ini: `[webhooks]\nurls = http://127.0.0.1:1/\n${line}` }),
        line === '' ? /secret_file is not set.*openssl rand/s : /hostname-of-nobody/,
      );
  });

  it('refuse a secret without the prefix whsec_, or with less than 24 or more than 64 bytes', async (t) => {
    const secrets = [23, 65].map((bytes) => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`);
    for (const secret of [...secrets, Buffer.alloc(32, 1).toString('base64'), '']) {
      const file = fileWith(t, 'secret', secret);
      chmodSync(file, 0o600);
      await assert.rejects(
        startInProcess(t, { ini: `[webhooks]\nurls = http://127.0.0.1:1/\nsecret_file = ${file}\n` }),
        /does not hold whsec_ and base64 of 24 to 64 bytes.*openssl rand/s,
      );
    }
  });
});

/** Resolves when the sender has set its timer for the next attempt. */
async function untilPending({ clock }: InProcessDaemon, pause: number): Promise<void> {
  while (clock.nextDue !== clock.now() + pause) await new Promise((resolve) => void setTimeout(resolve, 2));
}
