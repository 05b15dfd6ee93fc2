import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  ConsoleLog,
  deleteConsoleLog,
  readConsoleLog,
} from '../../../../daemon/conductor/consoles/console-log.ts';

function logPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'console-log-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'consoles', 'node.log');
}

test('the log keeps the newest output: at least half of its limit, and never much more than the limit', (t) => {
  const path = logPath(t);
  const log = new ConsoleLog(path, 4096);
  for (let line = 0; line < 1000; line += 1) log.append(Buffer.from(`line ${line}\n`));
  const kept = readConsoleLog(path).toString();
  assert.ok(kept.endsWith('line 998\nline 999\n'));
  assert.ok(kept.length > 2048 && kept.length < 4200, String(kept.length));
});

test('a log continues after a restart, and nothing of it is left when it is deleted', (t) => {
  const path = logPath(t);
  new ConsoleLog(path, 4096).append(Buffer.from('before '));
  new ConsoleLog(path, 4096).append(Buffer.from('after'));
  assert.equal(readConsoleLog(path).toString(), 'before after');
  deleteConsoleLog(path);
  assert.deepEqual(readdirSync(join(path, '..')), []);
  assert.equal(readConsoleLog(path).length, 0);
});
