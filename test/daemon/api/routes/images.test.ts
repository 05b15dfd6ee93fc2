// The catalogue of images over HTTP, and what nodes get whose instance_info names one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const DIGEST = 'a'.repeat(64);
const IMAGE = { name: 'debian-13', source: 'https://images.test/d.qcow2', checksum: DIGEST };

test('POST creates an image, which is shown by name and changed; DELETE removes it', async (t) => {
  const daemon = await startInProcess(t);
  const made = await daemon.request('POST', '/v1/images', { body: { ...IMAGE, min_disk_gib: 5 } });
  assert.equal(made.status, 201, made.text);
  const { uuid, links: _links, created_at: time, ...rest } = made.body;
  assert.deepEqual(rest, {
    ...IMAGE,
    signing_key: null,
    signature_url: null,
    architecture: null,
    min_disk_gib: 5,
    login_user: null,
    description: null,
    state: 'known',
    digest: null,
    signature: null,
    sha256: null,
    bytes: null,
    fetched_at: null,
    error: null,
    used_by: [],
    updated_at: null,
  });
  assert.match(String(time), /\+00:00$/);
  const changed = await daemon.request('PATCH', `/v1/images/${uuid}`, {
    body: [
      { op: 'replace', path: '/name', value: 'debian' },
      { op: 'remove', path: '/min_disk_gib' },
    ],
  });
  assert.deepEqual([changed.body['name'], changed.body['min_disk_gib']], ['debian', null]);
  const { images } = (await daemon.request('GET', '/v1/images')).body as unknown as {
    images: { name: string }[];
  };
  assert.deepEqual(
    images.map(({ name }) => name),
    ['debian'],
  );
  assert.equal((await daemon.request('DELETE', '/v1/images/debian')).status, 204);
  assert.equal((await daemon.request('GET', '/v1/images/debian')).status, 404);
});

test('a wrong field is refused with 400 and what was expected, a taken name with 409, and nothing changes', async (t) => {
  const daemon = await startInProcess(t);
  const post = (body: object) => daemon.request('POST', '/v1/images', { body });
  const wrong: readonly (readonly [fields: object, said: RegExp])[] = [
    [{ source: 'debian.qcow2' }, /Invalid input for source: .*debian\.qcow2.* is not an http/],
    [{ source: 'ftp://images.test/d' }, /Invalid input for source/],
    [{ source: 'https://images.test/' }, /ends in a slash/],
    [{ source: 'https://images.test/d#x' }, /Invalid input for source/],
    [{ source: 'file:///etc/shadow' }, /file_url_allowed_paths/],
    [{ source: 'http://127.0.0.1/d.qcow2' }, /loopback/],
    [{ source: 'oci://registry.test/web:1', checksum: 'https://images.test/S' }, /SHA-256 only/],
    [{ checksum: null }, /Invalid input for checksum: it is missing/],
    [{ checksum: 'abc' }, /Invalid input for checksum: .*expected an MD5, SHA-256/],
    [{ checksum: 'a'.repeat(32) }, /Invalid input for checksum: it is an MD5 digest/],
    [{ name: 'a b' }, /invalid name .*a b.* for the image/],
    [{ name: 'a:b' }, /invalid name/],
    [{ architecture: 'arm64' }, /architecture/],
    [{ min_disk_gib: 0 }, /min_disk_gib/],
    [{ min_disk_gib: '5' }, /min_disk_gib/],
    [{ login_user: 'root;x' }, /login_user/],
    [{ size: 1 }, /size/],
  ];
  for (const [fields, said] of wrong) {
    const { status, text } = await post({ ...IMAGE, ...fields });
    assert.equal(status, 400, `${JSON.stringify(fields)} ${text}`);
    assert.match(text, said);
  }
  assert.deepEqual((await daemon.request('GET', '/v1/images')).body, { images: [] });
  assert.equal((await post(IMAGE)).status, 201);
  const taken = await post(IMAGE);
  assert.equal(taken.status, 409);
  assert.match(taken.text, /An image with name debian-13 already exists/);
  const patch = [{ op: 'replace', path: '/checksum', value: 'abc' }];
  assert.equal((await daemon.request('PATCH', '/v1/images/debian-13', { body: patch })).status, 400);
  assert.equal((await daemon.request('GET', '/v1/images/debian-13')).body['checksum'], DIGEST);
});

test('an image that a node names is neither deleted nor renamed: 409 names the nodes', async (t) => {
  const daemon = await startInProcess(t);
  await daemon.request('POST', '/v1/images', { body: IMAGE });
  const { uuid } = await daemon.createNode({ name: 'web-1', instance_info: { image_source: 'debian-13' } });
  const rename = [{ op: 'replace', path: '/name', value: 'other' }];
  for (const refused of [
    await daemon.request('DELETE', '/v1/images/debian-13'),
    await daemon.request('PATCH', '/v1/images/debian-13', { body: rename }),
  ]) {
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.text, /web-1/);
  }
  const body = [{ op: 'replace', path: '/instance_info/image_source', value: 'https://images.test/x' }];
  await daemon.request('PATCH', `/v1/nodes/${uuid}`, { body });
  assert.equal((await daemon.request('DELETE', '/v1/images/debian-13')).status, 204);
});
