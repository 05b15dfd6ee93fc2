import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { interfaceFields } from '../../../daemon/model/machine/interface-types.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';
import { pluginFolder, pluginManifest } from '../../fakes/plugin-folder.ts';

const code = `import { definePower, defineVendor } from '#plugin-api';
const base = { properties: {}, validate() {} };
export const half = {
  power: definePower({
    ...base, properties: { half_address: { description: 'Where it is.', required: true } },
    supportedTargets: ['power on'], supportsPowerSync: false,
    getPowerState: async () => 'power on', setPowerState: async () => undefined,
  }),
  vendor: defineVendor({
    ...base,
    driverMethods: {
      ping: { httpMethods: ['GET'], description: 'Answers.', runs: 'wait', call: async () => 'pong' },
    },
  }),
};
`;

const start = (t: TestContext, drivers = 'fake,half') =>
  startInProcess(t, {
    ini: `enabled_hardware_types = fake-hardware
enabled_drivers = ${drivers}
[plugins]
path = ${pluginFolder(t, {
      'half/plugin.json': pluginManifest('half', {
        entryPoints: { 'ironic.drivers': { half: './half.ts:half' } },
      }),
      'half/half.ts': code,
    })}
`,
  });

const replace = (fields: object) =>
  Object.entries(fields).map(([name, value]: [string, unknown]) => ({
    op: 'replace',
    path: `/${name}`,
    value,
  }));

test('the driver list contains classic drivers and hardware types, and can be filtered by type', async (t) => {
  const daemon = await start(t);
  const names = async (query: string) => {
    const { body } = await daemon.request('GET', `/v1/drivers${query}`);
    return body.drivers.map(({ name, type }) => [name, type]);
  };
  const classic = [
    ['fake', 'classic'],
    ['half', 'classic'],
  ];
  assert.deepEqual(await names('?type=classic'), classic);
  const dynamic = await names('?type=dynamic');
  assert.ok(dynamic.length > 0 && dynamic.every(([, type]) => type === 'dynamic'));
  assert.deepEqual(await names(''), [...dynamic, ...classic]);
  const { body } = await daemon.request('GET', '/v1/drivers/fake');
  assert.deepEqual([body['default_power_interface'], body['enabled_power_interfaces']], [null, null]);
  const { body: conductor } = await daemon.request('GET', '/v1/conductors/lab-host');
  assert.ok(JSON.stringify(conductor).includes('"half"'));
});

test('a classic driver has the properties and vendor methods of its own interfaces', async (t) => {
  const daemon = await start(t);
  const { body } = await daemon.request('GET', '/v1/drivers/half/properties');
  assert.deepEqual(body, { half_address: 'Where it is. Required.' });
  const methods = await daemon.request('GET', '/v1/drivers/half/vendor_passthru/methods');
  assert.deepEqual(Object.keys(methods.body), ['ping']);
  const { json } = await daemon.request('GET', '/v1/drivers/half/vendor_passthru/ping');
  assert.equal(json, 'pong');
});

test('the interface fields of a node with a classic driver are null and cannot be set', async (t) => {
  const daemon = await start(t);
  const refused = await daemon.request('POST', '/v1/nodes', {
    body: { driver: 'fake', power_interface: 'fake' },
  });
  assert.equal(refused.status, 400);
  assert.match(refused.fault, /Cannot set power_interface to fake: fake is a classic driver/);
  const { uuid, ...node } = await daemon.createNode({ driver: 'fake' });
  for (const field of interfaceFields) assert.equal(node[field], null, field);
  for (const field of interfaceFields) {
    const answer = await daemon.request('PATCH', `/v1/nodes/${uuid}`, { body: replace({ [field]: 'fake' }) });
    assert.equal(answer.status, 400, field);
    assert.match(answer.fault, new RegExp(`${field} to fake: fake is a classic driver`));
  }
  assert.equal(
    (await daemon.request('PATCH', `/v1/nodes/${uuid}`, { body: replace({ power_interface: null }) })).status,
    200,
  );
});

