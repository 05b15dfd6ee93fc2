import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readAuditFile } from '../../../daemon/lib/files/audit-file.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

test('the audit entry of a request names the node as its handler found it, without a second look-up', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ name: 'old' });
  const { mock } = t.mock.method(daemon.services.db.nodes, 'findBy');
  const rename = [{ op: 'replace', path: '/name', value: 'new' }];
  const changed = await daemon.request('PATCH', '/v1/nodes/old', { body: rename });
  assert.equal(changed.status, 200);
  const named = () => mock.calls.map(({ arguments: [, name] }) => name);
  assert.deepEqual(named(), ['old']);
  assert.equal((await daemon.request('DELETE', '/v1/nodes/new')).status, 204);
  assert.deepEqual(named(), ['old', 'new']);
  const records = readAuditFile(path.join(daemon.stateDirectory, 'audit.log')).slice(-2);
  assert.deepEqual(
    records.map(({ node, node_name }) => [node, node_name]),
    [
      [uuid, 'old'],
      [uuid, 'new'],
    ],
  );
});

test('the audit entry of a new port or allocation names the node that the request body gives', async (t) => {
  const daemon = await startInProcess(t);
  await daemon.createNode({ name: 'one' });
  const address = '52:54:00:00:00:01';
  await daemon.request('POST', '/v1/ports', { body: { node_ident: 'one', address } });
  await daemon.request('POST', '/v1/allocations', { body: { node: 'one', resource_class: 'c' } });
  const records = readAuditFile(path.join(daemon.stateDirectory, 'audit.log')).slice(-2);
  assert.deepEqual(
    records.map(({ node_name }) => node_name),
    ['one', 'one'],
  );
});

test('a refused request is recorded with its node, even if refused before the look-up, unless the node is unknown', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ name: 'one' });
  const body = [{ op: 'replace', path: '/nothing', value: 1 }];
  assert.equal((await daemon.request('PATCH', `/v1/nodes/${uuid}`, { body })).status, 400);
  assert.equal((await daemon.request('DELETE', '/v1/nodes/nobody')).status, 404);
  const records = readAuditFile(path.join(daemon.stateDirectory, 'audit.log')).slice(-2);
  assert.deepEqual(
    records.map(({ status, node_name }) => [status, node_name]),
    [
      [400, 'one'],
      [404, undefined],
    ],
  );
});
