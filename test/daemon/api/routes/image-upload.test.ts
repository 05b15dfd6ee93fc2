// Uploads of images through a listening daemon.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { openTask } from '../../../../daemon/conductor/tasks/run-task.ts';
import { validateNode } from '../../../../daemon/conductor/flows/validate-node.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';
import { enrolNode } from '../../../fakes/daemon/listening-daemon.ts';
import { digest, disk, MEBIBYTE, qemuImage } from '../../../fakes/images.ts';
import {
  keptFiles,
  openUpload,
  received,
  sent,
  upload,
  UPLOADED_IMAGE,
  uploadSite,
} from '../../../fakes/services/image-upload.ts';

test('an uploaded image is ready with its digests, and a machine gets it from the daemon', async (t) => {
  const { daemon, made, call, shown, files, file } = await uploadSite(t);
  assert.equal(made.status, 201, made.text);
  const sha512 = digest(disk(), 'sha512');
  const sha256 = digest(disk());
  const { status, body } = await upload(`${file}?checksum=SHA512:${sha512}`, disk());
  assert.equal(status, 200);
  const { links: _, ...record } = body;
  assert.deepEqual(await shown(), body);
  const { state, digest: verified, bytes, error, source } = record;
  assert.deepEqual(
    [state, record['sha256'], verified, bytes, error, source],
    ['ready', sha256, `sha512:${sha512}`, MEBIBYTE, null, 'upload:'],
  );
  assert.deepEqual(files(), [sha256]);
  assert.ok(readFileSync(path.join(daemon.stateDirectory, 'catalogue', sha256)).equals(disk()));
  assert.equal((await call('POST', '/v1/images/web/verify')).body['state'], 'ready');
  const { services } = daemon;
  const uuid = await enrolNode(daemon.url, {
    driver: 'fake-hardware',
    instance_info: { image_source: 'web' },
  });
  const verdict = async () => (await validateNode({ services, caller: null }, uuid))['deploy']?.reason ?? '';
  assert.match(await verdict(), /image web is uploaded, .*set \[boot_http\] port/);
  services.networkBoots.serveFrom('http://10.0.0.1:8080');
  assert.equal(await verdict(), '');
  const { image_source: from } = openTask({ services, caller: null }, uuid).view.node.instance_info;
  assert.equal(from, `file://${daemon.stateDirectory}/catalogue/${sha256}`);
});

test('new content of an image in use is for new deployments; what machines run stays for rebuilds', async (t) => {
  const { daemon, shown, files, file } = await uploadSite(t);
  const { services } = daemon;
  services.networkBoots.serveFrom('http://10.0.0.1:8080');
  await upload(file, disk());
  const uuid = await enrolNode(daemon.url, { driver: 'fake-hardware', name: 'web-1' });
  const [first, second] = [digest(disk()), digest(disk('newer'))];
  const deployed_image = { image: 'web', sha256: first, at: '2026-01-01T00:00:00+00:00' };
  services.db.nodes.update(uuid, {
    instance_info: { image_source: 'web' },
    driver_internal_info: { deployed_image },
  });
  assert.equal((await upload(file, disk('newer'))).status, 200);
  assert.deepEqual([(await shown())['sha256'], files().toSorted()], [second, [first, second].toSorted()]);
  const { image_source: from } = openTask({ services, caller: null }, uuid).view.node.instance_info;
  assert.equal(from, `file://${daemon.stateDirectory}/catalogue/${first}`);
});

test('an upload that is cut off leaves nothing, and the next one succeeds', async (t) => {
  const { daemon, ended, shown, files, file } = await uploadSite(t);
  for (const length of [{ 'content-length': 4 * MEBIBYTE }, {}]) {
    const { request } = openUpload(file, length);
    request.write(disk());
    await received(daemon, MEBIBYTE);
    assert.equal(files().length, 1);
    assert.match(files()[0] ?? '', /^draft-/);
    request.destroy();
    await ended();
    assert.deepEqual(files(), []);
    const { state, sha256, error } = await shown();
    assert.deepEqual([state, sha256, error], ['known', null, null]);
  }
  assert.equal((await upload(file, disk())).status, 200);
});

