import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { Node } from '../../../../daemon/model/records/node.ts';
import { startAbleSession, uuidOf } from '../../../fakes/daemon/able-session.ts';
import { refused } from '../../../fakes/clients/api-replies.ts';

const api = await startAbleSession({ after });

type Shown = Record<string, unknown>;
const vt = {
  name: 'Virtualization',
  value: 'Enabled',
  attribute_type: 'Enumeration',
  allowable_values: ['Enabled', 'Disabled'],
  read_only: false,
};
const driver_info = {
  settings: [vt, { name: 'Asset Tag', value: null }],
  firmware: [{ component: 'bmc', current_version: '1.0', vendor: 'Acme' }],
};

/** Creates a node and verifies it, which reads its BIOS settings and firmware. Returns the node's path. */
async function verified(driverInfo: object = driver_info): Promise<string> {
  const node = await api.createNode('able-hardware', { driver_info: driverInfo });
  await verify(node);
  return node;
}

async function verify(node: string): Promise<Node> {
  api.services.db.nodes.update(uuidOf(node), { provision_state: 'enroll' });
  const reply = await api.request('PUT', `${node}/states/provision`, { body: { target: 'manage' } });
  assert.equal(reply.status, 202);
  return api.settled(node);
}

async function bios(node: string, query = '', version = 115): Promise<readonly Shown[]> {
  const reply = await api.request('GET', `${node}/bios${query}`, { version });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return (reply.json as { bios: readonly Shown[] }).bios;
}

async function firmware(node: string, query = '', version = 115): Promise<readonly Shown[]> {
  const reply = await api.request('GET', `${node}/firmware${query}`, { version });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return (reply.json as { firmware: readonly Shown[] }).firmware;
}

const SUMMARY = ['created_at', 'links', 'name', 'updated_at', 'value'];
const REGISTRY = [
  'allowable_values',
  'attribute_type',
  'lower_bound',
  'max_length',
  'min_length',
  'read_only',
  'reset_required',
  'unique',
  'upper_bound',
];
const keys = (shown: object | undefined) => Object.keys(shown ?? {}).toSorted();

test('verifying a node reads its BIOS settings, which are listed in order of name', async () => {
  const [tag, setting] = await bios(await verified(), '', 40);
  assert.equal(tag?.['name'], 'Asset Tag');
  assert.equal(tag?.['value'], null);
  assert.deepEqual(keys(setting), SUMMARY);
  assert.equal(setting?.['value'], 'Enabled');
  assert.match(String(setting?.['created_at']), /\+00:00$/);
  assert.equal(setting?.['updated_at'], null);
});

test('the self link of a BIOS setting leads to the setting, even if its name has a space', async () => {
  const node = await verified();
  const [tag] = await bios(node);
  const [self] = (tag?.['links'] ?? []) as readonly { href: string }[];
  assert.ok(self !== undefined && self.href.endsWith(`${node}/bios/Asset%20Tag`));
  const reply = await api.request('GET', new URL(self.href).pathname);
  assert.deepEqual(Object.keys(reply.body as object), ['Asset Tag']);
});

test('with detail a setting shows its registry attributes', async () => {
  const setting = (await bios(await verified(), '?detail=True'))[1];
  assert.deepEqual(keys(setting), [...SUMMARY, ...REGISTRY].toSorted());
  assert.deepEqual(setting?.['allowable_values'], ['Enabled', 'Disabled']);
  assert.equal(setting?.['read_only'], false);
  assert.equal(setting?.['upper_bound'], null);
});

test('with the argument fields, a setting shows these fields, its times and its links', async () => {
  const node = await verified();
  const shown = (await bios(node, '?fields=name,upper_bound'))[0];
  assert.deepEqual(keys(shown), ['created_at', 'links', 'name', 'updated_at', 'upper_bound']);
  refused(await api.request('GET', `${node}/bios?fields=registry`), 400);
  refused(await api.request('GET', `${node}/bios?fields=name&detail=true`), 400);
  assert.deepEqual(keys((await bios(node, '?fields=name&detail=false'))[0]).length, 4);
});

