import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { startPluginProcess } from '../../../../daemon/plugin-host/isolation/start-plugin-process.ts';

const PROGRAM = `import { readFileSync } from 'node:fs';
process.stdout.write(readFileSync('/proc/self/stat', 'utf8'));
`;

/** The fields of proc_pid_stat(5), which are counted from 1. */
const fieldsOf = (stat: string) => ['', ...stat.split(' ')];

test("a plugin's process has its own process group in the daemon's session, and the scheduling policy SCHED_IDLE", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'start-plugin-process-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'program.mjs');
  writeFileSync(file, PROGRAM);
  const { child } = startPluginProcess(pathToFileURL(file), 64);
  assert.ok(child.stdout !== null);
  const started = fieldsOf(await text(child.stdout));
  const own = fieldsOf(readFileSync('/proc/self/stat', 'utf8'));
  const [pid, group, session, policy] = [1, 5, 6, 41] as const;
  assert.equal(started[pid], String(child.pid));
  assert.equal(started[group], started[pid]);
  assert.equal(started[session], own[session]);
  assert.equal(started[policy], '5');
});
