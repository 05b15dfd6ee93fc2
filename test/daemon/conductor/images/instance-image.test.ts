import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { serveImages } from '../../../../daemon/conductor/images/serve-images.ts';
import { NodeTask } from '../../../../daemon/conductor/tasks/task.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { digest, disk, MEBIBYTE } from '../../../fakes/images.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const URL = 'http://10.0.0.1:8080';

/** A folder with an image, and a daemon that may read it. */
async function site(t: TestContext) {
  const root = mkdtempSync(path.join(tmpdir(), 'instance-images-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const file = path.join(root, 'a.raw');
  writeFileSync(file, disk());
  const ini = `[conductor]\nfile_url_allowed_paths = ${root}\n`;
  return { file, ini, daemon: await startInProcess(t, { ini }) };
}

async function deploying(daemon: InProcessDaemon): Promise<NodeTask> {
  const { uuid } = await daemon.createNode();
  const { services } = daemon;
  services.db.nodes.update(uuid, { provision_state: 'deploying' });
  return new NodeTask({ services, caller: null }, daemon.node(uuid));
}

const described = (file: string) => ({
  source: `file://${file}`,
  checksum: null,
  format: 'raw',
  type: 'whole-disk' as const,
  login: null,
  isStreamed: true,
  architecture: 'x86_64',
  pullSecret: null,
});

test('the image of a deployment is served under a name that nobody can guess, until the deployment ends', async (t) => {
  const { file, daemon } = await site(t);
  const { services } = daemon;
  services.networkBoots.serveFrom(URL);
  serveImages(services);
  const task = await deploying(daemon);
  assert.equal(task.view.images.prepared, null);
  const image = await task.view.images.prepare(described(file));
  assert.match(image.url, /^http:\/\/10\.0\.0\.1:8080\/secret\/[A-Za-z0-9_-]{43}\/image$/);
  assert.deepEqual(image, { url: image.url, sha256: digest(disk()), bytes: MEBIBYTE, format: 'raw' });
  assert.deepEqual(task.view.images.prepared, image);
  const name = image.url.slice(URL.length);
  assert.deepEqual(services.served.find(name), { kind: 'file', path: file });
  const shown = await daemon.request('GET', `/v1/nodes/${task.node.uuid}`);
  assert.ok(!shown.text.includes(name.split('/')[2] ?? ''), 'the API shows the name');
  task.transition('fail');
  assert.equal(services.served.find(name), undefined);
});

test('the image is no longer served when its node is deleted during the deployment', async (t) => {
  const { file, daemon } = await site(t);
  const { services } = daemon;
  services.networkBoots.serveFrom(URL);
  serveImages(services);
  const task = await deploying(daemon);
  const { url } = await task.view.images.prepare(described(file));
  task.wait('wait', { for: 'agent', reason: 'its heartbeat' });
  services.db.nodes.update(task.node.uuid, { maintenance: true, instance_uuid: null });
  assert.equal((await daemon.request('DELETE', `/v1/nodes/${task.node.uuid}`)).status, 204);
  assert.equal(services.served.find(url.slice(URL.length)), undefined);
});

test('a restarted daemon serves the image of a running deployment under the same name', async (t) => {
  const { file, ini, daemon } = await site(t);
  daemon.services.networkBoots.serveFrom(URL);
  const task = await deploying(daemon);
  const { url } = await task.view.images.prepare(described(file));
  task.wait('wait', { for: 'agent', reason: 'its heartbeat' });
  await daemon.stop();
  const again = await startInProcess(t, { ini, stateDirectory: daemon.stateDirectory });
  serveImages(again.services);
  assert.deepEqual(again.services.served.find(url.slice(URL.length)), { kind: 'file', path: file });
});

test('without a boot HTTP server, an image is refused with a message that names the option to set', async (t) => {
  const { file, daemon } = await site(t);
  const task = await deploying(daemon);
  await rejectsFault(task.view.images.prepare(described(file)), 'ImageUnusable', /set \[boot_http\] port/);
});
