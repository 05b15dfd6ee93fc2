import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  pluginProgram,
  startPluginProcess,
} from '../../../../daemon/plugin-host/isolation/start-plugin-process.ts';

const PROGRAM = `import { readFileSync } from 'node:fs';
process.stdout.write(readFileSync('/proc/self/stat', 'utf8'));
setInterval(() => {}, 1e9);
`;

/** The fields of proc_pid_stat(5), which are counted from 1. */
const fieldsOf = (stat: string) => ['', ...stat.split(' ')];

test("a plugin's process has its own process group in the daemon's session, and comes second on the processor only when told to", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'start-plugin-process-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'program.mjs');
  writeFileSync(file, PROGRAM);
  const { child, comeSecond, kill, gone } = startPluginProcess(pathToFileURL(file), 64);
  assert.ok(child.stdout !== null);
  const [written] = (await once(child.stdout, 'data')) as [Buffer];
  const started = fieldsOf(String(written));
  const own = fieldsOf(readFileSync('/proc/self/stat', 'utf8'));
  const [pid, group, session, policy] = [1, 5, 6, 41] as const;
  assert.equal(started[pid], String(child.pid));
  assert.equal(started[group], started[pid]);
  assert.equal(started[session], own[session]);
  assert.equal(started[policy], '0');
  comeSecond();
  const policies = () =>
    readdirSync(`/proc/${child.pid}/task`).map(
      (thread) => fieldsOf(readFileSync(`/proc/${child.pid}/task/${thread}/stat`, 'utf8'))[policy],
    );
  while (!policies().every((one) => one === '5')) await setTimeout(10);
  kill();
  await gone;
});

test('a process that has only just been started, and has no process group yet, is ended', async () => {
  const { kill, gone } = startPluginProcess(pluginProgram, 64);
  kill();
  await gone;
});
