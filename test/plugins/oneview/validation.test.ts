import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { GROUP, RACK_TYPE, serverMac, TEMPLATES } from '../../../daemon/simulator/oneview/rack.ts';
import type { OneviewSite } from '../../fakes/machines/oneview-site.ts';
import { oneviewSite } from '../../fakes/machines/oneview-site.ts';
import { capabilitiesFor, oneviewBench } from '../../fakes/machines/oneview-task.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { validateFreeServer, validateServer } from '../../../plugins/oneview/server/validate-server.ts';

type Verdicts = Readonly<Record<string, { readonly result: boolean; readonly reason?: string }>>;
const validation = async (site: OneviewSite) =>
  (await site.request('GET', `/v1/nodes/${site.first}/validate`)) as Verdicts;

test('a node with a free server validates, and the validation changes nothing', async (t) => {
  const site = await oneviewSite(t);
  const { power, management, deploy, inspect, vendor } = await validation(site);
  assert.deepEqual(
    [power, management, inspect].map((one) => one?.result),
    [true, true, true],
  );
  assert.match(deploy?.reason ?? '', /image_source/);
  assert.equal(vendor, undefined);
  await site.request('PATCH', `/v1/nodes/${site.first}`, [
    {
      op: 'add',
      path: '/instance_info',
      value: { image_source: 'http://images.test/a', image_checksum: 'a'.repeat(64) },
    },
  ]);
  assert.equal((await validation(site))['deploy']?.result, true);
  assert.deepEqual(site.writes(), []);
});

test('a node whose server a OneView user has taken fails validation, but still becomes manageable', async (t) => {
  const site = await oneviewSite(t);
  site.appliance.claim(site.server);
  const { power } = await validation(site);
  assert.equal(power?.result, false);
  assert.match(
    power?.reason ?? '',
    /is in use by OneView: it has the server profile \/rest\/server-profiles/,
  );
  await site.provision(site.first, 'manage');
  await site.reaches(site.first, 'manageable');
  assert.deepEqual(site.writes(), []);
});

test('the properties of the driver include the capabilities, and say where they belong', async (t) => {
  const site = await oneviewSite(t);
  const properties = (await site.request('GET', '/v1/drivers/oneview/properties')) as Record<string, string>;
  for (const name of ['server_hardware_type_uri', 'server_profile_template_uri'])
    assert.match(properties[name] ?? '', /properties\/capabilities.* Required\.$/);
  assert.match(properties['enclosure_group_uri'] ?? '', /properties\/capabilities.* Optional\.$/);
  assert.match(properties['server_hardware_uri'] ?? '', /Required\.$/);
});

test('missing capabilities are named together', async (t) => {
  const { task } = await oneviewBench(t, { node: { driver: 'oneview', properties: {} } });
  await rejectsFault(
    validateServer(task),
    'InvalidParameter',
    /server_hardware_type_uri and server_profile_template_uri missing/,
  );
});

const rejected = async (t: TestContext, capabilities: string, reason: RegExp, code = 'InvalidParameter') => {
  const { task } = await oneviewBench(t, { node: { driver: 'oneview', properties: { capabilities } } });
  await rejectsFault(validateServer(task), code, reason);
};

test('capabilities that do not match the server, and unsuitable or missing templates, are refused with the reason', async (t) => {
  await rejected(t, capabilitiesFor('virtualMac'), /macType "Virtual"; expected Physical/);
  await rejected(t, capabilitiesFor('unmanagedBoot'), /does not manage the boot order/);
  await rejected(t, capabilitiesFor('otherType'), /serverHardwareTypeUri of the template is/);
  await rejected(t, capabilitiesFor('rack'), /serverHardwareTypeUri of the template/);
  await rejected(
    t,
    `${capabilitiesFor('good')},enclosure_group_uri:/rest/enclosure-groups/x`,
    /but the server is in/,
  );
  const otherType = capabilitiesFor('good').replace(/1101/, '1102');
  await rejected(t, otherType, /but the server has the type/);
  await rejected(t, 'server_hardware_type_uri:a,server_profile_template_uri:b', /expected a URI as in/);
  const absent = capabilitiesFor('good').replace(TEMPLATES.good, `${TEMPLATES.good}0`);
  await rejected(t, absent, /cannot be read: .*404 \(RESOURCE_NOT_FOUND\)/);
});

test("an enclosure group is accepted if it is empty, None, null or the server's own", async (t) => {
  for (const group of ['', 'None', 'null', GROUP]) {
    const capabilities = `${capabilitiesFor('good')},enclosure_group_uri:${group}`;
    const { task } = await oneviewBench(t, { node: { driver: 'oneview', properties: { capabilities } } });
    await validateServer(task);
  }
});

test("ports, if any, must include the server's first adapter; its last adapter is accepted with a warning", async (t) => {
  const mac = serverMac(1);
  for (const ports of [[], [mac.toUpperCase()], ['02:00:00:00:00:01', mac]])
    await validateServer((await oneviewBench(t, { ports })).task);
  const { task } = await oneviewBench(t, { ports: ['02:00:00:00:00:01'] });
  await rejectsFault(validateServer(task), 'InvalidParameter', new RegExp(`address .* server boots: ${mac}`));
  const { task: last } = await oneviewBench(t, { ports: [mac.replace('52:', '56:')] });
  await validateServer(last);
  assert.match(JSON.stringify(last.logged), /the server's last adapter, not of its first/);
});

test("a rack server's address is read from its iLO, and the session there is ended", async (t) => {
  const properties = {
    capabilities: `server_hardware_type_uri:${RACK_TYPE},server_profile_template_uri:${TEMPLATES.rack}`,
  };
  const { task, appliance } = await oneviewBench(t, {
    node: { driver: 'oneview', properties },
    ports: [serverMac(7)],
  });
  const rack = appliance.addServer(7, { isRack: true });
  await task.update({ driver_info: { server_hardware_uri: rack.uri } });
  await validateServer(task);
  assert.ok(appliance.journal.some(({ path }) => path.endsWith('/remoteConsoleUrl')));
  assert.equal(rack.iloKeys.size, 0);
});

test('validation ignores dynamic_allocation', async (t) => {
  for (const dynamic_allocation of ['maybe', false, true]) {
    const { task } = await oneviewBench(t);
    await task.update({ driver_info: { ...task.node.driver_info, dynamic_allocation } });
    await validateFreeServer(task);
  }
});
