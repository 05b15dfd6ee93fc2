import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { apiRoutes } from '../../../../daemon/api/routes/all-routes.ts';
import { readAuditFile } from '../../../../daemon/lib/files/audit-file.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

// the libxcrypt digest of "secret", cost 4
const SECRET = '$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW';

const directory = mkdtempSync(path.join(tmpdir(), 'roles-'));
after(() => rmSync(directory, { recursive: true }));
const htpasswd = path.join(directory, 'htpasswd');
const users = ['rita', 'olga', 'alan', 'else', 'both'];
writeFileSync(htpasswd, users.map((user) => `${user}:${SECRET}\n`).join(''), { mode: 0o600 });

const started = (usersSection: string) =>
  startInProcess(
    { after },
    {
      ini: `auth_strategy = http_basic\nhttp_basic_auth_user_file = ${htpasswd}\n[users]\n${usersSection}`,
    },
  );

const daemon = await started('readers = rita, both\noperators = olga, both\nadmins = alan, absent\n');

const as = (user: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:secret`).toString('base64')}`,
});

async function asked(user: string, method: string, where: string, body?: unknown) {
  return await daemon.request(method, where, { headers: as(user), ...(body !== undefined && { body }) });
}

const statusOf = async (...request: Parameters<typeof asked>) => (await asked(...request)).status;

const created = await asked('alan', 'POST', '/v1/nodes', { name: 'web-1', driver: 'fake-hardware' });
assert.equal(created.status, 201);

test('a reader sees nodes and changes nothing', async () => {
  assert.equal(await statusOf('rita', 'GET', '/v1/nodes/web-1'), 200);
  for (const [method, where, body] of [
    ['PUT', '/v1/nodes/web-1/states/power', { target: 'power on' }],
    ['PATCH', '/v1/nodes/web-1', [{ op: 'add', path: '/extra/a', value: 1 }]],
    ['DELETE', '/v1/nodes/web-1', undefined],
    ['POST', '/v1/nodes', { driver: 'fake-hardware' }],
    ['PUT', '/v1/nodes/web-1/maintenance', { reason: 'x' }],
    ['POST', '/v1/allocations', { resource_class: 'x' }],
    ['GET', '/v1/nodes/web-1/vendor_passthru?method=first_method', undefined],
    ['GET', '/v1/nodes/web-1/vendor_passthru/first_method', undefined],
    ['GET', '/v1/drivers/fake-hardware/vendor_passthru/first_method', undefined],
  ] as const)
    assert.equal(await statusOf('rita', method, where, body), 403, `${method} ${where}`);
  assert.equal(await statusOf('rita', 'GET', '/v1/nodes/web-1/vendor_passthru/methods'), 200);
});

test('a refusal names the user, their role and the needed role, and is in the audit file', async () => {
  const { status, body } = await asked('rita', 'PUT', '/v1/nodes/web-1/states/power', { target: 'power on' });
  assert.equal(status, 403);
  assert.match(
    JSON.stringify(body),
    /User rita has role reader; PUT \/v1\/nodes\/web-1\/states\/power needs role operator \(\[users\]\)\./,
  );
  const last = readAuditFile(path.join(daemon.stateDirectory, 'audit.log')).at(-1);
  assert.deepEqual(
    { user: last?.user, role: last?.role, status: last?.status, target: last?.target },
    { user: 'rita', role: 'reader', status: 403, target: 'power on' },
  );
});

