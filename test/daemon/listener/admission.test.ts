import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Config } from '../../../daemon/config/sections/core-sections.ts';
import { systemClock } from '../../../daemon/lib/clock.ts';
import { listen } from '../../../daemon/listener/listen.ts';
import { ramdiskListener } from '../../../daemon/listener/listeners.ts';
import { steadyLinks } from '../../fakes/daemon/steady-links.ts';
import { fakeLogger, type LogLine } from '../../fakes/task.ts';
import { converse, startBootHttpLab } from '../../fakes/boot/boot-http.ts';

const originOf = (request: Request) => new Response(new URL(request.url).origin);

test('the listener for ramdisks closes connections of an address that has 128, and serves other addresses', async (context) => {
  const logged: LogLine[] = [];
  const options = ramdiskListener({
    ramdisk: { port: 0, host_ip: '127.0.0.1', enable_ssl_api: false } as Config['ramdisk'],
  });
  assert.ok(options);
  const listener = await listen(originOf, options, {
    log: fakeLogger(logged),
    clock: systemClock,
    links: steadyLinks,
  });
  context.after(async () => {
    const closed = listener.close();
    listener.closeConnections();
    await closed;
  });
  const port = Number(new URL(listener.url).port);
  const open = async (localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const answerTo = async (localAddress: string) => {
    const socket = await open(localAddress);
    socket.write('GET / HTTP/1.0\r\nHost: x\r\n\r\n');
    return String(await buffer(socket).catch(() => 'closed')).split('\r\n', 1)[0];
  };
  const held = await Promise.all(Array.from({ length: 128 }, () => open('127.0.0.20')));
  assert.equal(await answerTo('127.0.0.20'), 'closed');
  assert.match((await answerTo('127.0.0.21')) ?? '', / 200 /);
  assert.match(
    JSON.stringify(logged),
    /it has 128 connections open, the limit \(of the listener \[ramdisk\]\)/,
  );
  for (const socket of held) socket.destroy();
});

const get = (name: string) => `GET /${name} HTTP/1.1\r\nhost: x\r\n\r\n`;
/** More than the operating system buffers for a client that does not read. */
const LARGE = Buffer.alloc(24 * 1024 * 1024);

test('a host with many addresses and connections does not shut out a machine', async (t) => {
  const lab = await startBootHttpLab(t, { connections: 100, connectionsPerClient: 10 });
  lab.serveFile('kernel', 'x');
  lab.serveFile('image', LARGE);
  const held = Array.from({ length: 100 }, (_, index) =>
    converse(lab.port, get('image'), `127.0.0.${10 + (index % 10)}`).pause(),
  );
  await Promise.all(held.map((socket) => once(socket, 'connect')));
  const answers = await Promise.all(
    [1, 2, 3].map((number) =>
      buffer(converse(lab.port, 'GET /kernel HTTP/1.0\r\n\r\n', `127.0.1.${number}`)),
    ),
  );
  for (const answer of answers) assert.match(answer.toString(), /^HTTP\/1\.1 200 /);
  assert.match(
    lab.events.find(({ text }) => text.startsWith('was disconnected'))?.text ?? '',
    /^was disconnected: 100 connections are open, the limit \(\[boot_http\] max_connections\), and another client came$/,
  );
  for (const socket of held) socket.destroy();
});

test('a connection that does nothing for ten seconds gives way when all places are taken, and one in use does not', async (t) => {
  const lab = await startBootHttpLab(t, { connections: 2 });
  lab.serveFile('kernel', 'x');
  const still = converse(lab.port, '', '127.0.0.10');
  const busy = converse(lab.port, get('kernel'), '127.0.0.11');
  await Promise.all([once(still, 'connect'), once(busy, 'data')]);
  const answered = async () =>
    (
      await buffer(converse(lab.port, 'GET /kernel HTTP/1.0\r\n\r\n', '127.0.0.1')).catch(() =>
        Buffer.alloc(0),
      )
    ).length > 0;
  assert.equal(await answered(), false);
  await lab.clock.advance(9000);
  busy.write(get('kernel'));
  await once(busy, 'data');
  await lab.clock.advance(2000);
  const gone = once(still, 'close');
  assert.equal(await answered(), true);
  await gone;
  busy.write(get('kernel'));
  await once(busy, 'data');
  busy.destroy();
});
