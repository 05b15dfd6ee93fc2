import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { readAuditFile } from '../../../daemon/lib/files/audit-file.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

const daemon = await startInProcess({ after });
const file = path.join(daemon.stateDirectory, 'audit.log');

/** The records added while `work` runs, without time and request_id. */
async function recordedBy(work: () => Promise<unknown>): Promise<readonly object[]> {
  const before = readAuditFile(file).length;
  await work();
  return readAuditFile(file)
    .slice(before)
    .map(({ time, request_id, ...record }) => {
      assert.equal(time, new Date(daemon.clock.now()).toISOString());
      assert.match(request_id, /^req-/);
      return record;
    });
}

const from = { user: null, role: 'admin', client: null };

test('requests that create, power off, change, deploy or delete a node are recorded, refused requests included', async () => {
  let node = '';
  const records = await recordedBy(async () => {
    node = (await daemon.createNode({ name: 'web-1', driver_info: { ipmi_password: 'secret-1' } })).uuid;
    await daemon.request('PUT', '/v1/nodes/web-1/states/power', { body: { target: 'power off' } });
    await daemon.idle();
    await daemon.request('PATCH', `/v1/nodes/${node}`, {
      body: [
        { op: 'replace', path: '/driver_info/ipmi_password', value: 'secret-2' },
        { op: 'replace', path: '/name', value: 'web-2' },
      ],
    });
    await daemon.request('PUT', '/v1/nodes/web-2/states/provision', { body: { target: 'active' } });
    await daemon.request('DELETE', '/v1/nodes/web-2');
  });
  assert.deepEqual(records, [
    { ...from, method: 'POST', path: '/v1/nodes', status: 201, created: node },
    {
      ...from,
      method: 'PUT',
      path: '/v1/nodes/web-1/states/power',
      status: 202,
      node,
      node_name: 'web-1',
      target: 'power off',
    },
    {
      ...from,
      method: 'PATCH',
      path: `/v1/nodes/${node}`,
      status: 200,
      node,
      node_name: 'web-1',
      fields: ['/driver_info/ipmi_password', '/name'],
    },
    {
      ...from,
      method: 'PUT',
      path: '/v1/nodes/web-2/states/provision',
      status: 400,
      node,
      node_name: 'web-2',
      target: 'active',
    },
    { ...from, method: 'DELETE', path: '/v1/nodes/web-2', status: 204, node, node_name: 'web-2' },
  ]);
});

test('a request whose body names a node is recorded with that node', async () => {
  const { uuid } = await daemon.createNode();
  const [record] = await recordedBy(() => daemon.createPort(uuid, '52:54:00:12:34:56'));
  assert.equal((record as { node: string }).node, uuid);
});

test('read requests and requests from ramdisks are not recorded', async () => {
  const { uuid } = await daemon.createNode();
  const records = await recordedBy(async () => {
    await daemon.request('GET', '/v1/nodes');
    await daemon.request('HEAD', '/v1/nodes');
    await daemon.request('OPTIONS', '/v1/nodes');
    await daemon.request('POST', `/v1/heartbeat/${uuid}`, { body: { callback_url: 'http://192.0.2.1' } });
    await daemon.request('POST', '/v1/continue_inspection', { body: {} });
  });
  assert.deepEqual(records, []);
});

test('a failure to write the audit file is logged and does not fail the request', async (context) => {
  const folder = path.join(daemon.stateDirectory, 'folder');
  const other = await startInProcess(context, { ini: `[audit]\nfile = ${folder}/audit.log\n` });
  rmSync(folder, { recursive: true });
  mkdirSync(path.join(folder, 'audit.log'), { recursive: true });
  await other.createNode();
  assert.match(other.log(), /cannot write the audit file/);
});
