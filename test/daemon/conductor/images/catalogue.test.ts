// What a node gets whose instance_info names an image of the catalogue.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTask } from '../../../../daemon/conductor/tasks/run-task.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const DIGEST = 'a'.repeat(64);
const IMAGE = { name: 'debian-13', source: 'https://images.test/d.qcow2', checksum: DIGEST };

const started = async (t: Parameters<typeof startInProcess>[0]) => {
  const daemon = await startInProcess(t);
  const add = (image: object) => daemon.request('POST', '/v1/images', { body: image });
  assert.equal((await add(IMAGE)).status, 201);
  const named = async (instance_info: object, properties: object = {}) => {
    const { uuid } = await daemon.createNode({ instance_info, properties });
    return uuid;
  };
  const taskOf = (uuid: string) => openTask({ services: daemon.services, caller: null }, uuid);
  const verdictOf = async (uuid: string) =>
    ((await daemon.request('GET', `/v1/nodes/${uuid}/validate`)).body as Record<string, unknown>)[
      'deploy'
    ] as { readonly result: boolean; readonly reason?: string };
  return { daemon, add, named, taskOf, verdictOf };
};

test('drivers see the source and checksum of the named image, and the node keeps the name', async (t) => {
  const { named, taskOf } = await started(t);
  const uuid = await named({ image_source: 'debian-13' });
  const task = taskOf(uuid);
  const { instance_info: seen } = task.view.node;
  assert.deepEqual(seen, { image_source: IMAGE.source, image_checksum: DIGEST });
  await task.view.update({ instance_info: { ...seen, image_disk_format: 'qcow2' } });
  assert.deepEqual(taskOf(uuid).node.instance_info, {
    image_source: 'debian-13',
    image_disk_format: 'qcow2',
  });
  assert.equal(task.view.node.instance_info['image_disk_format'], 'qcow2');
});

test('a checksum in instance_info takes precedence; a URL and an unknown name stay as they are', async (t) => {
  const { named, taskOf } = await started(t);
  const own = { image_source: 'debian-13', image_checksum: 'b'.repeat(64) };
  const ofOwn = taskOf(await named(own));
  assert.deepEqual(ofOwn.view.node.instance_info, { ...own, image_source: IMAGE.source });
  await ofOwn.view.update({ instance_info: ofOwn.view.node.instance_info });
  assert.deepEqual(ofOwn.node.instance_info, own);
  for (const source of ['https://images.test/other', 'debian-99'])
    assert.deepEqual(taskOf(await named({ image_source: source })).view.node.instance_info, {
      image_source: source,
    });
});

test('validate names the nearest image for a wrong name, and an image that does not fit the machine', async (t) => {
  const { add, named, verdictOf } = await started(t);
  await add({ ...IMAGE, name: 'large', min_disk_gib: 100, architecture: 'aarch64' });
  const reason = async (name: string, properties: object = {}) =>
    (await verdictOf(await named({ image_source: name }, properties))).reason ?? '';
  assert.match(await reason('debian-31'), /no image "debian-31".*did you mean debian-13\?/);
  assert.match(await reason('unrelated'), /no image "unrelated".*ironic-edge image list/);
  assert.match(await reason('large', { local_gb: '50' }), /needs a disk of 100 GiB, .*local_gb .* is 50/);
  assert.match(await reason('large', { cpu_arch: 'x86_64' }), /is for aarch64, and .* is x86_64/);
  for (const properties of [{}, { local_gb: 100, cpu_arch: 'aarch64' }, { local_gb: null }])
    assert.equal(await reason('large', properties), '');
  assert.equal(await reason('debian-13'), '');
});

test('a deployment with an unknown name is refused at once', async (t) => {
  const { daemon, named } = await started(t);
  const uuid = await named({ image_source: 'debian-31' });
  daemon.services.db.nodes.update(uuid, { provision_state: 'available' });
  const refused = await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, {
    body: { target: 'active' },
  });
  assert.ok(refused.status >= 400, refused.text);
  assert.match(refused.text, /did you mean debian-13/);
  assert.equal(daemon.services.db.nodes.get(uuid)?.provision_state, 'available');
});
