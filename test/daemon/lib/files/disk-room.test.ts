// On a small disk of its own (a tmpfs): what fills it, and what is left for the database.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { convertToRaw } from '../../../../daemon/images/convert-image.ts';
import { backUp } from '../../../../daemon/db/copies/back-up.ts';
import { createDatabase } from '../../../../daemon/db/database.ts';
import { FileDraft } from '../../../../daemon/images/cache/file-draft.ts';
import { claimRoom, DiskFull, refuseWithoutRoom } from '../../../../daemon/lib/files/disk-room.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const MEBIBYTE = 2 ** 20;
const DISK_MEBIBYTES = 64;

function smallDisk(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'small-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEBIBYTES}m`, 'tmpfs', folder]);
  t.after(() => {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

function freeMebibytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return (bavail * bsize) / MEBIBYTE;
}

/** A small qcow2 image of a disk of `mebibytes`. */
function qcow2(folder: string, mebibytes: number): string {
  const [raw, file] = [path.join(folder, 'raw'), path.join(folder, 'image.qcow2')];
  writeFileSync(raw, Buffer.alloc(MEBIBYTE, 'x'));
  execFileSync('qemu-img', ['convert', '-c', '-f', 'raw', '-O', 'qcow2', raw, file]);
  execFileSync('qemu-img', ['resize', '-q', file, `${mebibytes}M`]);
  rmSync(raw);
  return file;
}

test('an image that its header makes larger than the room on the disk is refused before anything is written', async (t) => {
  const folder = smallDisk(t);
  const from = qcow2(folder, 1024);
  const to = path.join(folder, 'raw');
  const free = freeMebibytes(folder);
  const settings = { memoryMebibytes: 2048, signal: new AbortController().signal };
  await assert.rejects(
    convertToRaw({ from, to, format: 'qcow2', virtualBytes: 1024 * MEBIBYTE }, settings),
    (error) =>
      error instanceof DiskFull && /is full \(\d+ MiB free, .*; 1024 MiB are needed\)/.test(error.message),
  );
  assert.equal(freeMebibytes(folder), free);
  const small = qcow2(folder, 16);
  await convertToRaw({ from: small, to, format: 'qcow2', virtualBytes: 16 * MEBIBYTE }, settings);
});

test('two conversions that fit alone but not together do not run together, and the room of one that has ended is free', async (t) => {
  const folder = smallDisk(t);
  {
    using first = await claimRoom(path.join(folder, 'a'), 40 * MEBIBYTE);
    assert.ok(first);
    await assert.rejects(claimRoom(path.join(folder, 'b'), 40 * MEBIBYTE), DiskFull);
    await assert.rejects(refuseWithoutRoom(folder, 40 * MEBIBYTE), DiskFull);
    // what is written already is not counted twice
    writeFileSync(path.join(folder, 'a'), Buffer.alloc(30 * MEBIBYTE));
    await refuseWithoutRoom(folder, 15 * MEBIBYTE);
    await assert.rejects(refuseWithoutRoom(folder, 25 * MEBIBYTE), DiskFull);
  }
  rmSync(path.join(folder, 'a'));
  using second = await claimRoom(path.join(folder, 'b'), 40 * MEBIBYTE);
  assert.ok(second);
});

test('a download stops before it takes the last twentieth of the disk', async (t) => {
  const folder = smallDisk(t);
  await using draft = await FileDraft.create(path.join(folder, 'draft'), []);
  const piece = Buffer.alloc(256 * 1024);
  await assert.rejects(async () => {
    for (;;) await draft.write(piece);
  }, DiskFull);
  const free = freeMebibytes(folder);
  assert.ok(free > DISK_MEBIBYTES / 20 - 1.5 && free < DISK_MEBIBYTES / 20 + 2, `${free} MiB`);
});

test('a backup is refused before it takes the room of the database', (t) => {
  const folder = smallDisk(t);
  const source = path.join(folder, 'ironic-edge.sqlite');
  createDatabase(source).close();
  backUp(source, path.join(folder, 'backups'), { keep: 3, time: new Date(0) });
  writeFileSync(path.join(folder, 'fill'), Buffer.alloc(Math.floor((freeMebibytes(folder) - 3) * MEBIBYTE)));
  assert.throws(
    () => backUp(source, path.join(folder, 'backups'), { keep: 3, time: new Date(1000) }),
    DiskFull,
  );
});

test('while images fill the disk as far as they may, nodes are changed as ever', async (t) => {
  const folder = smallDisk(t);
  const stateDirectory = path.join(folder, 'state');
  mkdirSync(stateDirectory);
  const daemon = await startInProcess(t, { stateDirectory });
  const { uuid } = await daemon.createNode();
  await using draft = await FileDraft.create(path.join(folder, 'image'), []);
  const piece = Buffer.alloc(256 * 1024);
  await assert.rejects(async () => {
    for (;;) await draft.write(piece);
  }, DiskFull);
  for (let change = 0; change < 100; change += 1) {
    const value = 'y'.repeat(2000) + String(change);
    const { status, fault } = await daemon.request('PATCH', `/v1/nodes/${uuid}`, {
      body: [{ op: 'add', path: '/extra/x', value }],
    });
    assert.equal(status, 200, fault);
  }
});
