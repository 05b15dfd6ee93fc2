import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import test, { type TestContext } from 'node:test';
import { openConsolePort } from '../../../../daemon/conductor/consoles/console-port.ts';
import { freeTcpPort } from '../../../../daemon/simulator/free-port.ts';
import { openLine } from '../../../fakes/machines/open-line.ts';

/** Opens a TCP port for a serial line whose program is `script`, run by Node.js. */
async function openPort(t: TestContext, script: string) {
  const { line, clock } = await openLine(t, script);
  const port = await freeTcpPort();
  t.after(await openConsolePort(line, { host: '127.0.0.1', port, idleSeconds: 0, clock }));
  return { line, port };
}

async function clientAt(port: number) {
  const client = connect(port, '127.0.0.1');
  let shown = '';
  client.on('data', (bytes: Buffer) => {
    shown += bytes.toString('latin1');
  });
  await once(client, 'connect');
  return { client, shown: () => shown };
}

async function clientOf(t: TestContext, script: string) {
  const { line, port } = await openPort(t, script);
  return { line, ...(await clientAt(port)) };
}

const timeout = 30_000;

test(
  'a client that types more than a stalled program reads is told that its input is not taken, and is disconnected',
  { timeout },
  async (t) => {
    const { client, shown } = await clientOf(t, 'setInterval(() => {}, 60_000)');
    client.on('error', () => {});
    const closed = new Promise((resolve) => client.on('close', resolve));
    for (let count = 0; count < 64; count += 1) client.write(Buffer.alloc(65_536, 'x'));
    await closed;
    assert.match(shown(), /^The console does not take what is typed\./);
  },
);

test('a long text that the program reads arrives whole', { timeout }, async (t) => {
  const { client, shown } = await clientOf(t, 'process.stdin.pipe(process.stdout)');
  const text = 'line of a script\r'.repeat(20_000);
  client.write(`${text}\x1c`);
  while (shown().length < text.length) await once(client, 'data');
  assert.equal(shown(), text);
  client.destroy();
});

test('a client of the port is told who takes over, and is disconnected', { timeout }, async (t) => {
  const { client, line, shown } = await clientOf(t, 'process.stdin.pipe(process.stdout)');
  client.write('x');
  while (shown() === '') await once(client, 'data');
  assert.equal(line.typist, '127.0.0.1 over TCP');
  const closed = once(client, 'close');
  const writer = line.write({ name: 'alice', displaced() {} }, true);
  await closed;
  assert.equal(shown(), 'xalice has taken over.\r\n');
  writer?.end();
  assert.equal(line.typist, undefined);
});

test('a client of the port is told that the console was disabled', { timeout }, async (t) => {
  const { client, line, shown } = await clientOf(t, 'process.stdin.pipe(process.stdout)');
  client.write('x');
  while (shown() === '') await once(client, 'data');
  const closed = once(client, 'close');
  line.close('The console was disabled.');
  await closed;
  assert.equal(shown(), 'xThe console was disabled.\r\n');
});

test(
  'a client that was refused because another user types does not keep later clients out',
  { timeout },
  async (t) => {
    const { line, port } = await openPort(t, 'process.stdin.pipe(process.stdout)');
    const writer = line.write({ name: 'alice', displaced() {} }, false);
    const refused = await clientAt(port);
    refused.client.write('x');
    await once(refused.client, 'close');
    assert.equal(refused.shown(), 'alice types on this console.\r\n');
    writer?.end();

    const later = await clientAt(port);
    later.client.write('y');
    while (later.shown() === '') await once(later.client, 'data');
    assert.equal(later.shown(), 'y');
    later.client.destroy();
  },
);
