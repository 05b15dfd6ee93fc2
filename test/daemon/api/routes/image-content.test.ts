// What the daemon keeps of the images of the catalogue: fetched, verified and updated.
import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { resumeFetches } from '../../../../daemon/conductor/images/fetch-images.ts';
import { openTask } from '../../../../daemon/conductor/tasks/run-task.ts';
import { imageSite } from '../../../fakes/services/image-site.ts';
import { digest, disk, imageRequest, MEBIBYTE } from '../../../fakes/images.ts';

const HTTP = 'http://10.0.0.1:8080';

test('a fetched image is ready, with its digests and size; a deployment uses the copy without its server', async (t) => {
  const { server, daemon, fetchImage, shown } = await imageSite(t);
  assert.equal((await shown())['state'], 'known');
  const { image, told } = await fetchImage();
  const sha256 = digest(disk());
  const { state, digest: verified, bytes, error } = image as Record<string, unknown>;
  assert.deepEqual([state, verified, bytes, error], ['ready', `sha256:${sha256}`, MEBIBYTE, null]);
  assert.match(String(image['fetched_at']), /\+00:00$/);
  assert.deepEqual(told[0], { state: 'fetching', bytes: 0, total: null });
  assert.deepEqual(told.at(-1), { state: 'ready', error: null, sha256, bytes: MEBIBYTE });
  server.isGone = true;
  const { services } = daemon;
  const { uuid } = await daemon.createNode({ instance_info: { image_source: 'debian-13' } });
  const taskOf = () => openTask({ services, caller: null }, uuid);
  assert.equal(taskOf().view.node.instance_info['image_source'], `${server.url}/d.img`);
  services.networkBoots.serveFrom(HTTP);
  const { image_source: source, image_checksum: checksum } = taskOf().view.node.instance_info;
  assert.deepEqual(
    [source, checksum],
    [`file://${daemon.stateDirectory}/catalogue/${sha256}`, `sha256:${sha256}`],
  );
  for (const [deploy_interface, more] of [
    ['anaconda', {}],
    ['autodetect', { stage2: 'http://192.0.2.1/stage2.img' }],
  ] as const) {
    services.db.nodes.update(uuid, {
      deploy_interface,
      instance_info: { image_source: 'debian-13', ...more },
    });
    const { instance_info: seen } = openTask({ services, caller: null }, uuid).nodeOfDriver;
    assert.equal(seen['image_source'], `${server.url}/d.img`, deploy_interface);
  }
  assert.ok(typeof source === 'string' && typeof checksum === 'string');
  const prepared = await services.images.prepare(
    imageRequest({ source, checksum }),
    new AbortController().signal,
  );
  assert.deepEqual([prepared.sha256, prepared.isOwn], [sha256, true]);
});