test('an operator may change a node, but not create or delete one, change its BMC access, or call vendor methods', async () => {
  assert.equal(await statusOf('olga', 'PUT', '/v1/nodes/web-1/maintenance', { reason: 'disk' }), 202);
  assert.equal(await statusOf('olga', 'DELETE', '/v1/nodes/web-1/maintenance'), 202);
  const patch = (...operations: readonly object[]) =>
    statusOf('olga', 'PATCH', '/v1/nodes/web-1', operations);
  assert.equal(await patch({ op: 'add', path: '/extra/row', value: 3 }), 200);
  for (const operation of [
    { op: 'add', path: '/driver_info/ipmi_address', value: '192.0.2.1' },
    { op: 'replace', path: '/driver', value: 'ipmi' },
    { op: 'replace', path: '/power_interface', value: 'fake' },
    { op: 'copy', from: '/driver_info/ipmi_password', path: '/extra/seen' },
    { op: 'move', from: '/driver_info', path: '/extra/seen' },
    { op: 'test', path: '/driver_info/ipmi_password', value: 'a guess' },
  ])
    assert.equal(
      await patch({ op: 'add', path: '/extra/row', value: 3 }, operation as object),
      403,
      JSON.stringify(operation),
    );
  assert.equal(await patch({ op: 'replace', path: '', value: {} }), 400);
  assert.equal(await patch('not an operation' as unknown as object), 403);
  assert.equal(await statusOf('olga', 'DELETE', '/v1/nodes/web-1'), 403);
  assert.equal(await statusOf('olga', 'POST', '/v1/nodes', { driver: 'fake-hardware' }), 403);
  assert.equal(await statusOf('olga', 'POST', '/v1/inspection_rules', {}), 403);
  for (const method of ['GET', 'PUT']) {
    assert.equal(await statusOf('olga', method, '/v1/nodes/web-1/bmc_password'), 403, method);
    assert.notEqual(await statusOf('alan', method, '/v1/nodes/web-1/bmc_password'), 403);
  }
  for (const called of ['?method=second_method', '/second_method'])
    assert.equal(await statusOf('olga', 'POST', `/v1/nodes/web-1/vendor_passthru${called}`, {}), 403, called);
  assert.notEqual(await statusOf('alan', 'POST', '/v1/nodes/web-1/vendor_passthru/second_method', {}), 403);
});

test('the web page carries the role of its user, and shows the role that a refused action needs', async () => {
  const headers = { ...as('rita'), accept: 'text/html', 'sec-fetch-site': 'same-origin' };
  const page = (body?: string) =>
    daemon.app.fetch(
      new Request(`http://localhost/ui/${body === undefined ? '' : 'actions'}`, {
        headers: {
          ...headers,
          ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(body !== undefined && { method: 'POST', body }),
      }),
    );
  assert.match(await (await page()).text(), /<body\s+data-role="reader"/);
  const sent = await page(`action=maintenance-on&node=${(created.body as { uuid: string }).uuid}`);
  assert.equal(sent.status, 303);
  const results = await daemon.app.fetch(
    new Request(`http://localhost${sent.headers.get('location')}`, { headers }),
  );
  assert.match(await results.text(), /User rita has role reader; PUT [^ ]+ needs role operator/);
});

test('users in no list have the default role, and a user in several lists has the lowest of these roles', async () => {
  assert.equal(
    await statusOf('else', 'PATCH', '/v1/nodes/web-1', [{ op: 'replace', path: '/driver', value: 'x' }]),
    400,
  );
  assert.equal(await statusOf('both', 'PUT', '/v1/nodes/web-1/maintenance', {}), 403);
  const closed = await started('default_role = reader\n');
  const answer = await closed.request('PUT', '/v1/nodes/web-1/maintenance', { headers: as('else') });
  assert.equal(answer.status, 403);
});

test('a role for a user who is not in the password file is logged', () => {
  assert.match(daemon.log(), /"user":"absent".*gives a role to a user who is not in the password file/);
});

test('no route but the public ones answers a client without a login, and each answers 401 before it says what exists', async () => {
  const closed = apiRoutes.filter((route) => route.public !== true);
  assert.ok(closed.length > 100, String(closed.length));
  for (const { method, path: where } of closed) {
    const asPath = where.replace(':node', 'web-1').replaceAll(/:\w+/g, 'x');
    const body = method === 'GET' ? {} : { body: {} };
    assert.equal((await daemon.request(method, asPath, body)).status, 401, `${method} ${where}`);
  }
});

test('no route that changes something is open to readers', async () => {
  const writes = apiRoutes.filter((route) => route.method !== 'GET' && route.public !== true);
  assert.ok(writes.length > 60, String(writes.length));
  for (const { method, path: where } of writes) {
    const asPath = where.replace(':node', 'web-1').replaceAll(/:\w+/g, 'x');
    const status = await statusOf('rita', method, asPath);
    assert.ok(status === 403 || status === 404 || status === 400, `${method} ${where}: ${status}`);
  }
  const { body } = await asked('rita', 'GET', '/v1/nodes');
  assert.equal((body as { nodes: readonly object[] }).nodes.length, 1);
});
