import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import SQLite from 'better-sqlite3';
import { createLogger } from '../../daemon/lib/logger.ts';
import type { ProvisionState } from '../../daemon/model/states/provision-states.ts';
import { PxeFilter } from '../../pxe-filter/filter.ts';
import { HostsDirectory } from '../../pxe-filter/hosts-directory.ts';
import { fakeClock, settled } from '../fakes/clock.ts';
import { startInProcess } from '../fakes/daemon/in-process-daemon.ts';

const [A, B, UNKNOWN] = ['52:54:00:00:00:0a', '52:54:00:00:00:0b', 'unknown_hosts_filter'] as const;
const PERIOD_MILLISECONDS = 45_000;
/** A filter that has been idle for this long since its start does nothing more until its next full comparison. */
const QUIET_MILLISECONDS = 41_000;

/** A daemon whose node has port A, and an idle filter that does nothing for 4 s unless the database changes. */
async function filtering(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'hosts-'));
  const daemon = await startInProcess(t, { ini: `\n[pxe_filter]\ndhcp_hostsdir = ${folder}\n` });
  const { uuid } = await daemon.createNode({ inspect_interface: 'agent' });
  await daemon.createPort(uuid, A);
  const lines: string[] = [];
  const clock = fakeClock();
  const filter = new PxeFilter({
    config: daemon.services.config,
    hosts: new HostsDirectory(folder),
    log: createLogger({
      level: 'info',
      mask: (fields) => fields,
      destination: { write: (line) => void lines.push(line) },
    }),
    clock,
  });
  t.after(() => {
    filter.stop();
    rmSync(folder, { recursive: true });
  });
  await clock.advance(QUIET_MILLISECONDS);
  const file = (name: string) => readFileSync(join(folder, name), 'utf8');
  return {
    daemon,
    clock,
    folder,
    filter,
    path: join(daemon.stateDirectory, 'ironic-edge.sqlite'),
    file,
    messages: () => lines.splice(0).map((line) => (JSON.parse(line) as { msg: string }).msg),
    move: (provision_state: ProvisionState) => daemon.services.db.nodes.update(uuid, { provision_state }),
    /** Waits for the event of a write to the database, and lets the filter read the records. */
    hear: async (milliseconds = 20) => {
      while ((clock.nextDue ?? Infinity) > clock.now() + milliseconds) await settled();
      await clock.advance(milliseconds);
    },
  };
}

test('a write to the database updates the host files', async (t) => {
  const { move, hear, file, daemon } = await filtering(t);
  assert.deepEqual([file(A), file(UNKNOWN)], [`${A},ignore\n`, '*:*:*:*:*:*,ignore\n']);
  move('inspecting');
  await hear();
  assert.deepEqual([file(A), file(UNKNOWN)], [`${A}\n`, '*:*:*:*:*:*\n']);
  const { uuid } = await daemon.createNode();
  await daemon.createPort(uuid, B);
  move('manageable');
  await hear();
  assert.deepEqual(
    [file(A), file(B), file(UNKNOWN)],
    [`${A},ignore\n`, `${B},ignore\n`, '*:*:*:*:*:*,ignore\n'],
  );
});

test('the filter pauses between two readings and then reads the changes written meanwhile', async (t) => {
  const { move, clock, file, hear } = await filtering(t);
  move('inspecting');
  await hear(1);
  assert.equal(file(A), `${A}\n`);
  move('manageable');
  await clock.advance(19);
  assert.equal(file(A), `${A}\n`);
  await clock.advance(1);
  assert.equal(file(A), `${A},ignore\n`);
});

test('damaged and deleted host files are restored at the end of the period', async (t) => {
  const { clock, folder, file, messages } = await filtering(t);
  messages();
  writeFileSync(join(folder, A), '');
  rmSync(join(folder, UNKNOWN));
  await clock.advance(PERIOD_MILLISECONDS - QUIET_MILLISECONDS);
  assert.deepEqual([file(A), file(UNKNOWN)], [`${A},ignore\n`, '*:*:*:*:*:*,ignore\n']);
  assert.deepEqual(messages(), ['host files written']);
});

test('an unreadable database leaves the files unchanged, is logged once, and the filter recovers', async (t) => {
  const { clock, path, move, file, messages, hear } = await filtering(t);
  const writer = new SQLite(path);
  t.after(() => writer.close());
  const version = writer.pragma('user_version', { simple: true });
  messages();
  move('inspecting');
  writer.pragma('user_version = 99');
  await hear();
  await clock.advance(3 * PERIOD_MILLISECONDS);
  assert.equal(file(A), `${A},ignore\n`);
  assert.deepEqual(messages(), ['the host files remain unchanged']);
  writer.pragma(`user_version = ${String(version)}`);
  await clock.advance(PERIOD_MILLISECONDS);
  assert.equal(file(A), `${A}\n`);
  assert.deepEqual(messages(), ['host files written', 'recovered']);
});

test('the filter follows a database that replaces another', async (t) => {
  const { daemon, path, move, file, hear } = await filtering(t);
  move('inspecting');
  await hear();
  await daemon.stop();
  const restored = new SQLite(path);
  restored.pragma('wal_checkpoint(TRUNCATE)');
  restored.close();
  copyFileSync(path, `${path}.backup`);
  const backup = new SQLite(`${path}.backup`);
  backup.exec("UPDATE nodes SET provision_state = 'manageable'");
  backup.pragma('wal_checkpoint(TRUNCATE)');
  backup.close();
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  renameSync(`${path}.backup`, path);
  await hear();
  assert.equal(file(A), `${A},ignore\n`);
});

test('files that cannot be written are retried without a database change', async (t) => {
  const { clock, folder, move, hear, file, messages } = await filtering(t);
  messages();
  renameSync(folder, `${folder}.away`);
  move('inspecting');
  await hear();
  assert.deepEqual(messages(), ['the host files remain unchanged']);
  renameSync(`${folder}.away`, folder);
  await clock.advance(100);
  assert.equal(file(A), `${A}\n`);
  assert.deepEqual(messages(), ['host files written', 'recovered']);
});

test('a stopped filter writes nothing', async (t) => {
  const { filter, clock, move, file } = await filtering(t);
  filter.stop();
  move('inspecting');
  for (let turn = 0; turn < 20; turn += 1) await settled();
  assert.equal(clock.pending, 0);
  await clock.advance(2 * PERIOD_MILLISECONDS);
  assert.equal(file(A), `${A},ignore\n`);
});
