import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { imageCommand } from '../../../../daemon/cli/records/image-command.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { imageOn, imageServer } from '../../../fakes/services/image-site.ts';
import { digest, disk } from '../../../fakes/images.ts';

async function site(t: TestContext) {
  const server = await imageServer(t);
  const daemon = await startListening(t, {
    environment: { IRONIC_CONDUCTOR__IMAGE_SERVER_NETWORKS: '127.0.0.0/8' },
  });
  const image = (...args: readonly string[]) =>
    runCommand((context) => imageCommand(args, context), { OS_ENDPOINT: daemon.url });
  const { name, source, checksum } = imageOn(server);
  await image('create', `name=${name}`, `source=${source}`, `checksum=${checksum}`);
  return { server, image, daemon };
}

test('image fetch waits until the image is ready; update says that there is nothing to do, or what is new', async (t) => {
  const { server, image } = await site(t);
  assert.equal((await image('update')).out, 'no image with a source is ready: nothing to do\n');
  const sha256 = digest(disk());
  const fetched = await image('fetch', 'debian-13');
  assert.deepEqual(fetched, { code: 0, out: `debian-13: ready, 1 MiB, sha256 ${sha256}\n`, errors: '' });
  assert.equal(
    (await image('update')).out,
    `debian-13: nothing to do, its source still has sha256 ${sha256}\n`,
  );
  assert.equal((await image('verify', 'debian-13')).out, 'debian-13: its copy is good\n');
  server.content = disk('newer');
  const newer = `debian-13: ready, 1 MiB, sha256 ${digest(server.content)}\n`;
  assert.equal((await image('update', 'debian-13')).out, newer);
  const { out } = await image('list', '-f', 'csv');
  assert.match(out, /^uuid,name,architecture,state,used_by,source\n.*,debian-13,.*ready/);
});

test('image fetch says why an image cannot be fetched, and goes on with the next one', async (t) => {
  const { server, image } = await site(t);
  await image('create', 'name=gone', `source=${server.url}/d.img`, `checksum=${server.url}/OTHER`);
  const { code, out, errors } = await image('fetch', 'gone', 'debian-13');
  assert.equal(code, 1);
  assert.match(errors, /^gone: Image .*\/OTHER cannot be used: /);
  assert.match(out, /^debian-13: ready/);
  await assert.rejects(image('fetch', 'debain-13'), /did you mean debian-13\?/);
  await assert.rejects(image('verify', 'gone'), /keeps no copy of it, its state is failed/);
});

test('image delete refuses an image that machines run, and obeys --force', async (t) => {
  const { image, daemon } = await site(t);
  const made = await fetch(`${daemon.url}/v1/nodes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'openstack-api-version': 'baremetal 1.90' },
    body: JSON.stringify({
      driver: 'fake-hardware',
      name: 'web-1',
      instance_info: { image_source: 'debian-13' },
    }),
  });
  assert.equal(made.status, 201);
  await assert.rejects(image('delete', 'debian-13'), /it is used by node web-1/);
  assert.equal((await image('delete', 'debian-13', '--force')).code, 0);
  assert.doesNotMatch((await image('list')).out, /debian-13/);
});
