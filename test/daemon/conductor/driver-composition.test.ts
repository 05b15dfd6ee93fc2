import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { initialNode } from '../../../daemon/model/records/node.ts';
import { interfaceFields } from '../../../daemon/model/machine/interface-types.ts';
import { compositionOptions, compositionPlugin } from '../../fakes/composition-plugin.ts';
import {
  type InProcessDaemon,
  type InProcessOptions,
  startInProcess,
} from '../../fakes/daemon/in-process-daemon.ts';

const start = (t: TestContext, extra = '', options: InProcessOptions = {}) => {
  const ini = compositionOptions(compositionPlugin(t));
  return startInProcess(t, { ...options, ini: extra + ini });
};

const replace = (fields: Readonly<Record<string, unknown>>) =>
  Object.entries(fields).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));

const patch = (
  daemon: InProcessDaemon,
  uuid: string,
  fields: Readonly<Record<string, unknown>>,
  query = '',
) => daemon.request('PATCH', `/v1/nodes/${uuid}${query}`, { body: replace(fields) });

test('the API lists the interfaces and defaults of the hardware types as in the driver composition specification', async (t) => {
  const daemon = await start(t);
  const lists = async (driver: string) => {
    const { body } = await daemon.request('GET', `/v1/drivers/${driver}`);
    return {
      power: body['enabled_power_interfaces'],
      inspect: body['enabled_inspect_interfaces'],
      defaults: [body['default_power_interface'], body['default_inspect_interface']],
      type: body['type'],
    };
  };
  const defaults = ['ipmitool', 'inspector'];
  assert.deepEqual(await lists('generic-ipmi'), {
    power: ['ipmitool', 'ipminative'],
    inspect: ['inspector'],
    defaults,
    type: 'dynamic',
  });
  const inspect = ['inspector', 'ilo'];
  const power = ['ipmitool', 'ipminative', 'ilo'];
  assert.deepEqual(await lists('ilo-gen8'), { power, inspect, defaults, type: 'dynamic' });
  assert.deepEqual(await lists('ilo-gen9'), {
    power: [...power, 'redfish'],
    inspect,
    defaults,
    type: 'dynamic',
  });
});

test('changing only the driver fails if the new driver does not support the boot interface of the node', async (t) => {
  const daemon = await start(t);
  const { uuid, ...created } = await daemon.createNode({ driver: 'ilo-gen8' });
  assert.equal(created['boot_interface'], 'vmedia_ilo');
  const alone = await patch(daemon, uuid, { driver: 'generic-ipmi' });
  assert.equal(alone.status, 400);
  assert.match(alone.fault, /boot interface vmedia_ilo to hardware type generic-ipmi.*enabled: ipxe/);
  assert.equal(daemon.node(uuid).driver, 'ilo-gen8');
  const both = await patch(daemon, uuid, { boot_interface: 'ipxe', driver: 'generic-ipmi' });
  assert.equal(both.status, 200, both.text);
  assert.deepEqual([both.body['driver'], both.body['boot_interface']], ['generic-ipmi', 'ipxe']);
});

test('reset_interfaces restores the default of every interface that the patch does not name', async (t) => {
  const daemon = await start(t);
  const { uuid } = await daemon.createNode({ driver: 'ilo-gen9', power_interface: 'redfish' });
  const changes = { driver: 'ilo-gen8', inspect_interface: 'ilo' };
  assert.equal((await patch(daemon, uuid, changes)).status, 400);
  const { body } = await patch(daemon, uuid, changes, '?reset_interfaces=true');
  assert.deepEqual([body['power_interface'], body['inspect_interface']], ['ipmitool', 'ilo']);
  const named = { driver: 'ilo-gen9', inspect_interface: 'ilo' };
  const { body: again } = await patch(daemon, uuid, named, '?reset_interfaces=true');
  assert.equal(again['inspect_interface'], 'ilo', 'an interface named with its current value is not reset');
  assert.equal((await patch(daemon, uuid, { extra: {} }, '?reset_interfaces=true')).status, 400);
});

