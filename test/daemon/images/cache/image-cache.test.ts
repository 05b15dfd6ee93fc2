import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { diskFull, isDiskFull } from '../../../../daemon/lib/files/disk-room.ts';
import { type Copy, ImageCache } from '../../../../daemon/images/cache/image-cache.ts';
import { cachedPlaces, leaving } from '../../../../daemon/images/cache/make-room.ts';
import { digest, MEBIBYTE } from '../../../fakes/images.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 1);

function directory(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'image-cache-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function kept(cache: ImageCache, key: string, content: Buffer): Promise<Copy> {
  await using draft = await cache.draft(key);
  await draft.write(content);
  return await cache.keep(key, draft, { url: key });
}

test('the unfinished files of a killed daemon are removed at the next start, and a truncated copy is not used', async (t) => {
  const folder = directory(t);
  const { path: file } = await kept(new ImageCache(folder), 'a', Buffer.from('content'));
  const place = path.dirname(file);
  writeFileSync(path.join(place, 'draft-1'), 'half');
  mkdirSync(path.join(folder, 'other'));
  writeFileSync(path.join(folder, 'other/draft-2'), 'half');
  const again = new ImageCache(folder);
  assert.deepEqual([readdirSync(place).length, readdirSync(path.join(folder, 'other'))], [2, []]);
  assert.equal((await again.find('a'))?.sha256, digest('content'));
  writeFileSync(file, 'cont');
  assert.equal(await again.find('a'), undefined);
});

test('a stray file in the cache does no harm, and a directory in which a file is being written counts as in use', async (t) => {
  const folder = directory(t);
  writeFileSync(path.join(folder, 'stray'), '');
  const cache = new ImageCache(folder);
  await kept(cache, 'a', Buffer.from('content'));
  const later = Date.now() + HOUR;
  const inUse = async () => (await cachedPlaces(folder, new Set(), later)).map(({ isInUse }) => isInUse);
  assert.deepEqual(await inUse(), [false]);
  await using draft = await cache.draft('a');
  await draft.write(Buffer.from('half'));
  assert.deepEqual(await inUse(), [true]);
});

const place = (name: string, hoursAgo: number, isInUse = false) => ({
  path: name,
  bytes: 10,
  usedAt: NOW - hoursAgo * HOUR,
  isInUse,
});

test('copies that were unused for too long are evicted first, then the least recently used ones until the rest fits', () => {
  const places = [
    place('new', 1),
    place('served', 90, true),
    place('older', 3),
    place('old', 80),
    place('mid', 2),
  ];
  const names = (bytes: number, hours: number) =>
    leaving(places, { bytes, milliseconds: hours * HOUR }, NOW).map((each) => each.path);
  assert.deepEqual(names(1000, 100), []);
  assert.deepEqual(names(1000, 24), ['old']);
  assert.deepEqual(names(40, 100), ['old']);
  assert.deepEqual(names(25, 100), ['old', 'older', 'mid']);
  assert.deepEqual(names(0, 0), ['old', 'older', 'mid', 'new']);
});

test('a copy that is served or was just used is in use, an unfinished file is no copy, and sizes are those on the disk', async (t) => {
  const folder = directory(t);
  const cache = new ImageCache(folder);
  await using draft = await cache.draft('draft');
  await draft.write(Buffer.alloc(4096));
  const copies = [
    await kept(cache, 'served', Buffer.alloc(MEBIBYTE, 1)),
    await kept(cache, 'idle', Buffer.from('x')),
  ];
  for (const key of ['served', 'idle']) await cache.touch(key, NOW - HOUR);
  const inUse = async (now: number) =>
    (await cachedPlaces(folder, new Set([copies[0]?.path ?? '']), now))
      .filter((each) => each.isInUse)
      .map((each) => each.path);
  assert.deepEqual(await inUse(NOW), [path.dirname(copies[0]?.path ?? '')]);
  assert.equal((await inUse(NOW - HOUR)).length, 2);
  const served = (await cachedPlaces(folder, new Set(), NOW)).find((each) => each.bytes > 100_000);
  assert.ok(served !== undefined && served.bytes < 2 * MEBIBYTE);
  truncateSync(copies[1]?.path ?? '', 64 * MEBIBYTE);
  assert.ok((await cachedPlaces(folder, new Set(), NOW)).every(({ bytes }) => bytes < 2 * MEBIBYTE));
});

test('the error about a full disk says where to free space, and is recognised as the cause of another error', async () => {
  const full = await diskFull('/tmp');
  assert.match(full.message, /the disk of \/tmp is full \(\d+ MiB free, .*\); free some space/);
  assert.ok(isDiskFull(new Error('the request failed', { cause: full })));
  assert.ok(!isDiskFull(new Error('the request failed')));
});
