// `ironic-edge image add NAME --file PATH`, against a listening daemon.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { imageCommand } from '../../../../daemon/cli/records/image-command.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';
import { runProcess } from '../../../fakes/clients/run-process.ts';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { digest, disk, MEBIBYTE } from '../../../fakes/images.ts';

async function site(t: TestContext) {
  const daemon = await startListening(t, {});
  const folder = mkdtempSync(path.join(tmpdir(), 'upload-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const image = (...args: readonly string[]) =>
    runCommand((context) => imageCommand(args, context), { OS_ENDPOINT: daemon.url });
  const fileWith = (content: Buffer | string) => {
    const file = path.join(folder, 'an image.img');
    writeFileSync(file, content);
    return file;
  };
  const names = () => daemon.services.db.images.where({ sql: 'TRUE', values: [] }).map(({ name }) => name);
  return { daemon, folder, image, fileWith, names };
}

const ready = (content: Buffer) =>
  `web: ready, ${content.length / MEBIBYTE} MiB, sha256 ${digest(content)}\n`;

test('image add --file uploads a file and adds its record; again, the image gets new content', async (t) => {
  const { daemon, image, fileWith } = await site(t);
  const file = fileWith(disk());
  const checksum = `sha512:${digest(disk(), 'sha512')}`;
  const added = await image('add', 'web', '--file', file, '--checksum', checksum, '--arch', 'aarch64');
  assert.deepEqual(added, { code: 0, out: ready(disk()), errors: '' });
  const { architecture, source, digest: verified } = daemon.services.db.images.findBy('name', 'web') ?? {};
  assert.deepEqual([architecture, source, verified], ['aarch64', 'upload:', checksum]);
  assert.equal((await image('update')).out, 'no image with a source is ready: nothing to do\n');
  const newer = disk('newer', 2 * MEBIBYTE);
  assert.equal((await image('add', 'web', '--file', fileWith(newer))).out, ready(newer));
});

test('image add --file - uploads standard input, whose size is not known before', async (t) => {
  const { daemon } = await site(t);
  const content = disk('from standard input');
  const { code, out, errors } = await runProcess(daemon.url, ['image', 'add', 'web', '--file', '-'], content);
  assert.deepEqual({ code, out, errors }, { code: 0, out: ready(content), errors: '' });
});

test('on a terminal, image add --file shows how much is sent', async (t) => {
  const { daemon, fileWith } = await site(t);
  const drawn: string[] = [];
  const terminal = { columns: 80, rows: 24, draw: (text: string) => drawn.push(text) };
  const file = fileWith(disk('large', 4 * MEBIBYTE));
  const context = {
    environment: { OS_ENDPOINT: daemon.url },
    stdout: { write: () => undefined },
    stderr: { write: () => undefined, terminal },
  };
  assert.equal(await imageCommand(['add', 'web', '--file', file], context), 0);
  assert.equal(drawn[0], '\r\u001B[K  web: 1 MiB of 4 MiB, 25 %');
  assert.equal(drawn.at(-1), '\r\u001B[K');
});

test('an upload that the daemon refuses says why, and leaves no new record', async (t) => {
  const { image, fileWith, folder, names } = await site(t);
  const wrong: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [['--file', fileWith(disk()), '--checksum', 'a'.repeat(64)], /its sha256 is .*, expected a{64}/],
    [['--file', path.join(folder, 'none')], /--file .*none cannot be read: .*Name a file that you may read/],
    [['--file', folder], /cannot be read: it is a directory/],
    [['--file', '/dev/null'], /it is empty/],
  ];
  for (const [args, said] of wrong) {
    await assert.rejects(image('add', 'web', ...args), said);
    assert.deepEqual(names(), []);
  }
  await assert.rejects(image('add', 'web', '--file', fileWith('')), /it is empty/);
  await assert.rejects(image('add', 'web', '--file', fileWith('no image\n'.repeat(99))), /it is text/);
  await image('add', 'debian-13');
  await assert.rejects(
    image('add', 'debian-13', '--file', fileWith(disk('large', 64 * MEBIBYTE))),
    /it is fetched from https:\/\/cloud\.debian\.org/,
  );
  assert.deepEqual(names(), ['debian-13']);
  for (const args of [
    ['add', 'web', '--file', '-', '--mirror', 'http://mirror.test'],
    ['add', 'debian-13', '--checksum', 'a'.repeat(64)],
  ])
    assert.equal((await image(...args)).code, 2, args.join(' '));
});
