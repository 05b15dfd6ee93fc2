import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { startAbleSession, uuidOf } from '../../../fakes/daemon/able-session.ts';
import { refused } from '../../../fakes/clients/api-replies.ts';

const api = await startAbleSession({ after });

const medium = {
  device_type: 'cdrom',
  image_url: 'http://images/boot.iso',
  image_download_source: 'http',
};
const attach = (node: string, body: unknown, version = 115) =>
  api.request('POST', `${node}/vmedia`, { body, version });
const detach = (node: string, query = '', version = 115) =>
  api.request('DELETE', `${node}/vmedia${query}`, { version });
const drives = async (node: string) => (await api.request('GET', `${node}/vmedia`)).body;

test('an image is attached, listed and detached', async () => {
  const node = await api.createNode('able-hardware');
  assert.deepEqual(await drives(node), [{ media_types: ['CD', 'DVD'], inserted: false, image: null }]);
  assert.equal((await attach(node, medium)).status, 204);
  await api.settled(node);
  assert.deepEqual(await drives(node), [
    { media_types: ['CD', 'DVD'], inserted: true, image: 'http://images/boot.iso' },
  ]);
  assert.equal((await detach(node)).status, 204);
  assert.deepEqual((await api.settled(node)).driver_internal_info['detached'], ['cdrom', 'disk', 'floppy']);
});

test('DELETE detaches only the named device_types', async () => {
  const node = await api.createNode('able-hardware');
  assert.equal((await detach(node, '?device_types=cdrom,disk')).status, 204);
  assert.deepEqual((await api.settled(node)).driver_internal_info['detached'], ['cdrom', 'disk']);
  assert.match(refused(await detach(node, '?device_types=cdrom,tape'), 400), /tape is not one of/);
});

test('device_types is accepted in the body, as openstacksdk sends it', async () => {
  const node = await api.createNode('able-hardware');
  const withBody = (body: unknown, query = '') => api.request('DELETE', `${node}/vmedia${query}`, { body });
  for (const device_types of ['floppy,disk', ['floppy', 'disk']]) {
    assert.equal((await withBody({ device_types }, '?device_types=cdrom')).status, 204);
    assert.deepEqual((await api.settled(node)).driver_internal_info['detached'], ['floppy', 'disk']);
  }
  assert.equal((await withBody({ device_types: null }, '?device_types=cdrom')).status, 204);
  assert.deepEqual((await api.settled(node)).driver_internal_info['detached'], ['cdrom', 'disk', 'floppy']);
  assert.match(refused(await withBody({ device_types: ['tape', { a: 1 }] }), 400), /tape is not one of/);
  assert.match(refused(await withBody({ colour: 'red' }), 400), /Unexpected arguments: colour/);
  refused(await withBody('{'), 400);
});

test('a failed attachment sets last_error, and the next request clears it', async () => {
  const node = await api.createNode('able-hardware', { driver_info: { failing: 'attachVirtualMedia' } });
  assert.equal((await attach(node, medium)).status, 204);
  const failed = await api.settled(node);
  assert.equal(
    failed.last_error,
    `Failed to attach an image as cdrom: The management interface able of plugin able failed in attachVirtualMedia on node ${node.slice(node.lastIndexOf('/') + 1)}: no luck with attachVirtualMedia`,
  );
  await detach(node);
  assert.equal((await api.settled(node)).last_error, null);
});

test('attaching an image with an unusable image_download_source fails with a hint in last_error', async () => {
  const node = await api.createNode('able-hardware');
  const reasonOf = async (fields: object) => {
    assert.equal((await attach(node, { ...medium, ...fields })).status, 204);
    return (await api.settled(node)).last_error ?? '';
  };
  assert.match(await reasonOf({ image_download_source: 'swift' }), /"swift" is not supported; use "local"/);
  for (const source of [undefined, 'local']) {
    assert.match(
      await reasonOf({ image_download_source: source }),
      /set \[boot_http\] port, or use "http" to have the BMC fetch the image itself/,
    );
    assert.match(
      await reasonOf({ image_download_source: source, image_url: 'nfs://images/boot.iso' }),
      /"local" cannot copy an image from nfs; use "http"/,
    );
  }
});

test('a driver without virtual media refuses the list, and changes fail with last_error', async () => {
  const node = await api.createNode('fake-hardware');
  assert.match(
    refused(await api.request('GET', `${node}/vmedia`), 400),
    /does not support get_virtual_media/,
  );
  assert.equal((await attach(node, medium)).status, 204);
  assert.match((await api.settled(node)).last_error ?? '', /does not support attach_virtual_media/);
  assert.equal((await detach(node)).status, 204);
  assert.match((await api.settled(node)).last_error ?? '', /does not support detach_virtual_media/);
});

test('an invalid request to attach an image is refused, and https, nfs and cifs URLs are accepted', async () => {
  const node = await api.createNode('able-hardware');
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [{}, /'device_type' is a required property/],
    [{ device_type: 'cdrom' }, /'image_url' is a required property/],
    [{ ...medium, device_type: 'tape' }, /device_type/],
    [{ ...medium, image_url: 'ftp://images/boot.iso' }, /image_url/],
    [{ ...medium, image_url: 'boot.iso' }, /image_url/],
    [{ ...medium, image_url: 'file:///etc/shadow', image_download_source: 'local' }, /image_url/],
    [{ ...medium, image_download_source: 'tape' }, /image_download_source/],
    [{ ...medium, more: 1 }, /'more' was unexpected/],
    [[], /type object/],
  ];
  for (const [body, reason] of wrong) assert.match(refused(await attach(node, body), 400), reason);
  for (const scheme of ['https', 'nfs', 'cifs'])
    assert.equal((await attach(node, { ...medium, image_url: `${scheme}://h/i` })).status, 204);
});

test('attaching and detaching return 503 while the node has a power failure', async () => {
  const node = await api.createNode('able-hardware');
  api.services.db.nodes.update(uuidOf(node), { fault: 'power failure' });
  assert.match(refused(await attach(node, medium), 503), /power failure/);
  refused(await detach(node), 503);
});

test('attaching and detaching need the lock of the node, but listing does not', async () => {
  const node = await api.createNode('able-hardware');
  const release = api.services.locks.tryAcquire(uuidOf(node));
  assert.equal((await api.request('GET', `${node}/vmedia`)).status, 200);
  refused(await attach(node, medium), 409);
  refused(await detach(node), 409);
  release?.();
});

test('attaching and detaching exist since 1.89, and the list since 1.93', async () => {
  const node = await api.createNode('able-hardware');
  refused(await attach(node, medium, 88), 404);
  refused(await detach(node, '', 88), 404);
  assert.equal((await attach(node, medium, 89)).status, 204);
  await api.settled(node);
  refused(await api.request('GET', `${node}/vmedia`, { version: 92 }), 404);
  assert.equal((await api.request('GET', `${node}/vmedia`, { version: 93 })).status, 200);
});
