import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test, type TestContext } from 'node:test';
import { imageOn, imageServer } from '../../../fakes/services/image-site.ts';
import { digest, disk, imageRequest, imagesIn, MEBIBYTE } from '../../../fakes/images.ts';

async function site(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), 'kept-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const server = await imageServer(t);
  const images = imagesIn(folder, [folder]);
  const fetch = (more: { kept?: string; onBytes?: (bytes: number, total: number | null) => void } = {}) =>
    images.fetchForCatalogue(imageRequest(imageOn(server)), {
      kept: null,
      signal: new AbortController().signal,
      ...more,
    });
  const content = (sha256: string) =>
    readFileSync(fileURLToPath(images.kept.urlOf(sha256) ?? assert.fail('it is not kept')));
  return { folder, server, images, fetch, content };
}

test('a fetch that is cut ten times continues each time where it was cut', async (t) => {
  const { server, fetch, content } = await site(t);
  server.cuts = 10;
  const told: (readonly [number, number | null])[] = [];
  using found = await fetch({ onBytes: (...progress) => void told.push(progress) });
  assert.ok(found);
  assert.deepEqual([found.digest, found.bytes], [`sha256:${digest(disk())}`, MEBIBYTE]);
  assert.ok(content(found.sha256).equals(disk()));
  assert.equal(server.ranges.length, 11);
  const begins = server.ranges.slice(1).map((range) => Number(range.slice('bytes='.length, -1)));
  assert.deepEqual(
    begins,
    begins.toSorted((one, other) => one - other),
  );
  assert.ok(
    begins.every((begin) => begin > 0),
    String(begins),
  );
  assert.deepEqual(told.at(-1), [MEBIBYTE, MEBIBYTE]);
});

test('content that is kept already is not downloaded; what the checksum file says now is', async (t) => {
  const { server, fetch, images } = await site(t);
  using first = await fetch();
  assert.ok(first);
  const kept = first.digest ?? '';
  assert.equal(await fetch({ kept }), undefined);
  assert.equal(server.ranges.length, 1);
  server.content = disk('another disk');
  using second = await fetch({ kept });
  assert.equal(second?.sha256, digest(server.content));
  assert.ok(images.kept.urlOf(first.sha256), 'the first content is gone');
});

test('a wrong digest and a missing source are refused, and nothing is kept', async (t) => {
  const { folder, server, images, fetch } = await site(t);
  const wrong = imageRequest({ ...imageOn(server), checksum: 'a'.repeat(64) });
  const { signal } = new AbortController();
  await assert.rejects(
    images.fetchForCatalogue(wrong, { kept: null, signal }),
    /its sha256 is [0-9a-f]{64}, expected a{64}/,
  );
  server.isGone = true;
  await assert.rejects(fetch(), /SHA256SUMS cannot be used: its server answered 404/);
  server.isGone = false;
  assert.ok(
    !readdirSync(folder).includes('catalogue') || readdirSync(path.join(folder, 'catalogue')).length === 0,
  );
});

test('an image larger than the room on the disk is refused before its first byte is written', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'small-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]);
  t.after(() => {
    execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true });
  });
  const server = await imageServer(t);
  server.content = disk('large', 8 * MEBIBYTE);
  const told: number[] = [];
  const fetching = imagesIn(folder, []).fetchForCatalogue(imageRequest(imageOn(server)), {
    kept: null,
    signal: new AbortController().signal,
    onBytes: (bytes) => void told.push(bytes),
  });
  await assert.rejects(
    fetching,
    /the disk of .* is full \(4 MiB free, .*; 8 MiB are needed\); free some space/,
  );
  assert.deepEqual(told, []);
  assert.equal(server.ranges.length, 1);
});

test('content that nothing wants is removed, unless it is held, or a machine reads it', async (t) => {
  const { folder, images, fetch } = await site(t);
  const found = await fetch();
  assert.ok(found);
  await images.kept.keepOnly(() => new Set());
  assert.ok(images.kept.urlOf(found.sha256), 'it is held');
  found[Symbol.dispose]();
  await images.kept.keepOnly(() => new Set([found.sha256]));
  assert.ok(images.kept.urlOf(found.sha256), 'it is wanted');
  await images.kept.keepOnly(() => new Set());
  assert.equal(images.kept.urlOf(found.sha256), undefined);
  writeFileSync(path.join(folder, 'catalogue', 'draft-1'), 'left by a killed daemon');
  imagesIn(folder, [folder]);
  assert.deepEqual(readdirSync(path.join(folder, 'catalogue')), []);
});