test('two fetches of one image are one download', async (t) => {
  const { server, daemon, fetchImage } = await imageSite(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.gate = promise;
  for (let times = 0; times < 3; times += 1)
    assert.equal((await daemon.request('POST', '/v1/images/debian-13/fetch')).status, 202);
  assert.equal((await daemon.request('GET', '/v1/images/debian-13')).body['state'], 'fetching');
  const ended = fetchImage();
  resolve();
  assert.equal((await ended).image['state'], 'ready');
  assert.equal(server.ranges.length, 1);
});

test('a failed fetch says why; a failed update keeps the earlier content', async (t) => {
  const { server, fetchImage } = await imageSite(t);
  server.isGone = true;
  const failed = (await fetchImage()).image as Record<string, unknown>;
  assert.deepEqual([failed['state'], failed['sha256']], ['failed', null]);
  assert.match(String(failed['error']), /SHA256SUMS cannot be used: its server answered 404/);
  server.isGone = false;
  assert.equal((await fetchImage()).image['error'], null);
  server.isGone = true;
  const kept = (await fetchImage()).image as Record<string, unknown>;
  assert.deepEqual([kept['state'], kept['sha256']], ['ready', digest(disk())]);
  assert.match(String(kept['error']), /answered 404/);
});

test('another source forgets the content and ends the fetch; a deleted image leaves no file', async (t) => {
  const { server, daemon, fetchImage, shown } = await imageSite(t);
  const { kept } = daemon.services.images;
  await fetchImage();
  const sha256 = digest(disk());
  assert.ok(kept.urlOf(sha256));
  const patch = (value: string) =>
    daemon.request('PATCH', '/v1/images/debian-13', { body: [{ op: 'replace', path: '/source', value }] });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.gate = promise;
  assert.equal((await patch(`${server.url}/folder/d.img`)).body['state'], 'known');
  assert.equal(kept.urlOf(sha256), undefined);
  await daemon.request('POST', '/v1/images/debian-13/fetch');
  assert.equal((await patch(`${server.url}/d.img`)).body['state'], 'known');
  resolve();
  await daemon.idle();
  const { state, sha256: none } = (await shown()) as Record<string, unknown>;
  assert.deepEqual([state, none], ['known', null]);
  await fetchImage();
  assert.ok(kept.urlOf(sha256));
  assert.equal((await daemon.request('DELETE', '/v1/images/debian-13')).status, 204);
  assert.equal(kept.urlOf(sha256), undefined);
});

test('verify reads the copy; a damaged one is removed, and the image says so', async (t) => {
  const { daemon, fetchImage } = await imageSite(t);
  const verify = () => daemon.request('POST', '/v1/images/debian-13/verify');
  const early = await verify();
  assert.equal(early.status, 409);
  assert.match(early.fault, /keeps no copy of it, its state is known.*ironic-edge image fetch debian-13/);
  await fetchImage();
  assert.equal((await verify()).body['state'], 'ready');
  const file = fileURLToPath(daemon.services.images.kept.urlOf(digest(disk())) ?? '');
  writeFileSync(file, disk('damaged'));
  const { status, body } = await verify();
  assert.deepEqual([status, body['state'], body['sha256']], [200, 'failed', null]);
  assert.match(
    String(body['error']),
    /the copy was damaged.*get the image again: ironic-edge image fetch debian-13/,
  );
  assert.throws(() => statSync(file), /ENOENT/);
});

test('a fetch that a stop interrupts is continued at the next start', async (t) => {
  const { server, daemon, fetchImage, shown } = await imageSite(t);
  daemon.services.db.images.update((await shown()).uuid, { state: 'fetching' });
  resumeFetches(daemon.services);
  await daemon.idle();
  assert.equal((await shown())['state'], 'ready');
  const { promise } = Promise.withResolvers<void>();
  server.gate = promise;
  server.content = disk('newer');
  const ended = fetchImage();
  await daemon.request('POST', '/v1/images/debian-13/fetch');
  daemon.services.workers.close();
  await ended;
  assert.equal((await shown())['state'], 'fetching');
});

test('an update is for new deployments; a rebuild uses what the machine runs until it is undeployed', async (t) => {
  const { server, daemon, fetchImage, shown } = await imageSite(t);
  const { services } = daemon;
  services.networkBoots.serveFrom(HTTP);
  resumeFetches(services);
  await fetchImage();
  const first = digest(disk());
  const { uuid } = await daemon.createNode({ name: 'web-1', instance_info: { image_source: 'debian-13' } });
  services.db.nodes.update(uuid, { provision_state: 'available', power_state: 'power off' });
  const provision = async (target: string) => {
    const answer = await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target } });
    assert.equal(answer.status, 202, answer.text);
    await daemon.idle();
  };
  await provision('active');
  const deployed = () => daemon.node(uuid).driver_internal_info.deployed_image;
  assert.equal(daemon.node(uuid).provision_state, 'active');
  assert.deepEqual([deployed()?.image, deployed()?.sha256], ['debian-13', first]);
  assert.match(deployed()?.at ?? '', /\+00:00$/);
  assert.deepEqual((await shown())['used_by'], ['web-1']);
  const listed = (await daemon.request('GET', '/v1/images?fields=name,used_by')).body as unknown as {
    readonly images: readonly { readonly used_by: readonly string[] }[];
  };
  assert.deepEqual(listed.images[0]?.used_by, ['web-1']);
  server.content = disk('newer');
  const second = digest(server.content);
  assert.equal((await fetchImage()).image['sha256'], second);
  assert.ok(services.images.kept.urlOf(first), 'the content that the machine runs is gone');
  const sourceOf = () => {
    const { image_source: source } = openTask({ services, caller: null }, uuid).view.node.instance_info;
    return typeof source === 'string' ? path.basename(source) : undefined;
  };
  await provision('rebuild');
  assert.deepEqual([deployed()?.sha256, sourceOf()], [first, first]);
  const chosen = { op: 'add', path: '/instance_info/image_checksum', value: `sha256:${second}` };
  await daemon.request('PATCH', `/v1/nodes/${uuid}`, { body: [chosen] });
  await provision('rebuild');
  assert.deepEqual([deployed()?.sha256, sourceOf()], [second, second]);
  // waits for the removal that is under way
  await services.images.kept.remove('0'.repeat(64));
  assert.equal(services.images.kept.urlOf(first), undefined, 'nothing runs it any more');
});

test('an image that a machine runs is deleted only by force', async (t) => {
  const { daemon } = await imageSite(t);
  const { uuid } = await daemon.createNode({ name: 'web-1' });
  const deployed_image = { image: 'debian-13', sha256: null, at: '2026-01-01T00:00:00+00:00' };
  daemon.services.db.nodes.update(uuid, { driver_internal_info: { deployed_image } });
  const refused = await daemon.request('DELETE', '/v1/images/debian-13');
  assert.equal(refused.status, 409);
  assert.match(refused.fault, /it is used by node web-1\./);
  assert.equal((await daemon.request('DELETE', '/v1/images/debian-13?force=true')).status, 204);
});
