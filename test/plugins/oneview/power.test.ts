import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { JsonObject } from '../../../daemon/plugin-api/index.ts';
import { oneviewPower } from '../../../plugins/oneview/power.ts';
import { isUsedByOneview } from '../../../plugins/oneview/server-hardware.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { startInProcess } from '../../fakes/in-process-daemon.ts';
import { startOneviewAppliance } from '../../fakes/oneview-appliance.ts';
import { fakeNode, fakeTask } from '../../fakes/task.ts';

const SERVER = '/rest/server-hardware/1';

async function setUp(
  t: TestContext,
  more: { readonly driverInfo?: JsonObject; readonly options?: object } = {},
) {
  const appliance = await startOneviewAppliance();
  t.after(() => appliance.stop());
  const server = appliance.servers.get(SERVER);
  assert.ok(server);
  const oneview = {
    manager_url: appliance.address,
    username: 'ironic',
    password: 'secret',
    allow_insecure_connections: false,
    tls_cacert_file: null,
    request_timeout: 30,
    periodic_check_interval: 300,
    ...more.options,
  };
  const task = fakeTask({
    node: { driver: 'oneview', driver_info: { server_hardware_uri: SERVER, ...more.driverInfo } },
    configuration: { oneview },
  });
  return { appliance, server, task };
}

test('power goes on and off through the appliance, with one login', async (t) => {
  const { appliance, server, task } = await setUp(t);
  assert.equal(await oneviewPower.getPowerState(task), 'power off');
  await oneviewPower.setPowerState(task, 'power on', 60);
  assert.equal(server.powerState, 'On');
  await oneviewPower.setPowerState(task, 'rebooting', 60);
  await oneviewPower.setPowerState(task, 'power off', 60);
  assert.equal(server.powerState, 'Off');
  assert.equal(appliance.requests.filter((one) => one.startsWith('POST')).length, 1);
  assert.equal(appliance.requests.filter((one) => one.startsWith('PUT')).length, 4);
});

test('nothing is sent for a state that the server is in', async (t) => {
  const { appliance, task } = await setUp(t);
  await oneviewPower.setPowerState(task, 'power off', 60);
  assert.ok(appliance.requests.every((request) => !request.startsWith('PUT')));
});

test('a server that a OneView user has taken is read but never switched', async (t) => {
  const { appliance, server, task } = await setUp(t);
  server.serverProfileUri = '/rest/server-profiles/foreign';
  assert.equal(await oneviewPower.getPowerState(task), 'power off');
  await rejectsFault(
    oneviewPower.setPowerState(task, 'power on', 60),
    'PowerStateFailure',
    /in use by OneView: it has the profile "\/rest\/server-profiles\/foreign"/,
  );
  assert.ok(appliance.requests.every((request) => !request.startsWith('PUT')));
});

const used = (assigned: string | null, applied: string | null) =>
  isUsedByOneview(
    { serverProfileUri: assigned },
    fakeNode({ driver_info: { applied_server_profile_uri: applied } }),
  );

test('a profile is foreign unless it is the one that the driver has applied', () => {
  assert.equal(used(null, null), false);
  assert.equal(used(null, '/rest/server-profiles/a'), false);
  assert.equal(used('/rest/server-profiles/A/', '/rest/server-profiles/a'), false);
  assert.equal(used('/rest/server-profiles/b', '/rest/server-profiles/a'), true);
  assert.equal(used('/rest/server-profiles/b', null), true);
});

test('an expired session is replaced once', async (t) => {
  const { appliance, task } = await setUp(t);
  await oneviewPower.getPowerState(task);
  appliance.sessions.clear();
  assert.equal(await oneviewPower.getPowerState(task), 'power off');
  assert.deepEqual([...appliance.sessions], ['session-2']);
});

test('a wrong password is tried once, and its fault does not show it', async (t) => {
  const { appliance, task } = await setUp(t, { options: { password: 'guess-7' } });
  for (const reason of [/AUTHN_AUTH_FAIL/, /not tried again before/])
    await assert.rejects(oneviewPower.getPowerState(task), (error: Error) => {
      assert.match(error.message, reason);
      assert.ok(!error.message.includes('guess-7'));
      return true;
    });
  assert.equal(appliance.requests.length, 1);
});

test('a server that OneView does not know, and an appliance that is not configured, are reported', async (t) => {
  const { task } = await setUp(t, { driverInfo: { server_hardware_uri: '/rest/server-hardware/2' } });
  await rejectsFault(
    oneviewPower.getPowerState(task),
    'BmcRefused',
    /answered with 404 \(RESOURCE_NOT_FOUND\)/,
  );
  const { task: lost } = await setUp(t, { options: { manager_url: '' } });
  assert.throws(() => oneviewPower.validate(lost), {
    code: 'OneviewNotConfigured',
    status: 400,
    message: /\[oneview\] manager_url is ""; expected an http or https URL/,
  });
});

test('an available node whose server is taken leaves the pool, and another does not', async (t) => {
  const appliance = await startOneviewAppliance();
  t.after(() => appliance.stop());
  appliance.servers.set('/rest/server-hardware/2', {
    powerState: 'Off',
    serverProfileUri: '/rest/server-profiles/own',
  });
  const daemon = await startInProcess(t, {
    loops: true,
    ini: `enabled_hardware_types = oneview
[conductor]
sync_power_state_interval = 0
[oneview]
manager_url = ${appliance.address}
username = ironic
password = secret
`,
  });
  const create = async (uri: string, more: object = {}) => {
    const { uuid } = await daemon.createNode({
      driver: 'oneview',
      driver_info: { server_hardware_uri: uri, ...more },
    });
    daemon.services.db.nodes.update(uuid, { provision_state: 'available', power_state: 'power off' });
    return uuid;
  };
  const taken = await create(SERVER);
  const own = await create('/rest/server-hardware/2', {
    applied_server_profile_uri: '/rest/server-profiles/own',
  });
  const server = appliance.servers.get(SERVER);
  assert.ok(server);
  server.serverProfileUri = '/rest/server-profiles/foreign';
  await daemon.clock.advance(300_000);
  await daemon.idle();
  while (daemon.node(taken).provision_state === 'available') await daemon.idle();
  const { provision_state, maintenance, maintenance_reason } = daemon.node(taken);
  assert.deepEqual(
    [provision_state, maintenance, maintenance_reason],
    ['manageable', true, 'node in use by OneView'],
  );
  assert.deepEqual([daemon.node(own).provision_state, daemon.node(own).maintenance], ['available', false]);
  assert.equal(appliance.requests.filter((one) => one.startsWith('POST')).length, 1);
  await daemon.stop();
  assert.equal(appliance.sessions.size, 0);
});
