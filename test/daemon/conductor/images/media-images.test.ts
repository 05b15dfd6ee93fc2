import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { startFakeRedfish } from '#plugin-api/fake-redfish';
import { serveImages } from '../../../../daemon/conductor/images/serve-images.ts';
import { serveBoots } from '../../../fakes/boot/boot-http.ts';
import { httpServer } from '../../../fakes/services/http-server.ts';
import { disk } from '../../../fakes/images.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const ini = 'enabled_hardware_types = redfish\n[conductor]\nimage_server_networks = 127.0.0.0/8\n';

/** Starts a daemon that serves images, including those that an earlier daemon served from the same state directory. */
async function startServing(t: TestContext, stateDirectory?: string) {
  const daemon = await startInProcess(t, { ini, ...(stateDirectory !== undefined && { stateDirectory }) });
  const bootUrl = await serveBoots(t, daemon.services);
  serveImages(daemon.services);
  return { daemon, bootUrl };
}

const filesOf = ({ stateDirectory }: InProcessDaemon): readonly string[] => {
  const folder = path.join(stateDirectory, 'virtual-media');
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** A machine with its node, and a server of images. */
async function site(t: TestContext, info: Readonly<Record<string, string>> = {}) {
  const fake = await startFakeRedfish({ shape: 'plain' });
  t.after(() => fake.stop());
  const images = { respond: (response: ServerResponse) => void response.end(disk()) };
  const { port } = await httpServer(t, (_, response) => images.respond(response));
  const serving = await startServing(t);
  const { uuid } = await serving.daemon.createNode({
    driver: 'redfish',
    driver_info: {
      redfish_address: fake.address,
      redfish_username: 'admin',
      redfish_password: 'secret',
      ...info,
    },
  });
  const imageUrl = `http://127.0.0.1:${port}/data`;
  return { ...serving, fake, images, uuid, imageUrl, slot: () => fake.machine.media['CD'] };
}

/** Attaches an image as Metal3 does for a DataImage: without image_download_source. Returns the node's last_error. */
async function attach(daemon: InProcessDaemon, uuid: string, imageUrl: string): Promise<string | null> {
  const body = { device_type: 'cdrom', image_url: imageUrl };
  const { status, fault } = await daemon.request('POST', `/v1/nodes/${uuid}/vmedia`, { body, version: 89 });
  assert.equal(status, 204, fault);
  await daemon.idle();
  return daemon.node(uuid).last_error;
}

async function detach(daemon: InProcessDaemon, uuid: string): Promise<void> {
  const { status, fault } = await daemon.request('DELETE', `/v1/nodes/${uuid}/vmedia?device_types=cdrom`);
  assert.equal(status, 204, fault);
  await daemon.idle();
  assert.equal(daemon.node(uuid).last_error, null);
}

test('until an image is detached, a copy of it is served under a name that nobody can guess, also after a restart', async (t) => {
  const { daemon, bootUrl, uuid, imageUrl, slot } = await site(t);
  assert.equal(await attach(daemon, uuid, imageUrl), null);
  const inserted = String(slot()?.image);
  assert.ok(inserted.startsWith(`${bootUrl}/secret/`) && inserted.endsWith('/cdrom.iso'), inserted);
  const shown = await daemon.request('GET', `/v1/nodes/${uuid}`);
  assert.ok(!shown.text.includes(inserted.split('/').at(-2) ?? ''), 'the API shows the name');
  await daemon.stop();

  const again = await startServing(t, daemon.stateDirectory);
  const url = `${again.bootUrl}${new URL(inserted).pathname}`;
  const answer = await fetch(url);
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), disk());
  assert.equal((await fetch(url, { headers: { range: 'bytes=512-517' } })).status, 206);

  await detach(again.daemon, uuid);
  assert.equal(slot()?.inserted, false);
  assert.equal((await fetch(url)).status, 404);
  assert.deepEqual(filesOf(again.daemon), []);
  assert.equal(again.daemon.node(uuid).driver_internal_info.virtual_media_copies, undefined);
});

test('another image takes the place of the first one, whose copy is removed', async (t) => {
  const { daemon, uuid, imageUrl, slot } = await site(t);
  await attach(daemon, uuid, imageUrl);
  const first = String(slot()?.image);
  await attach(daemon, uuid, imageUrl);
  assert.notEqual(slot()?.image, first);
  assert.equal((await fetch(first)).status, 404);
  assert.equal(filesOf(daemon).length, 1);
  const body = { device_type: 'cdrom', image_url: 'http://192.0.2.9/a.iso', image_download_source: 'http' };
  await daemon.request('POST', `/v1/nodes/${uuid}/vmedia`, { body });
  await daemon.idle();
  assert.equal(slot()?.image, 'http://192.0.2.9/a.iso');
  assert.deepEqual(filesOf(daemon), []);
});

test('the copy of an image is removed when its node is deleted', async (t) => {
  const { daemon, uuid, imageUrl, slot } = await site(t);
  await attach(daemon, uuid, imageUrl);
  const url = String(slot()?.image);
  assert.equal((await daemon.request('DELETE', `/v1/nodes/${uuid}`)).status, 204);
  assert.equal((await fetch(url)).status, 404);
  assert.deepEqual(filesOf(daemon), []);
});

test('an image that the BMC refuses leaves no copy, and the copy of the previous image stays', async (t) => {
  const { daemon, fake, uuid, imageUrl } = await site(t);
  await attach(daemon, uuid, imageUrl);
  const before = filesOf(daemon);
  fake.bmc.faults.add({ path: 'InsertMedia', times: 9, does: { kind: 'answer', status: 400, body: {} } });
  assert.match(
    (await attach(daemon, uuid, imageUrl)) ?? '',
    /^Failed to attach an image as cdrom: No virtual media/,
  );
  assert.deepEqual(filesOf(daemon), before);
});

test('an image that cannot be used is not inserted, and last_error says why', async (t) => {
  const { daemon, images, uuid, imageUrl, slot } = await site(t);
  images.respond = (response) => void response.writeHead(404).end();
  assert.match((await attach(daemon, uuid, imageUrl)) ?? '', /image_url = http.* its server answered 404/);
  images.respond = (response) => void response.end('<html>Log in</html>');
  assert.match((await attach(daemon, uuid, imageUrl)) ?? '', /such as a web page; check the URL/);
  assert.notEqual(slot()?.inserted, true);
  assert.deepEqual(filesOf(daemon), []);
});

test('a BMC on another network gets a URL that begins with external_http_url of driver_info', async (t) => {
  const { daemon, uuid, imageUrl, slot } = await site(t, { external_http_url: 'https://198.51.100.1/' });
  assert.equal(await attach(daemon, uuid, imageUrl), null);
  assert.match(String(slot()?.image), /^https:\/\/198\.51\.100\.1\/secret\/[\w-]{43}\/cdrom\.iso$/);
});
