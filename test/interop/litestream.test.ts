// A standby that gets the changes by Litestream, the real program, while the daemon writes.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, copyFileSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { litestream, skipWithoutLitestream } from '../setup/litestream.ts';

const COMMAND = path.join(import.meta.dirname, '../../daemon/cli/ironic-edge');
const NODES = 100;

/** Runs the command as another host would, with `state` as its state directory. */
const onStandby = (state: string, ...words: readonly string[]) =>
  spawnSync(COMMAND, words, {
    encoding: 'utf8',
    env: { ...process.env, IRONIC_DEFAULT__STATE_PATH: state },
  });

/** Replicates until `write` has resolved, and then until nothing is left to send. */
async function replicateDuring(database: string, replica: string, write: () => Promise<void>): Promise<void> {
  const child = spawn(litestream, ['replicate', database, replica], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => line.includes('replicating to') && resolve());
  });
  await write();
  child.kill('SIGTERM');
  await ended;
  // when Litestream is stopped, it does not send the last changes
  execFileSync(litestream, ['replicate', '-once', database, replica], { stdio: 'pipe' });
}

/** Overwrites a part in the middle of the file. */
function damage(file: string): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(8192, 0xa5), 0, 8192, Math.floor(statSync(file).size / 2));
  closeSync(descriptor);
}

test(
  'standby promote accepts a database that Litestream restored, and refuses a damaged and a missing one',
  { skip: skipWithoutLitestream() },
  async (t) => {
    const place = await mkdtemp(path.join(tmpdir(), 'litestream-'));
    t.after(() => rm(place, { recursive: true, force: true }));
    const replica = `file://${place}/replica`;
    await using daemon = await DaemonProcess.start();
    const database = path.join(daemon.statePath, 'ironic-edge.sqlite');
    await replicateDuring(database, replica, async () => {
      for (let index = 0; index < NODES; index += 1) {
        const body = { driver: 'fake-hardware', name: `n${index}`, extra: { long: 'x'.repeat(5000) } };
        let status;
        // while Litestream checkpoints, the database may be busy for longer than the daemon waits on a slow host
        do ({ status } = await daemon.request('POST', '/v1/nodes', body));
        while (status === 503);
        assert.equal(status, 201);
      }
    });
    await daemon.kill();
    const copy = path.join(place, 'copy.sqlite');
    execFileSync(litestream, ['restore', '-o', copy, replica], { stdio: 'pipe' });
    const damaged = path.join(place, 'damaged.sqlite');
    copyFileSync(copy, damaged);
    damage(damaged);

    const standby = path.join(place, 'standby');
    const promote = (file: string) =>
      onStandby(standby, 'standby', 'promote', '--old-host-is-off', '--from', file);
    const refused = promote(damaged);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /damaged\.sqlite cannot be restored: .*Try an older backup/s);
    const accepted = promote(copy);
    assert.equal(accepted.stderr, '');
    assert.match(accepted.stdout, new RegExp(`as generation 2; nodes in quarantine: ${NODES}`));

    for (const name of readdirSync(path.join(place, 'replica'), { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.ltx')) damage(path.join(place, 'replica', name));
    const again = path.join(place, 'again.sqlite');
    assert.throws(() => execFileSync(litestream, ['restore', '-o', again, replica], { stdio: 'pipe' }));
    const missing = promote(again);
    assert.match(missing.stderr, /again\.sqlite cannot be restored: there is no such file/);
  },
);
