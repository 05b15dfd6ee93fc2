import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createMediaCopies } from '../../../daemon/images/media-copies.ts';
import { addressRule } from '../../../daemon/lib/network/address-rule.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { httpServer } from '../../fakes/services/http-server.ts';
import { digest, disk, loopbackWeb, MEBIBYTE } from '../../fakes/images.ts';

const never = new AbortController().signal;
const LOOPBACK = ['127.0.0.0/8'];

interface Lab {
  readonly respond?: (response: ServerResponse) => void;
  readonly largestBytes?: number;
  readonly networks?: readonly string[];
}

/** A web server, and copies of what it serves. */
async function lab(t: TestContext, { respond, largestBytes = 2 ** 40, networks = LOOPBACK }: Lab = {}) {
  const root = mkdtempSync(path.join(tmpdir(), 'media-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const { port } = await httpServer(t, (_, response) =>
    respond === undefined ? void response.end(disk()) : respond(response),
  );
  const folder = path.join(root, 'virtual-media');
  const copies = createMediaCopies({
    folder,
    largestBytes,
    web: { ...loopbackWeb, rule: addressRule(networks) },
    store: { withRoom: (work) => work() },
  });
  const files = () => (existsSync(folder) ? readdirSync(folder) : []);
  return { copies, folder, files, url: `http://127.0.0.1:${port}/data.iso` };
}

test('each copy of an image is a file of its own, which other users of the host cannot reach', async (t) => {
  const { copies, folder, url } = await lab(t);
  const [one, other] = [await copies.download(url, never), await copies.download(url, never)];
  assert.notEqual(one, other);
  assert.deepEqual(readFileSync(copies.pathOf(one)), disk());
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  await copies.remove(one);
  assert.equal(existsSync(copies.pathOf(one)), false);
  assert.equal(existsSync(copies.pathOf(other)), true);
});

test('an image that cannot be fetched or cannot be a virtual drive is refused, and no file of it remains', async (t) => {
  const refused: readonly (readonly [Lab, RegExp])[] = [
    [
      { respond: (response) => void response.end('<html>Log in first</html>') },
      /it is text, such as a web page; check the URL/,
    ],
    [{ respond: (response) => void response.writeHead(404).end('gone') }, /its server answered 404/],
    [{ respond: (response) => void response.end() }, /it is empty/],
    [
      { respond: (response) => void response.end(Buffer.concat([Buffer.from([0x1f, 0x8b]), disk()])) },
      /compressed with gzip/,
    ],
    [
      {
        respond: (response) =>
          void response.end(Buffer.concat([Buffer.from('LUKS\u00ba\u00be', 'latin1'), disk()])),
      },
      /its format is luks, which no machine reads as a drive; give an ISO or raw image/,
    ],
    [{ networks: [] }, /127\.0\.0\.1 is a loopback address/],
    [{ networks: ['192.0.2.0/24'] }, /image_server_networks/],
  ];
  for (const [setup, reason] of refused) {
    const { copies, files, url } = await lab(t, setup);
    await rejectsFault(copies.download(url, never), 'ImageUnusable', reason);
    assert.deepEqual(files(), []);
  }
});

test('a redirect to an address that is refused is not followed', async (t) => {
  const { copies, url } = await lab(t, {
    respond: (response) =>
      void response.writeHead(302, { location: 'http://169.254.169.254/meta-data' }).end(),
  });
  await rejectsFault(copies.download(url, never), 'ImageUnusable', /169\.254\.169\.254/);
});

test('files of this host, URLs of other schemes and malformed URLs are refused', async (t) => {
  const { copies } = await lab(t);
  for (const url of ['file:///etc/shadow', 'ftp://images/a.iso', 'http://[']) {
    await rejectsFault(copies.download(url, never), 'InvalidParameter', /image_url/);
  }
});

test('the checksum in a URL is verified', async (t) => {
  const { copies, files, url } = await lab(t);
  const wrong = copies.download(`${url}#sha256=${'0'.repeat(64)}`, never);
  await rejectsFault(wrong, 'ImageUnusable', /its sha256 is [0-9a-f]{64}, expected 000/);
  assert.deepEqual(files(), []);
  const name = await copies.download(`${url}#sha256=${digest(disk())}`, never);
  assert.deepEqual(files(), [name]);
});

test('all copies together stay within their limit, and an error says how to go on', async (t) => {
  const { copies, files, url } = await lab(t, { largestBytes: 2.5 * MEBIBYTE });
  const names = [await copies.download(url, never), await copies.download(url, never)];
  await rejectsFault(
    copies.download(url, never),
    'ImageUnusable',
    /would take more than 2 MiB; detach other images, raise \[pxe\] image_cache_size/,
  );
  assert.deepEqual(files().toSorted(), names.toSorted());
  await copies.remove(names[0] ?? '');
  await copies.download(url, never);
});

test('images that are downloaded at the same time stay within the limit together', async (t) => {
  const waiting: ServerResponse[] = [];
  const { copies, files, url } = await lab(t, {
    largestBytes: 1.5 * MEBIBYTE,
    respond(response) {
      response.write(disk().subarray(0, 1024));
      waiting.push(response);
    },
  });
  const slow = copies.download(url, never);
  while (waiting.length < 1 || files().length < 1) await setImmediate();
  const quick = copies.download(url, never);
  while (waiting.length < 2) await setImmediate();
  waiting[1]?.end(disk().subarray(1024));
  const name = await quick;
  waiting[0]?.end(disk().subarray(1024));
  await rejectsFault(slow, 'ImageUnusable', /would take more than 1 MiB/);
  assert.deepEqual(files(), [name]);
});

test(
  'a full disk fails the download with an error that names the disk, and no file of the download remains',
  { skip: process.getuid?.() !== 0 && 'only root can mount a small disk' },
  async (t) => {
    const { copies, folder, files, url } = await lab(t);
    mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]);
    try {
      await rejectsFault(
        copies.download(url, never),
        'ImageUnusable',
        /the disk of \S+ is full \(\d+ MiB free, .*\); free some space/,
      );
      assert.deepEqual(files(), []);
    } finally {
      execFileSync('umount', [folder]);
    }
  },
);

test('the login in a URL is not shown in errors', async (t) => {
  const { copies, url } = await lab(t, { respond: (response) => void response.writeHead(401).end() });
  const error: unknown = await copies.download(url.replace('//', '//operator:hunter2@'), never).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.match(String(error), /answered 401/);
  assert.doesNotMatch(String(error), /hunter2/);
});

test('an aborted download leaves no file', async (t) => {
  const stop = new AbortController();
  const { copies, files, url } = await lab(t, {
    respond(response) {
      response.write(disk());
      stop.abort(new Error('enough'));
    },
  });
  await assert.rejects(copies.download(url, stop.signal), /enough/);
  assert.deepEqual(files(), []);
});

test('copies that belong to no virtual drive are removed, and a name cannot lead out of the folder', async (t) => {
  const { copies, folder, files, url } = await lab(t);
  const name = await copies.download(url, never);
  await copies.download(url, never);
  writeFileSync(path.join(folder, 'left.draft'), 'half');
  copies.keepOnly(new Set([name]));
  assert.deepEqual(files(), [name]);
  const outside = path.join(folder, '../kept');
  writeFileSync(outside, '');
  await copies.remove('../kept');
  assert.equal(existsSync(outside), true);
});