test('changing to a classic driver clears the interface fields; changing back sets defaults', async (t) => {
  const daemon = await start(t);
  const { uuid } = await daemon.createNode({ driver: 'fake-hardware' });
  const patch = (fields: object) => daemon.request('PATCH', `/v1/nodes/${uuid}`, { body: replace(fields) });
  for (const name of ['other', 'fake']) {
    const refused = await patch({ driver: 'fake', power_interface: name });
    assert.equal(refused.status, 400, name);
    assert.match(
      refused.fault,
      new RegExp(`Cannot set power_interface to ${name}: fake is a classic driver`),
    );
  }
  assert.equal(daemon.node(uuid).driver, 'fake-hardware');
  const { body } = await patch({ driver: 'fake' });
  for (const field of interfaceFields) assert.equal(body[field], null, field);
  const { body: back } = await patch({ driver: 'fake-hardware' });
  assert.deepEqual([back['power_interface'], back['network_interface']], ['fake', 'noop']);
});

test('a node with a classic driver can be managed, and validation names an interface that the driver lacks', async (t) => {
  const daemon = await start(t);
  const { uuid } = await daemon.createNode({ driver: 'half' });
  await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'manage' } });
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable');
  assert.equal(daemon.node(uuid).power_state, 'power on');
  const { json } = await daemon.request('GET', `/v1/nodes/${uuid}/validate`);
  const verdicts = json as Record<string, { result: boolean; reason?: string }>;
  assert.equal(verdicts['power']?.result, true);
  assert.match(verdicts['boot']?.reason ?? '', /Driver half does not support boot/);
  const complete = await daemon.createNode({ driver: 'fake' });
  await daemon.request('PUT', `/v1/nodes/${complete.uuid}/states/provision`, { body: { target: 'manage' } });
  await daemon.idle();
  assert.equal(daemon.node(complete.uuid).provision_state, 'manageable');
  await daemon.request('PUT', `/v1/nodes/${complete.uuid}/states/power`, { body: { target: 'power on' } });
  await daemon.idle();
  assert.equal(daemon.node(complete.uuid).power_state, 'power on');
});

test('a node with the classic driver fake becomes available, is deployed and is taken down again', async (t) => {
  const daemon = await start(t);
  const { uuid } = await daemon.createNode({ driver: 'fake' });
  const provision = async (target: string) => {
    const answer = await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target } });
    assert.equal(answer.status, 202, `${target}: ${answer.fault}`);
    await daemon.idle();
    const { provision_state, last_error } = daemon.node(uuid);
    return [provision_state, last_error];
  };
  assert.deepEqual(await provision('manage'), ['manageable', null]);
  assert.deepEqual(await provision('inspect'), ['manageable', null]);
  assert.deepEqual(await provision('provide'), ['available', null]);
  assert.deepEqual(await provision('active'), ['active', null]);
  assert.deepEqual(await provision('deleted'), ['available', null]);
  const { json } = await daemon.request('GET', `/v1/nodes/${uuid}/validate`);
  assert.equal((json as Record<string, { result: boolean }>)['network']?.result, true);
});

test('a disabled driver cannot be used, and a plugin is set aside if another already provides its driver', async (t) => {
  const daemon = await start(t, 'half');
  const refused = await daemon.request('POST', '/v1/nodes', { body: { driver: 'fake' } });
  assert.match(refused.fault, /supports driver fake\. It is not enabled.*half/);
  await assert.rejects(start(t, 'nothing'), /enabled_drivers: no plugin provides nothing in ironic\.drivers/);
  const path = pluginFolder(t, {
    'clash/plugin.json': pluginManifest('clash', {
      entryPoints: { 'ironic.drivers': { 'fake-hardware': './half.ts:half' } },
    }),
  });
  const beside = await startInProcess(t, {
    ini: `enabled_hardware_types = fake-hardware\n[plugins]\npath = ${path}\n`,
  });
  const { body } = await beside.request('GET', '/v1/plugins');
  const [aside] = body['set_aside'] as readonly { readonly folder: string; readonly reason: string }[];
  assert.match(aside?.folder ?? '', /\/clash$/);
  assert.match(
    aside?.reason ?? '',
    /the driver fake-hardware is already provided by .*plugins\/fake; remove or rename one$/,
  );
});
