import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { pino } from 'pino';
import { ConsoleLog } from '../../../../daemon/conductor/consoles/console-log.ts';
import { openConsolePort } from '../../../../daemon/conductor/consoles/console-port.ts';
import { SerialLine } from '../../../../daemon/conductor/consoles/serial-line.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { freePort } from '../../../fakes/free-port.ts';

/** Connects a client to a serial line that `script`, run by Node, carries. */
async function clientOf(t: TestContext, script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-edge-port-'));
  const program = {
    command: process.execPath,
    arguments: ['-e', `process.stdout.write('connected');${script}`],
    secret: '',
    connectedBy: 'connected',
    withheld: '\x1c',
    port: null,
  };
  const clock = fakeClock();
  const kept = new ConsoleLog(join(folder, 'log'), 1000);
  const log = pino({ level: 'silent' });
  const line = await SerialLine.open(program, { program: async () => program, kept, clock, log });
  const port = await freePort();
  const close = await openConsolePort(line, { host: '127.0.0.1', port, idleSeconds: 0, clock });
  t.after(() => {
    close();
    line.close();
    rmSync(folder, { recursive: true });
  });
  const client = connect(port, '127.0.0.1');
  let shown = '';
  client.on('data', (bytes: Buffer) => {
    shown += bytes.toString('latin1');
  });
  await once(client, 'connect');
  return { client, shown: () => shown };
}

const timeout = 30_000;

test(
  'a client that types more than a stalled program reads is told so and disconnected',
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