test('an interface default is stored at creation and recalculated when the field becomes null', async (t) => {
  const first = await start(t);
  const { uuid } = await first.createNode({ driver: 'ilo-gen9' });
  assert.equal(first.node(uuid).power_interface, 'ipmitool');
  await first.stop();
  const again = await start(t, 'default_power_interface = ilo', { stateDirectory: first.stateDirectory });
  assert.equal(again.node(uuid).power_interface, 'ipmitool');
  const { body } = await patch(again, uuid, { power_interface: null });
  assert.equal(body['power_interface'], 'ilo');
  const removed = await again.request('PATCH', `/v1/nodes/${uuid}`, {
    body: [{ op: 'remove', path: '/power_interface' }],
  });
  assert.equal(removed.body['power_interface'], 'ilo');
  const unfit = await again.request('POST', '/v1/nodes', { body: { driver: 'generic-ipmi' } });
  assert.equal(unfit.status, 400);
  assert.match(
    unfit.fault,
    /No default power interface for hardware type generic-ipmi, which does not support ilo.*: ipmitool, ipminative$/,
  );
  const { body: driver } = await again.request('GET', '/v1/drivers/generic-ipmi');
  assert.equal(driver['default_power_interface'], null);
  await again.createNode({ driver: 'generic-ipmi', power_interface: 'ipminative' });
});

test('nodes can be listed by each interface field', async (t) => {
  const daemon = await start(t);
  const { uuid, ...node } = await daemon.createNode({
    driver: 'ilo-gen9',
    power_interface: 'redfish',
    inspect_interface: 'ilo',
  });
  await daemon.createNode({ driver: 'generic-ipmi' });
  for (const field of interfaceFields) {
    const { body } = await daemon.request('GET', `/v1/nodes?${field}=${String(node[field])}`);
    assert.ok(
      body.nodes.some((one) => one.uuid === uuid),
      field,
    );
    const { body: none } = await daemon.request('GET', `/v1/nodes?${field}=nothing`);
    assert.deepEqual(none.nodes, [], field);
  }
  const { body } = await daemon.request('GET', '/v1/nodes?power_interface=redfish');
  assert.equal(body.nodes.length, 1);
});

test('a node with a disabled interface stays editable, and validation reports only that interface as not enabled', async (t) => {
  const first = await start(t);
  const { uuid } = await first.createNode({
    driver: 'ilo-gen9',
    inspect_interface: 'ilo',
    power_interface: 'ilo',
  });
  await first.stop();
  const stateDirectory = first.stateDirectory;
  const ini = compositionOptions(compositionPlugin(t)).replace('inspector,ilo', 'inspector');
  const daemon = await startInProcess(t, { stateDirectory, ini });
  assert.equal((await daemon.request('GET', `/v1/nodes/${uuid}`)).body['inspect_interface'], 'ilo');
  const edited = await patch(daemon, uuid, { name: 'renamed', extra: { a: 1 }, instance_info: { b: 2 } });
  assert.equal(edited.status, 200, edited.text);
  const { json } = await daemon.request('GET', `/v1/nodes/${uuid}/validate`);
  const verdicts = Object.entries(json as Record<string, { result: boolean; reason?: string }>);
  const refused =
    /enabled inspect interfaces: ilo\. Valid interfaces are: inspector \(\[DEFAULT\] enabled_inspect_interfaces\)/;
  assert.deepEqual(
    verdicts.filter(([, { reason }]) => refused.test(reason ?? '')).map(([type]) => type),
    ['inspect'],
  );
  assert.deepEqual(
    verdicts.filter(([, { result }]) => result).map(([type]) => type),
    ['boot', 'management', 'network', 'power', 'storage'],
  );
  const manage = { body: { target: 'manage' } };
  assert.equal((await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, manage)).status, 202);
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable');
  const inspect = await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, {
    body: { target: 'inspect' },
  });
  assert.equal(inspect.status, 400);
  assert.match(inspect.fault, refused);
  assert.equal(
    (await patch(daemon, uuid, { inspect_interface: null })).body['inspect_interface'],
    'inspector',
  );
});

test('a node with a disabled hardware type stays editable, and its driver can be changed', async (t) => {
  const first = await start(t);
  const { uuid } = await first.createNode({ driver: 'ilo-gen9' });
  await first.stop();
  const daemon = await start(t, '', { stateDirectory: first.stateDirectory });
  const ini = compositionOptions(compositionPlugin(t)).replace(',ilo-gen9', '').replace(',redfish', '');
  await daemon.stop();
  const without = await startInProcess(t, { stateDirectory: first.stateDirectory, ini });
  assert.equal((await patch(without, uuid, { extra: { a: 1 } })).status, 200);
  const { json } = await without.request('GET', `/v1/nodes/${uuid}/validate`);
  for (const { result, reason } of Object.values(
    json as Record<string, { result: boolean; reason?: string }>,
  )) {
    assert.equal(result, false);
    assert.match(
      reason ?? '',
      /driver ilo-gen9\. It is not enabled; enabled drivers: generic-ipmi, ilo-gen8/,
    );
  }
  assert.equal((await patch(without, uuid, { driver: 'ilo-gen8' })).status, 200);
});

