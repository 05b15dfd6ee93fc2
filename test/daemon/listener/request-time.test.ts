import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { type HttpBindings } from '@hono/node-server';
import { listen } from '../../../daemon/listener/listen.ts';
import { fakeClock } from '../../fakes/clock.ts';
import { steadyLinks } from '../../fakes/daemon/steady-links.ts';
import { fakeLogger } from '../../fakes/task.ts';

/** A listener that answers with the body: at /slow without the limit for whole requests, at /unread without reading it. */
async function site(t: TestContext) {
  const clock = fakeClock();
  const arrived = new EventTarget();
  const listener = await listen(
    async (request, { incoming, unhurried }: HttpBindings & { readonly unhurried?: () => void }) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/unread') return new Response('not read');
      if (pathname === '/slow') unhurried?.();
      arrived.dispatchEvent(new Event('request'));
      return new Response(await text(incoming));
    },
    { section: 'api', address: { kind: 'tcp', host: '127.0.0.1', port: 0 }, tls: null },
    { log: fakeLogger([]), clock, links: steadyLinks },
  );
  t.after(async () => {
    const closed = listener.close();
    listener.closeConnections();
    await closed;
  });
  const open = async (path: string, ...headers: readonly string[]): Promise<Socket> => {
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write([`PUT ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n'));
    return socket;
  };
  return { clock, open, begun: () => once(arrived, 'request') };
}

const ofLength = (bytes: number) => `Content-Length: ${bytes}`;

test('a request that is not whole after 300 s is ended, however it moves; one that may be slow is not', async (t) => {
  const { clock, open, begun } = await site(t);
  for (const head of [ofLength(100), 'Transfer-Encoding: chunked']) {
    const begins = begun();
    const hurried = await open('/', head);
    const answer = text(hurried);
    await begins;
    await clock.advance(299_000);
    hurried.write('5\r\n12345\r\n');
    await clock.advance(1000);
    assert.match(await answer, /^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n\r\n$/);
  }
  const begins = begun();
  const slow = await open('/slow', ofLength(10), 'Connection: close');
  const answer = text(slow);
  await begins;
  await clock.advance(3_600_000);
  slow.write('1234567890');
  assert.match(await answer, /^HTTP\/1\.1 200 OK[\s\S]*1234567890$/);
});

test('a whole request has no limit, and leaves no timer', async (t) => {
  const { clock, open } = await site(t);
  const socket = await open('/', ofLength(5), 'Connection: close');
  const answer = text(socket);
  socket.write('12345');
  assert.match(await answer, /12345$/);
  assert.equal(clock.pending, 0);
});

test('100 Continue is sent when the body is read, and never with an answer that does not need it', async (t) => {
  const { open } = await site(t);
  const read = await open('/', ofLength(5), 'Expect: 100-continue', 'Connection: close');
  const [asked] = (await once(read, 'data')) as [Buffer];
  assert.equal(asked.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
  read.write('12345');
  assert.match(await text(read), /^HTTP\/1\.1 200 OK[\s\S]*12345$/);
  const unread = await open('/unread', ofLength(5), 'Expect: 100-continue');
  assert.match(await text(unread), /^HTTP\/1\.1 200 OK[\s\S]*Connection: close[\s\S]*not read$/i);
});