test('while one upload runs, a second to the same name is refused; progress can be followed', async (t) => {
  const { daemon, file } = await uploadSite(t);
  const first = openUpload(file, { 'content-length': 2 * MEBIBYTE });
  first.request.write(disk());
  await received(daemon, MEBIBYTE);
  const events = await fetch(`${daemon.url}/v1/images/web/fetch`);
  const second = await upload(file, disk('other'));
  assert.equal(second.status, 409);
  assert.match(second.fault, /Image web is being uploaded already/);
  first.request.end(Buffer.alloc(MEBIBYTE));
  assert.equal((await first.answer).status, 200);
  const told = (await events.text()).split('\n\n').filter((each) => each !== '');
  assert.match(told[0] ?? '', /"state":"fetching","bytes":\d+,"total":2097152/);
  assert.match(told.at(-1) ?? '', /"state":"ready"/);
});

test('content that is no image and content with another checksum are refused, and nothing is stored', async (t) => {
  const { shown, files, file } = await uploadSite(t);
  const qcow2 = qemuImage(t, 'qcow2', disk());
  await upload(file, disk());
  const before = await shown();
  const page = Buffer.from(`<!DOCTYPE html><html>${'x'.repeat(2000)}</html>`);
  const wrong: readonly (readonly [content: Buffer, query: string, said: RegExp])[] = [
    [Buffer.alloc(0), '', /upload of image web is refused, and nothing is stored: it is empty/],
    [page, '', /it is text, such as a web page; give the image itself$/],
    [
      Buffer.from('just some text\n'.repeat(100)),
      '',
      /it is text, such as a web page; give the image itself$/,
    ],
    [
      qcow2.subarray(0, 70_000),
      '',
      /its format is qcow2, but it is cut off: it has 70000 bytes, and a part of it begins at byte \d+/,
    ],
    [qemuImage(t, 'vmdk', disk()), '', /its format is vmdk, and \[conductor\] permitted_image_formats/],
    [disk(), `?checksum=${'a'.repeat(64)}`, /its sha256 is [0-9a-f]{64}, expected a{64}/],
    [disk(), '?checksum=abc', /Invalid input for checksum/],
    [disk(), `?checksum=${digest(disk(), 'md5')}`, /it is an MD5 digest/],
    [disk(), '?sum=abc', /sum/],
  ];
  for (const [content, query, said] of wrong) {
    const { status, fault } = await upload(`${file}${query}`, content);
    assert.equal(status, 400, fault);
    assert.match(fault, said);
    assert.deepEqual(await shown(), before);
    assert.deepEqual(files(), [digest(disk())]);
  }
  assert.equal((await upload(file, qcow2)).status, 200);
});

test('an upload that is too large is refused before its body', async (t) => {
  const { file, files } = await uploadSite(t);
  const { request, answer } = openUpload(file, {
    'content-length': 64 * 1024 ** 3 + 1,
    expect: '100-continue',
  });
  let asked = false;
  request.once('continue', () => (asked = true));
  request.flushHeaders();
  const { status, fault } = await answer;
  assert.deepEqual([status, asked, files().length], [413, false, 0]);
  assert.match(fault, /larger than 67108864 KiB \(the limit for images\)/);
});

test('a client that waits for 100 Continue sends its body when the daemon reads it', async (t) => {
  const { file } = await uploadSite(t);
  const { request, answer } = openUpload(file, { 'content-length': MEBIBYTE, expect: '100-continue' });
  request.flushHeaders();
  await once(request, 'continue');
  request.end(disk());
  assert.equal((await answer).status, 200);
});

test('on a disk without room, an upload is refused before its body, or when its room ends', async (t) => {
  const stateDirectory = mkdtempSync(path.join(tmpdir(), 'small-disk-'));
  const catalogue = path.join(stateDirectory, 'catalogue');
  mkdirSync(catalogue);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', catalogue]);
  t.after(() => {
    execFileSync('umount', [catalogue]);
    rmSync(stateDirectory, { recursive: true });
  });
  const environment = { IRONIC_DEFAULT__STATE_PATH: stateDirectory };
  const { daemon, shown, file } = await uploadSite(t, { environment });
  const announced = openUpload(file, { 'content-length': 16 * MEBIBYTE, expect: '100-continue' });
  announced.request.once('continue', () => assert.fail('the body was asked for'));
  announced.request.flushHeaders();
  const full = /Image web cannot be stored: the disk of .*catalogue is full .*free some space/;
  const early = await announced.answer;
  assert.deepEqual([early.status, full.test(early.fault)], [507, true], early.fault);
  const chunked = openUpload(file);
  chunked.request.write(disk());
  for (let pieces = 0; pieces < 15; pieces += 1) chunked.request.write(Buffer.alloc(MEBIBYTE, 1));
  chunked.request.end();
  const late = await chunked.answer;
  assert.deepEqual([late.status, full.test(late.fault)], [507, true], late.fault);
  assert.deepEqual([keptFiles(stateDirectory), (await shown())['state']], [[], 'known']);
  assert.equal((await upload(file, disk('small', 4 * MEBIBYTE))).status, 200);
  // the database's disk is another one here, and the daemon still answers
  assert.equal(daemon.services.db.images.findBy('name', 'web')?.bytes, 4 * MEBIBYTE);
});

