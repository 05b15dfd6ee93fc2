import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { pino } from 'pino';
import { ConsoleLog } from '../../../../daemon/conductor/consoles/console-log.ts';
import { SerialLine } from '../../../../daemon/conductor/consoles/serial-line.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { openLine, scriptedProgram } from '../../../fakes/machines/open-line.ts';

/** Attaches a reader to the line; `next` resolves to the next call that the reader gets, as text. */
function readerOf(line: SerialLine) {
  const told: string[] = [];
  const waiting: (() => void)[] = [];
  const tell = (text: string) => {
    told.push(text);
    waiting.shift()?.();
  };
  const stop = line.read({
    shown: (bytes) => tell(`shown ${bytes.toString()}`),
    lost: (reason) => tell(`lost ${reason}`),
    connected: () => tell('connected'),
    ended: (reason) => tell(`ended ${reason}`),
  });
  const next = async (): Promise<string> => {
    if (told.length === 0) await new Promise<void>((resolve) => void waiting.push(resolve));
    return told.shift() ?? '';
  };
  return { next, stop };
}

const typistNamed = (name: string, displacedBy: string[] = []) => ({
  name,
  displaced: (by: string) => void displacedBy.push(by),
});

const ECHO = 'process.stdin.pipe(process.stdout)';
const ENDS_WHEN_TYPED_ON = `process.stdin.on('data', () => { console.error('it was typed on'); process.exit() })`;
const timeout = 30_000;

test(
  'readers are told that the connection is lost, that it is made again, and that the line has ended',
  { timeout },
  async (t) => {
    const { line, clock, happened } = await openLine(t, ENDS_WHEN_TYPED_ON);
    const [first, second] = [readerOf(line), readerOf(line)];
    line.write(typistNamed('alice'), false)?.write(Buffer.from('x'));
    assert.deepEqual([await first.next(), await second.next()], Array(2).fill('lost it was typed on'));
    await clock.advance(1000);
    assert.deepEqual([await first.next(), await second.next()], ['connected', 'connected']);
    second.stop();
    line.close('The console was disabled.');
    assert.equal(await first.next(), 'ended The console was disabled.');
    assert.equal(await readerOf(line).next(), 'ended The console was disabled.');
    assert.deepEqual(happened, [
      'its serial console is connected',
      'alice can type on its serial console',
      '! the connection to its serial console ended: it was typed on',
      'its serial console is connected',
      'its serial console is disconnected: The console was disabled.',
    ]);
  },
);

test('a second typist is refused, and takes over only on request', { timeout }, async (t) => {
  const { line, happened } = await openLine(t, ECHO);
  const reader = readerOf(line);
  const displacedBy: string[] = [];
  const first = line.write(typistNamed('alice', displacedBy), false);
  assert.equal(line.write(typistNamed('bob'), false), undefined);
  assert.deepEqual([line.typist, displacedBy], ['alice', []]);
  const second = line.write(typistNamed('bob'), true);
  assert.deepEqual([line.typist, displacedBy], ['bob', ['bob']]);
  // a displaced typist can neither type nor end the turn of its successor
  assert.equal(first?.write(Buffer.from('mine')), false);
  first?.end();
  assert.equal(line.typist, 'bob');
  assert.equal(second?.write(Buffer.from('his')), true);
  assert.equal(await reader.next(), 'shown his');
  second?.end();
  assert.equal(line.typist, undefined);
  assert.deepEqual(happened.slice(1), [
    'alice can type on its serial console',
    'bob can type on its serial console in place of alice',
    'bob has left its serial console',
  ]);
});

test('a connection that ends again and again is made again after growing pauses', { timeout }, async (t) => {
  const { line, clock } = await openLine(t, ENDS_WHEN_TYPED_ON);
  const { next } = readerOf(line);
  const writer = line.write(typistNamed('alice'), false);
  const lose = async () => {
    writer?.write(Buffer.from('x'));
    assert.match(await next(), /^lost/);
    return (clock.nextDue ?? 0) - clock.now();
  };
  const pauses: number[] = [];
  for (const lasted of [0, 0, 0, 60_000]) {
    await clock.advance(lasted);
    pauses.push(await lose());
    await clock.advance(pauses.at(-1) ?? 0);
    assert.equal(await next(), 'connected');
  }
  assert.deepEqual(pauses, [1000, 2000, 4000, 1000]);
});

test(
  'opening a line whose program does not connect within 60 s fails with that reason',
  { timeout },
  async () => {
    const clock = fakeClock();
    const program = { ...scriptedProgram(''), arguments: ['-e', 'setInterval(() => {}, 60_000)'] };
    const opened = SerialLine.open(program, {
      program: async () => program,
      kept: new ConsoleLog(join(tmpdir(), 'ironic-edge-never-written'), 1000),
      clock,
      log: pino({ level: 'silent' }),
      happened() {},
    });
    const failed = assert.rejects(opened, { message: /^\S+ did not connect within 60 s$/ });
    while (clock.nextDue === undefined) await immediate();
    await clock.advance(60_000);
    await failed;
  },
);