test('one setting is returned under its name, which is case-sensitive', async () => {
  const node = await verified();
  const show = (name: string, version: number) => api.request('GET', `${node}/bios/${name}`, { version });
  const old = (await show('Virtualization', 73)).body as Record<string, Shown>;
  assert.deepEqual(keys(old['Virtualization']), SUMMARY);
  const current = (await show('Virtualization', 74)).body as Record<string, Shown>;
  assert.deepEqual(keys(current['Virtualization']), [...SUMMARY, ...REGISTRY].toSorted());
  assert.match(refused(await show('virtualization', 74), 404), /a BIOS setting virtualization/);
});

test('bios returns 404 before 1.40 and firmware before 1.86, and bios refuses detail and fields before 1.74', async () => {
  const node = await verified();
  refused(await api.request('GET', `${node}/bios`, { version: 39 }), 404);
  refused(await api.request('GET', `${node}/bios/x`, { version: 39 }), 404);
  for (const query of ['?detail=true', '?fields=name'])
    refused(await api.request('GET', `${node}/bios${query}`, { version: 73 }), 400);
  refused(await api.request('GET', `${node}/bios?limit=1`), 400);
  refused(await api.request('GET', `${node}/firmware`, { version: 85 }), 404);
  refused(await api.request('GET', '/v1/nodes/nobody/bios'), 404);
});

test('verifying again updates changed settings and firmware and deletes missing settings', async () => {
  const node = await verified();
  const first = await bios(node);
  const settings = [{ ...vt, value: 'Disabled' }];
  const newer = [{ component: 'bmc', current_version: '1.1', vendor: 'Acme' }];
  api.services.db.nodes.update(uuidOf(node), { driver_info: { settings, firmware: newer } });
  await verify(node);
  const [setting, ...others] = await bios(node);
  assert.equal(others.length, 0);
  assert.equal(setting?.['value'], 'Disabled');
  assert.equal(setting?.['created_at'], first[1]?.['created_at']);
  assert.notEqual(setting?.['updated_at'], null);
  const [component] = await firmware(node);
  assert.equal(component?.['initial_version'], '1.0');
  assert.equal(component?.['current_version'], '1.1');
  const stamp = component?.['updated_at'];
  await verify(node);
  assert.equal((await firmware(node))[0]?.['updated_at'], stamp);
});

test('verifying records the boot mode and succeeds even if reading the BIOS settings fails', async () => {
  const node = await verified({ ...driver_info, failing: 'readSettings' });
  const stored = await api.settled(node);
  assert.equal(stored.provision_state, 'manageable');
  assert.equal(stored.boot_mode, 'bios');
  assert.equal(stored.secure_boot, false);
  assert.deepEqual(await bios(node), []);
  assert.equal((await firmware(node)).length, 1);
});

test('firmware is shown without links, and before 1.114 without vendor, model and serial_number', async () => {
  const node = await verified();
  const old = (await firmware(node, '', 113))[0];
  assert.deepEqual(keys(old), [
    'component',
    'created_at',
    'current_version',
    'initial_version',
    'last_version_flashed',
    'updated_at',
  ]);
  const current = (await firmware(node, '?fields=component,vendor', 114))[0];
  assert.deepEqual(keys(current), ['component', 'created_at', 'updated_at', 'vendor']);
  assert.equal(current?.['vendor'], 'Acme');
  refused(await api.request('GET', `${node}/firmware?fields=vendor`, { version: 113 }), 400);
  refused(await api.request('GET', `${node}/firmware?fields=colour`), 400);
});

test('a node that was never verified has no settings and firmware, and deleting a node deletes both', async () => {
  const fake = await api.createNode('manual-management');
  assert.deepEqual(await bios(fake), []);
  assert.deepEqual(await firmware(fake), []);
  const node = await verified();
  assert.equal((await api.request('DELETE', node)).status, 204);
  assert.deepEqual(api.services.db.biosSettings.ofNode(uuidOf(node)), []);
  assert.deepEqual(api.services.db.firmwareComponents.ofNode(uuidOf(node)), []);
});
