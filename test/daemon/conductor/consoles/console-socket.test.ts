import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import test, { type TestContext } from 'node:test';
import { type Attachment, attachToConsole } from '../../../../daemon/conductor/consoles/console-socket.ts';
import { PLACES } from '../../../../daemon/conductor/consoles/serial-consoles.ts';
import type { Services } from '../../../../daemon/conductor/services.ts';
import type { Caller } from '../../../../daemon/model/caller.ts';
import { Places } from '../../../../daemon/lib/limits/places.ts';
import type { SocketService } from '../../../../daemon/lib/socket-service.ts';
import type { Node } from '../../../../daemon/model/records/node.ts';
import { openLine } from '../../../fakes/machines/open-line.ts';

const ECHO = 'process.stdin.pipe(process.stdout)';
const NODE = { uuid: 'n1', console_enabled: true, console_interface: 'ipmitool-socat' } as Node;
const alice: Caller = { requestId: 'req-1', user: 'alice', role: 'operator', address: '192.0.2.7' };
const timeout = 30_000;

async function consoleOf(t: TestContext, script = ECHO, kept = '') {
  const { line } = await openLine(t, script);
  const places = new Places(PLACES);
  const logOf = () => Buffer.from(kept);
  const services = { consoles: { places, lineOf: () => line, logOf } } as unknown as Services;
  const attach = (caller: Caller | null, how: Partial<Attachment> = {}) =>
    attachToConsole({ services, caller }, NODE, { readOnly: false, takeOver: false, screen: false, ...how });
  return { line, places, attach };
}

/** Connects a client; `next` resolves to what the client gets next: a message, or the code and reason with which it is closed. */
function clientOf(service: SocketService) {
  const got = new PassThrough({ objectMode: true });
  service.opened({
    send: (message) =>
      void got.write(typeof message === 'string' ? message : Buffer.from(message).toString()),
    close(code, reason) {
      got.write(`${code} ${reason}`);
      service.closed();
    },
  });
  const next = async (): Promise<unknown> => {
    while (got.readableLength === 0) await once(got, 'readable');
    return got.read();
  };
  return { next, type: (text: string) => service.received(Buffer.from(text)) };
}

test(
  'a typist is named by user and address, by whichever of the two is known, or as a program on this host',
  { timeout },
  async (t) => {
    const { line, attach } = await consoleOf(t);
    for (const [caller, name] of [
      [alice, 'alice at 192.0.2.7'],
      [{ ...alice, user: null }, '192.0.2.7'],
      [{ ...alice, address: null }, 'alice'],
      [{ ...alice, user: null, address: null }, 'a program on this host'],
    ] as const) {
      const service = attach(caller);
      clientOf(service);
      assert.equal(line.typist, name);
      service.closed();
      assert.equal(line.typist, undefined);
    }
  },
);

test(
  'a second client is refused with the name of the first, may read, and may take over',
  { timeout },
  async (t) => {
    const { attach } = await consoleOf(t);
    const first = clientOf(attach(alice));
    assert.throws(() => attach(null), {
      code: 'ConsoleTaken',
      message: /alice at 192\.0\.2\.7.*with take_over/,
    });
    const reader = clientOf(attach(null, { readOnly: true }));
    first.type('hello');
    assert.deepEqual([await first.next(), await reader.next()], ['hello', 'hello']);
    const second = clientOf(attach(null, { takeOver: true }));
    assert.equal(await first.next(), '1008 a program on this host has taken over.');
    second.type('mine');
    assert.deepEqual([await second.next(), await reader.next()], ['mine', 'mine']);
  },
);

test(
  'when two clients are admitted at the same time, the later one is told who types',
  { timeout },
  async (t) => {
    const { attach } = await consoleOf(t);
    const [first, second] = [attach(alice), attach(null)];
    clientOf(first);
    assert.equal(await clientOf(second).next(), '1008 alice at 192.0.2.7 types on this console.');
  },
);

test(
  'a client with a screen gets the end of what was shown, from the beginning of a line, and learns who types',
  { timeout },
  async (t) => {
    const old = `${'o'.repeat(70_000)}\nnewest line\r\nlogin: `;
    const { attach } = await consoleOf(t, ECHO, old);
    const screen = clientOf(attach(null, { readOnly: true, screen: true }));
    assert.equal(await screen.next(), 'newest line\r\nlogin: ');
    assert.equal(await screen.next(), '{"line":"typist","name":null}');
    const service = attach(alice, { screen: true });
    const typist = clientOf(service);
    assert.equal(await typist.next(), 'newest line\r\nlogin: ');
    for (const client of [typist, screen])
      assert.equal(await client.next(), '{"line":"typist","name":"alice at 192.0.2.7"}');
    typist.type('ls');
    assert.deepEqual([await typist.next(), await screen.next()], ['ls', 'ls']);
    const other = clientOf(attach(null, { takeOver: true }));
    const taken = '{"line":"typist","name":"a program on this host"}';
    assert.deepEqual([await typist.next(), await screen.next()], [taken, taken]);
    assert.equal(await typist.next(), '1008 a program on this host has taken over.');
    other.type('x');
    assert.equal(await other.next(), 'x');
  },
);

test('a client that attached only to read is disconnected when it types', { timeout }, async (t) => {
  const { attach } = await consoleOf(t);
  const reader = clientOf(attach(alice, { readOnly: true }));
  reader.type('x');
  assert.equal(await reader.next(), '1008 This client is connected read-only.');
});

test(
  'a client that types more than a stalled program reads is told that its input is not taken',
  { timeout },
  async (t) => {
    const { attach } = await consoleOf(t, 'setInterval(() => {}, 60_000)');
    const client = clientOf(attach(alice));
    for (let count = 0; count < 64; count += 1) client.type('x'.repeat(65_536));
    assert.match(String(await client.next()), /^1008 The console does not take what is typed\./);
  },
);

test('a client is told when the line is lost, connected again or closed', { timeout }, async (t) => {
  const { line, clock } = await openLine(t, "process.stdin.on('data', () => process.exit())");
  const services = { consoles: { places: new Places(PLACES), lineOf: () => line } } as unknown as Services;
  const client = clientOf(
    attachToConsole({ services, caller: alice }, NODE, { readOnly: false, takeOver: false, screen: false }),
  );
  client.type('x');
  assert.match(String(await client.next()), /^\{"line":"lost","reason":".+ ended"\}$/);
  await clock.advance(1000);
  assert.equal(await client.next(), '{"line":"connected"}');
  line.close('The console was disabled.');
  assert.equal(await client.next(), '1001 The console was disabled.');
});

test('one user can open only a limited number of console sockets', { timeout }, async (t) => {
  const { places, attach } = await consoleOf(t);
  const services = Array.from({ length: PLACES.mostOfOne }, () => attach(alice, { readOnly: true }));
  assert.throws(() => attach(alice, { readOnly: true }), { code: 'TooManyStreams', status: 503 });
  services[0]?.closed();
  services[1]?.closed();
  clientOf(attach(alice, { readOnly: true }));
  assert.equal(places.count, PLACES.mostOfOne - 1);
});

test('attaching to a console that is disabled or has no line fails with the reason', { timeout }, () => {
  const services = { consoles: { lineOf: () => undefined } } as unknown as Services;
  const attach = (node: Node) =>
    attachToConsole({ services, caller: alice }, node, { readOnly: false, takeOver: false, screen: false });
  assert.throws(() => attach({ ...NODE, console_enabled: false }), /n1: its console is disabled\. Enable it/);
  assert.throws(
    () => attach(NODE),
    /n1: its console is being connected, or .* ipmitool-socat has no serial line/,
  );
});