test('interface fields can be changed only in certain provision states or in maintenance', async (t) => {
  const daemon = await start(t);
  const { uuid } = await daemon.createNode({ driver: 'ilo-gen9' });
  const to = (power_interface: string) => patch(daemon, uuid, { power_interface });
  const allowed = ['enroll', 'inspect wait', 'manageable', 'available'] as const;
  for (const state of allowed) {
    daemon.services.db.nodes.update(uuid, { provision_state: state });
    assert.equal((await to('ilo')).status, 200, state);
    assert.equal((await to('ipmitool')).status, 200, state);
  }
  daemon.services.db.nodes.update(uuid, { provision_state: 'active' });
  const refused = await to('ilo');
  assert.equal(refused.status, 409);
  assert.match(refused.fault, /power_interface changed while it is in state "active"/);
  daemon.services.db.nodes.update(uuid, { maintenance: true });
  assert.equal((await to('ilo')).status, 200);
});

test('instance_info overrides an interface of the node and is validated in the same way', async (t) => {
  const daemon = await start(t);
  const { uuid } = await daemon.createNode({ driver: 'ilo-gen9' });
  const choose = (power_interface: unknown) => patch(daemon, uuid, { instance_info: { power_interface } });
  assert.match((await choose('nothing')).fault, /enabled power interfaces: nothing/);
  assert.equal((await choose(5)).status, 200, 'a value that is not a string chooses no interface');
  assert.equal((await choose('ilo')).status, 200);
  const { services } = daemon;
  assert.equal(services.compose(daemon.node(uuid)).power, services.registry.interfaces.get('power:ilo'));
  assert.equal(daemon.node(uuid).power_interface, 'ipmitool');
  assert.match((await choose('redfish')).text, /redfish/);
  const other = await patch(daemon, uuid, { driver: 'ilo-gen8' });
  assert.match(other.fault, /power interface redfish to hardware type ilo-gen8/);
  assert.equal((await patch(daemon, uuid, { driver: 'ilo-gen8', instance_info: {} })).status, 200);
});

test('fake-hardware accepts any enabled interface; other types accept only supported ones', async (t) => {
  const ini = compositionOptions(compositionPlugin(t))
    .replace('types = ', 'types = fake-hardware,')
    .replace('power_interfaces = ', 'power_interfaces = fake,');
  const daemon = await startInProcess(t, {
    ini: ini
      .replace('inspect_interfaces = ', 'inspect_interfaces = fake,')
      .replace('boot_interfaces = ', 'boot_interfaces = fake,'),
  });
  const { uuid } = await daemon.createNode({ driver: 'fake-hardware', power_interface: 'redfish' });
  assert.equal((await patch(daemon, uuid, { power_interface: 'ilo' })).status, 200);
  const { body } = await daemon.request('GET', '/v1/drivers/fake-hardware');
  assert.deepEqual(body['enabled_power_interfaces'], ['fake']);
  assert.equal((await patch(daemon, uuid, { driver: 'generic-ipmi' })).status, 400);
});

test('a thousand nodes of five hardware types share five drivers', async (t) => {
  const daemon = await startInProcess(t, {
    ini: `enabled_hardware_types = generic-ipmi,ilo-gen8,ilo-gen9,fake-hardware,manual-management
${compositionOptions(compositionPlugin(t))
  .replace(/enabled_(hardware_types|inspect|boot).*\n/g, '')
  .replace('enabled_power_interfaces = ', 'enabled_power_interfaces = fake,')}`,
  });
  const { registry, compose } = daemon.services;
  const drivers = [...registry.hardwareTypes.keys()];
  assert.equal(drivers.length, 5);
  const nodes = Array.from({ length: 1000 }, (_, at) => initialNode({ driver: drivers[at % 5] ?? '' }));
  assert.equal(new Set(nodes.map((node) => compose(node))).size, 5);
});
