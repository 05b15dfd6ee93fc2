// [api] max_json_record_size limits a record however many requests fill it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const KIBIBYTE = 'x'.repeat(1024);

test('a patch that would make a node or a port exceed max_json_record_size is refused', async (t) => {
  const daemon = await startInProcess(t, { ini: '[api]\nmax_json_record_size = 4\n' });
  const node = await daemon.createNode();
  const port = await daemon.createPort(node.uuid, '52:54:00:00:00:01');
  for (const path of [`/v1/nodes/${node.uuid}`, `/v1/ports/${port.uuid}`]) {
    const patch = (...body: readonly object[]) => daemon.request('PATCH', path, { body });
    const add = (name: string) => ({ op: 'add', path: `/extra/${name}`, value: KIBIBYTE });
    for (const name of ['a', 'b', 'c']) assert.equal((await patch(add(name))).status, 200);
    const refused = await patch(add('d'));
    assert.equal(refused.status, 413);
    assert.match(
      refused.fault,
      /change of extra, the JSON fields of the record would total 5 KiB; the limit is 4 KiB \(\[api\] max_json_record_size\)/,
    );
    assert.equal((await patch({ op: 'add', path: '/extra/d', value: 'short' })).status, 200);
    assert.equal((await patch({ op: 'remove', path: '/extra/a' }, add('d'))).status, 200);
  }
});

test('the JSON fields of an oversized record may shrink but not grow, and its other fields may change', async (t) => {
  const daemon = await startInProcess(t, { ini: '[api]\nmax_json_record_size = 4\n' });
  const { uuid } = await daemon.createNode();
  const parts = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, KIBIBYTE]));
  daemon.services.db.nodes.update(uuid, { extra: parts });
  const patch = async (operation: object) =>
    (await daemon.request('PATCH', `/v1/nodes/${uuid}`, { body: [operation] })).status;
  assert.equal(await patch({ op: 'add', path: '/extra/g', value: 1 }), 413);
  assert.equal(await patch({ op: 'add', path: '/properties/g', value: 1 }), 413);
  assert.equal(await patch({ op: 'replace', path: '/description', value: 'x' }), 200);
  assert.equal(await patch({ op: 'remove', path: '/extra/a' }), 200);
});

test('instance_info/configdrive does not count towards the record size', async (t) => {
  const daemon = await startInProcess(t, { ini: '[api]\nmax_json_record_size = 4\n' });
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { instance_info: { configdrive: KIBIBYTE.repeat(8) } });
  const body = [{ op: 'add', path: '/instance_info/capabilities', value: {} }];
  const patch = async (operations: readonly object[]) =>
    (await daemon.request('PATCH', `/v1/nodes/${uuid}`, { body: operations })).status;
  assert.equal(await patch(body), 200);
  const elsewhere = { configdrive: KIBIBYTE.repeat(8) };
  assert.equal(await patch([{ op: 'add', path: '/extra', value: elsewhere }]), 413);
});
