// Config drives, read back with isoinfo of genisoimage.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createConfigDrives } from '../../../daemon/images/config-drive.ts';
import type { Json, JsonObject } from '../../../daemon/model/json.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { fakeNode } from '../../fakes/task.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip = skipWithout('genisoimage') || skipWithout('xorriso');

const never = new AbortController().signal;
const drives = createConfigDrives({
  fetch: () => Promise.reject(new Error('nothing is fetched here')),
  check: () => Promise.reject(new Error('no URL is checked here')),
});
const nodeWith = (configdrive: Json) => fakeNode({ name: 'rack1-01', instance_info: { configdrive } });
const imageOf = (configdrive: Json) => drives.image(nodeWith(configdrive), never);

function opened(t: TestContext, base64: string | null) {
  const directory = mkdtempSync(path.join(tmpdir(), 'drive-test-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = path.join(directory, 'drive.iso');
  writeFileSync(file, gunzipSync(Buffer.from(base64 ?? '', 'base64')));
  const isoinfo = (...words: readonly string[]) =>
    execFileSync('isoinfo', ['-i', file, ...words], { encoding: 'utf8' });
  return {
    description: isoinfo('-d'),
    names: isoinfo('-R', '-f').trim().split('\n'),
    text: (name: string) => isoinfo('-R', '-x', `/openstack/${name}`),
  };
}

const documents = {
  meta_data: { 'local-hostname': 'web-1', public_keys: { admin: 'ssh-ed25519 AAAA' } },
  user_data: '#cloud-config\nhostname: web-1\n',
  network_data: { links: [{ id: 'eno1', type: 'phy' }] },
  vendor_data: { 'cloud-init': '#cloud-config\n' },
} satisfies JsonObject;

test('documents become an ISO with label config-2 in the layout of OpenStack', { skip }, async (t) => {
  const drive = opened(t, await imageOf(documents));
  assert.match(drive.description, /Volume id: config-2/);
  for (const version of ['latest', '2012-08-10']) {
    assert.equal(drive.text(`${version}/user_data`), documents.user_data);
    assert.deepEqual(JSON.parse(drive.text(`${version}/network_data.json`)), documents.network_data);
    assert.deepEqual(JSON.parse(drive.text(`${version}/vendor_data2.json`)), documents.vendor_data);
  }
});

test("the metadata has the node's UUID and name unless the request gives others", { skip }, async (t) => {
  const { uuid } = nodeWith(null);
  const given = opened(t, await imageOf(documents));
  assert.deepEqual(JSON.parse(given.text('latest/meta_data.json')), {
    uuid,
    name: 'rack1-01',
    ...documents.meta_data,
  });
  const own = opened(t, await imageOf({ meta_data: { uuid: 'u', name: 'n' } }));
  assert.deepEqual(JSON.parse(own.text('latest/meta_data.json')), { uuid: 'u', name: 'n' });
  assert.ok(!own.names.some((name) => name.endsWith('user_data')));
});

test('user data that is not text is written as JSON', { skip }, async (t) => {
  const ignition = { ignition: { version: '3.0.0' } };
  const drive = opened(t, await imageOf({ user_data: ignition }));
  assert.deepEqual(JSON.parse(drive.text('latest/user_data')), ignition);
});

const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('config-drive-'));

test('no part of a config drive remains on the disk of the daemon', { skip }, async () => {
  const before = leftovers();
  await imageOf(documents);
  const stop = new AbortController();
  const aborted = drives.image(nodeWith(documents), stop.signal);
  stop.abort(new Error('stopping'));
  await assert.rejects(aborted, /stopping/);
  assert.deepEqual(leftovers(), before);
});

test('a gzipped image and a URL pass through unchanged; a node without a config drive gives null', async () => {
  const gzipped = gzipSync('anything').toString('base64');
  assert.equal(await imageOf(gzipped), gzipped);
  assert.equal(await imageOf('https://u:p@site.test/drive'), 'https://u:p@site.test/drive');
  for (const none of [null, '']) assert.equal(await imageOf(none), null);
});

test('an ISO in base64 that is not compressed is compressed for the agent', { skip }, async (t) => {
  const iso = gunzipSync(Buffer.from((await imageOf(documents)) ?? '', 'base64'));
  const drive = opened(t, await imageOf(iso.toString('base64')));
  assert.match(drive.description, /Volume id: config-2/);
});

test(
  'a config drive at a file URL is fetched from the image store, and a truncated one is refused',
  { skip },
  async (t) => {
    const directory = mkdtempSync(path.join(tmpdir(), 'drive-test-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const file = path.join(directory, 'drive.gz');
    writeFileSync(file, gzipSync('anything'));
    const asked: string[] = [];
    const stored = createConfigDrives({
      fetch: async (url, source) => {
        asked.push(`${source} ${url}`);
        return file;
      },
      check: async (url, source) => void asked.push(`check ${source} ${url}`),
    });
    const node = nodeWith('file:///var/lib/drives/1');
    assert.equal(await stored.image(node, never), gzipSync('anything').toString('base64'));
    assert.deepEqual(asked, ['instance_info/configdrive file:///var/lib/drives/1']);
    writeFileSync(file, gzipSync('anything').subarray(0, -9));
    await rejectsFault(stored.image(node, never), 'InvalidParameter', /cannot be unpacked/);
  },
);

for (const [what, given, reason] of [
  ['a list', [], /neither an object nor a string/],
  ['an unknown document', { user_date: 'x' }, /user_date is not one of meta_data/],
  ['metadata that is text', { meta_data: 'x' }, /meta_data is not of the right type/],
  ['text that is neither a URL nor base64', 'no base64!', /neither a URL nor base64/],
  ['base64 of something that is not an image', 'QUJD', /neither an ISO 9660 or FAT image nor a gzipped one/],
  [
    'a URL with another scheme than http, https or file',
    'ftp://site.test/drive',
    /expected an http, https or file URL/,
  ],
  [
    'a truncated gzipped image',
    gzipSync('anything').subarray(0, -9).toString('base64'),
    /cannot be unpacked .*unexpected end of file/,
  ],
  [
    'a gzipped image whose content is larger than the partition for the config drive',
    gzipSync(Buffer.alloc(65 * 1024 ** 2)).toString('base64'),
    /cannot be unpacked into the 64 MiB/,
  ],
  ['an image that is too large', Buffer.alloc(65 * 1024 ** 2).toString('base64'), /65 MiB.*holds 64 MiB/],
] as const) {
  test(`${what} is refused when the deployment is requested, with a short message`, async () => {
    await rejectsFault(drives.check(nodeWith(given)), 'InvalidParameter', reason);
    const { message } = (await drives.check(nodeWith(given)).catch((error: unknown) => error)) as Error;
    assert.ok(message.length < 200);
  });
}

test('documents that do not fit into the partition for the config drive are refused', async () => {
  const large = imageOf({ user_data: 'x'.repeat(64 * 1024 ** 2) });
  await rejectsFault(large, 'InvalidParameter', /129 MiB; the partition for it holds 64 MiB/);
});

test(
  'if the host has no program for ISO images, documents are refused when the deployment is requested',
  { skip },
  async (t) => {
    const { PATH } = process.env;
    const directory = mkdtempSync(path.join(tmpdir(), 'drive-test-'));
    t.after(() => {
      process.env['PATH'] = PATH;
      rmSync(directory, { recursive: true });
    });
    process.env['PATH'] = directory;
    await rejectsFault(drives.check(nodeWith(documents)), 'ImageUnusable', /apt install xorriso/);
  },
);

// CVE-2026-48681: a path in a config drive that leads out of its folder
test('no document can name a file: the names on the drive are fixed', { skip }, async (t) => {
  const hostile = { meta_data: { '../../../etc/passwd': 'x', files: [{ path: '/etc/shadow' }] } };
  const { names } = opened(t, await imageOf(hostile));
  assert.deepEqual(names.toSorted(), [
    '/openstack',
    '/openstack/2012-08-10',
    '/openstack/2012-08-10/meta_data.json',
    '/openstack/latest',
    '/openstack/latest/meta_data.json',
  ]);
});

for (const program of ['xorriso', 'genisoimage']) {
  test(`${program} makes the drive`, { skip }, async (t) => {
    const directory = mkdtempSync(path.join(tmpdir(), 'drive-test-'));
    const { PATH } = process.env;
    t.after(() => {
      process.env['PATH'] = PATH;
      rmSync(directory, { recursive: true });
    });
    for (const name of [program, 'prlimit'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), path.join(directory, name));
    process.env['PATH'] = directory;
    const image = await imageOf(documents);
    process.env['PATH'] = PATH;
    assert.equal(opened(t, image).text('latest/user_data'), documents.user_data);
  });
}

/** An xorriso that crashes, leaving half an image, for the first `crashes` times; each run adds a line to `runs`. */
function crashingXorriso(directory: string, crashes: number): string {
  const xorriso = execFileSync('which', ['xorriso'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh
echo run >>'${directory}/runs'
[ "$(wc -l <'${directory}/runs')" -gt ${crashes} ] && exec '${xorriso}' "$@"
while [ "$1" != -o ]; do shift; done
echo half >"$2"
printf 'UNIX-SIGNAL:  SIGSEGV  errno= 0\\n' >&2
exit 1
`;
  writeFileSync(path.join(directory, 'xorriso'), script, { mode: 0o755 });
  return path.join(directory, 'runs');
}

test('xorriso runs again when it crashes, and three times at most', { skip }, async (t) => {
  const { PATH } = process.env;
  const directory = mkdtempSync(path.join(tmpdir(), 'drive-test-'));
  t.after(() => {
    process.env['PATH'] = PATH;
    rmSync(directory, { recursive: true });
  });
  process.env['PATH'] = `${directory}:${PATH}`;
  const runs = crashingXorriso(directory, 2);
  assert.equal(opened(t, await imageOf(documents)).text('latest/user_data'), documents.user_data);
  assert.equal(readFileSync(runs, 'utf8'), 'run\n'.repeat(3));
  rmSync(runs);
  crashingXorriso(directory, 3);
  await rejectsFault(imageOf(documents), 'ImageUnusable', /xorriso failed with status 1: UNIX-SIGNAL/);
  assert.equal(readFileSync(runs, 'utf8'), 'run\n'.repeat(3));
});
