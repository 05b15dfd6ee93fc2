import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { type BoundedProgram, installedProgram, runBounded } from '../../../daemon/lib/run-bounded.ts';

const limits = { seconds: 30, memoryMebibytes: 1024, fileMebibytes: 16 };
const run = (program: string, argumentList: readonly string[], more: Partial<BoundedProgram> = {}) =>
  runBounded({ program, argumentList, limits, signal: new AbortController().signal, ...more });

test('arguments reach the program as they are, without a shell', async () => {
  const { exit, output } = await run('printf', ['%s|', '$(id)', '; ls', '*']);
  assert.deepEqual([exit, output], [0, '$(id)|; ls|*|']);
});

test('a program that takes too long is killed with its children', async () => {
  const begun = Date.now();
  const ended = await run('sh', ['-c', 'sleep 600 & sleep 600'], { limits: { ...limits, seconds: 0.3 } });
  assert.deepEqual([ended.exit, ended.timedOut], [null, true]);
  // the pipes of a surviving child would keep the run from ending
  assert.ok(Date.now() - begun < 20_000);
});

test('an aborted run rejects with the reason and leaves no program behind', async () => {
  const stop = new AbortController();
  const running = run('sleep', ['600'], { signal: stop.signal });
  setTimeout(() => stop.abort(new Error('the service is stopping')), 100);
  await assert.rejects(running, /the service is stopping/);
});

test('a file larger than the limit ends the program', async (t) => {
  const directory = mkdtempSync(path.join(tmpdir(), 'bounded-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = path.join(directory, 'large');
  const { exit } = await run('dd', ['if=/dev/zero', `of=${file}`, 'bs=1M', 'count=2'], {
    limits: { ...limits, fileMebibytes: 1 },
  });
  assert.notEqual(exit, 0);
  assert.equal(statSync(file).size, 1024 ** 2);
});

test('memory above the limit is refused', async () => {
  const { exit } = await run('dd', ['if=/dev/zero', 'of=/dev/null', 'bs=512M', 'count=1'], {
    limits: { ...limits, memoryMebibytes: 128 },
  });
  assert.notEqual(exit, 0);
});

test('only the last 64 KiB of the output is kept', async () => {
  const { output } = await run('seq', ['1', '200000']);
  assert.equal(output.length, 65_536);
  assert.ok(output.endsWith('\n200000\n'));
});

test('a variable of the daemon does not reach the program; a given variable does', async () => {
  process.env['SECRET_OF_THE_DAEMON'] = 'hush';
  const { output } = await run('env', [], { environment: { GIVEN: 'yes' } });
  delete process.env['SECRET_OF_THE_DAEMON'];
  assert.doesNotMatch(output, /hush/);
  assert.match(output, /GIVEN=yes/);
});

test('installedProgram returns the path of the first program that is installed, undefined if none is', async () => {
  const found = await installedProgram(['no-such-program', 'sh']);
  assert.ok(found !== undefined && existsSync(found) && found.endsWith('/sh'));
  assert.equal(await installedProgram(['no-such-program']), undefined);
});