test('an upload that stalls is ended; one whose image is deleted ends with its next piece', async (t) => {
  const clock = fakeClock();
  const { daemon, call, ended, shown, files, file } = await uploadSite(t, { clock });
  const stalled = openUpload(file, { 'content-length': 2 * MEBIBYTE });
  stalled.request.write(disk());
  await received(daemon, MEBIBYTE);
  assert.equal(files().length, 1);
  // a piece that is still being written begins its time later
  const waiting = { isAnswered: false };
  void stalled.answer.finally(() => (waiting.isAnswered = true));
  while (!waiting.isAnswered) await clock.advance(10_000);
  const { status, fault } = await stalled.answer;
  assert.deepEqual([status, fault], [408, 'The client sent nothing of the request body for 60 s.']);
  await ended();
  assert.deepEqual([files(), (await shown())['state']], [[], 'known']);
  const forgotten = openUpload(file, { 'content-length': 2 * MEBIBYTE });
  forgotten.request.write(disk());
  await received(daemon, MEBIBYTE);
  assert.equal((await call('DELETE', '/v1/images/web')).status, 204);
  forgotten.request.end(Buffer.alloc(MEBIBYTE));
  const refused = await forgotten.answer;
  assert.equal(refused.status, 409);
  assert.match(refused.fault, /The image was deleted or got another source/);
  assert.deepEqual(files(), []);
});

test('an image with a source is not uploaded, and an uploaded one not fetched', async (t) => {
  const { daemon, call, file } = await uploadSite(t);
  const fetched = { name: 'debian', source: 'https://images.test/d.img', checksum: 'a'.repeat(64) };
  await call('POST', '/v1/images', fetched);
  const refused = await upload(file.replace('web', 'debian'), disk());
  assert.equal(refused.status, 409);
  assert.match(
    refused.fault,
    /it is fetched from https:\/\/images\.test\/d\.img\..*image set debian source=upload:/,
  );
  assert.equal((await upload(file.replace('web', 'none'), disk())).status, 404);
  const fetch = await call('POST', '/v1/images/web/fetch');
  assert.equal(fetch.status, 409);
  assert.match(fetch.text, /Upload it: .*ironic-edge image add web --file FILE/);
  const listed = await call('POST', '/v1/images', {
    ...UPLOADED_IMAGE,
    name: 'other',
    checksum: 'a'.repeat(64),
  });
  assert.equal(listed.status, 400);
  assert.match(listed.text, /give it with each upload/);
  const uuid = await enrolNode(daemon.url, {
    driver: 'fake-hardware',
    instance_info: { image_source: 'web' },
  });
  const verdicts = await validateNode({ services: daemon.services, caller: null }, uuid);
  assert.match(verdicts['deploy']?.reason ?? '', /image web has no content yet.*image add web --file FILE/);
});

test('an upload takes little memory, whatever its size', async () => {
  await using daemon = await DaemonProcess.start();
  await daemon.request('POST', '/v1/images', UPLOADED_IMAGE);
  const peak = () =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))?.[1]) / 1024;
  const before = peak();
  const { request, answer } = openUpload(`${daemon.url}/v1/images/web/file`);
  await sent(request, disk());
  const piece = Buffer.alloc(MEBIBYTE);
  for (let pieces = 1; pieces < 256; pieces += 1) await sent(request, piece);
  request.end();
  const { status, body } = await answer;
  assert.deepEqual([status, body['bytes']], [200, 256 * MEBIBYTE]);
  const grown = peak() - before;
  assert.ok(grown < 100, `the daemon grew by ${Math.round(grown)} MiB`);
});
