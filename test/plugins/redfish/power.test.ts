import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { JsonObject } from '../../../daemon/plugin-api/index.ts';
import { healthWork } from '../../../plugins/redfish/health.ts';
import { redfishPower, resetTypes } from '../../../plugins/redfish/power.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { startInProcess } from '../../fakes/in-process-daemon.ts';
import { startRedfishBmc } from '../../fakes/redfish-bmc.ts';
import { fakeTask } from '../../fakes/task.ts';

const configuration = { redfish: { auth_type: 'auto', read_timeout: 60, health_interval: 600 } };

async function setUp(t: TestContext, more: JsonObject = {}) {
  const bmc = await startRedfishBmc();
  t.after(() => bmc.stop());
  const login = { redfish_address: bmc.address, redfish_username: 'admin', redfish_password: 'calvin' };
  const task = fakeTask({
    node: { driver: 'redfish', power_state: 'power off', driver_info: { ...login, ...more } },
    configuration,
  });
  return { bmc, task };
}

test('power goes on and off, and many requests share one session and the path of the system', async (t) => {
  const { bmc, task } = await setUp(t);
  assert.equal(await redfishPower.getPowerState(task), 'power off');
  await redfishPower.setPowerState(task, 'power on', 60);
  assert.equal(bmc.state.power, 'On');
  await redfishPower.setPowerState(task, 'power off', 60);
  assert.equal(bmc.state.power, 'Off');
  const system = '/redfish/v1/Systems/1';
  assert.deepEqual(bmc.requests, [
    'POST /redfish/v1/SessionService/Sessions',
    'GET /redfish/v1/Systems',
    `GET ${system}`,
    `POST ${system}/Actions/ComputerSystem.Reset`,
    `GET ${system}`,
    `POST ${system}/Actions/ComputerSystem.Reset`,
    `GET ${system}`,
  ]);
  assert.equal(bmc.sessions.size, 1);
});

test('the session ends on the BMC when it has not been used for five minutes', async (t) => {
  const { bmc, task } = await setUp(t);
  await redfishPower.getPowerState(task);
  assert.equal(bmc.sessions.size, 1);
  await task.clock.advance(300_000);
  while (bmc.sessions.size > 0) await new Promise(setImmediate);
  assert.match(bmc.requests.at(-1) ?? '', /^DELETE .*token-1$/);
});

test('a session that the BMC has dropped is replaced once', async (t) => {
  const { bmc, task } = await setUp(t);
  await redfishPower.getPowerState(task);
  bmc.sessions.clear();
  assert.equal(await redfishPower.getPowerState(task), 'power off');
  assert.deepEqual([...bmc.sessions], ['token-2']);
});

test('a BMC without sessions is asked with basic authentication', async (t) => {
  const { bmc, task } = await setUp(t);
  bmc.state.hasSessions = false;
  assert.equal(await redfishPower.getPowerState(task), 'power off');
  assert.equal(await redfishPower.getPowerState(task), 'power off');
  assert.equal(bmc.requests.filter((one) => one.includes('Sessions')).length, 1);
});

test('a wrong password is tried once, and again when driver_info has changed', async (t) => {
  const { bmc, task } = await setUp(t, { redfish_password: 'hobbes' });
  await rejectsFault(redfishPower.getPowerState(task), 'BmcCredentialsRefused', /Wrong login\./);
  await rejectsFault(redfishPower.getPowerState(task), 'BmcCredentialsRefused', /not tried again before/);
  assert.equal(bmc.requests.length, 1);
  await task.update({ driver_info: { ...task.node.driver_info, redfish_password: 'calvin' } });
  assert.equal(await redfishPower.getPowerState(task), 'power off');
});

test('a refusal names status, message and reason; a BMC that is not ready says when to try again', async (t) => {
  const { bmc, task } = await setUp(t);
  bmc.state.answer = {
    status: 400,
    body: {
      error: { code: 'iLO.0.10.ExtendedInfo', '@Message.ExtendedInfo': { MessageId: 'iLO.2.8.Busy' } },
    },
  };
  await rejectsFault(
    redfishPower.getPowerState(task),
    'BmcRefused',
    /answered with 400 \(Busy\): HTTP status 400/,
  );
  bmc.state.answer = { status: 503, headers: { 'retry-after': '20' } };
  await rejectsFault(redfishPower.getPowerState(task), 'BmcNotReady', /Try again in 20 s\./);
  bmc.state.answer = { status: 200, body: [] };
  await rejectsFault(redfishPower.getPowerState(task), 'BmcRefused', /not a JSON object/);
  await bmc.stop();
  await rejectsFault(redfishPower.getPowerState(task), 'BmcFailure', /ECONNREFUSED|closed the connection/);
});

test('a reset that the BMC refuses because the machine is already in that state is no failure', async (t) => {
  const { bmc, task } = await setUp(t);
  await redfishPower.setPowerState(task, 'power off', 60);
  bmc.state.systems = ['/redfish/v1/Systems/1', '/redfish/v1/Systems/2'];
  await redfishPower.setPowerState(task, 'rebooting', 60);
  assert.equal(bmc.state.power, 'On');
});

test('a power change that the machine does not make fails at the time limit', async (t) => {
  const { bmc, task } = await setUp(t);
  bmc.state.isStuck = true;
  await rejectsFault(
    redfishPower.setPowerState(task, 'power on', 10),
    'PowerStateFailure',
    /after reset On the last reading was: power off/,
  );
  assert.deepEqual(task.sleeps, [2000, 4000, 4000]);
});

test('a BMC of several systems needs redfish_system_id', async (t) => {
  const { bmc, task } = await setUp(t);
  bmc.state.systems = ['/redfish/v1/Systems/a', '/redfish/v1/Systems/b'];
  await rejectsFault(redfishPower.getPowerState(task), 'DriverInfoInvalid', /one of the 2 systems/);
  await task.update({
    driver_info: { ...task.node.driver_info, redfish_system_id: '/redfish/v1/Systems/b' },
  });
  assert.equal(await redfishPower.getPowerState(task), 'power off');
});

test('driver_info is judged without asking the BMC', async (t) => {
  const { bmc, task } = await setUp(t);
  const judged = (more: JsonObject) => async () => {
    await task.update({ driver_info: { redfish_address: bmc.address, ...more } });
    await redfishPower.validate(task);
  };
  await judged({})();
  for (const [more, reason] of [
    [{ redfish_address: '' }, /redfish_address/],
    [{ redfish_address: 'ftp://192.0.2.1' }, /an http or https URL/],
    [{ redfish_address: 'https://admin@192.0.2.1' }, /an http or https URL/],
    [{ redfish_system_id: 'Systems/1' }, /a path/],
    [{ redfish_verify_ca: '/nowhere.pem' }, /a file that exists/],
    [{ redfish_auth_type: 'digest' }, /one of auto, session, basic/],
  ] as const)
    await assert.rejects(judged(more), reason);
  assert.deepEqual(bmc.requests, []);
});

test('the resets of each target', () => {
  const on = { isOff: false, mayPowerOff: true };
  assert.deepEqual(resetTypes('rebooting', on), ['ForceOff', 'On']);
  assert.deepEqual(resetTypes('rebooting', { ...on, isOff: true }), ['On']);
  assert.deepEqual(resetTypes('rebooting', { ...on, mayPowerOff: false }), ['ForceRestart']);
  assert.deepEqual(resetTypes('soft rebooting', on), ['GracefulShutdown', 'On']);
});

test('health is stored when it changes', async (t) => {
  const { bmc, task } = await setUp(t);
  await healthWork.run(task);
  await healthWork.run(task);
  bmc.state.health = 'Critical';
  await healthWork.run(task);
  bmc.state.health = 'Rollup';
  await healthWork.run(task);
  assert.deepEqual(task.updates, [{ health: 'OK' }, { health: 'Critical' }, { health: null }]);
});

test('a daemon manages a Redfish machine with one session, and logs out when it stops', async (t) => {
  const bmc = await startRedfishBmc();
  t.after(() => bmc.stop());
  const daemon = await startInProcess(t, {
    loops: true,
    ini: 'enabled_hardware_types = redfish\n[conductor]\nsync_power_state_interval = 0\n[redfish]\nhealth_interval = 100\n',
  });
  const { uuid } = await daemon.createNode({
    driver: 'redfish',
    driver_info: {
      redfish_address: bmc.address,
      redfish_username: 'admin',
      redfish_password: 'calvin',
    },
  });
  const put = (path: string, target: string) =>
    daemon.request('PUT', `/v1/nodes/${uuid}/states/${path}`, { body: { target } });
  assert.equal((await put('provision', 'manage')).status, 202);
  await daemon.idle();
  assert.deepEqual(
    [daemon.node(uuid).provision_state, daemon.node(uuid).power_state],
    ['manageable', 'power off'],
  );
  assert.equal((await put('power', 'power on')).status, 202);
  await daemon.idle();
  assert.equal(daemon.node(uuid).power_state, 'power on');
  bmc.state.health = 'Warning';
  await daemon.clock.advance(100_000);
  await daemon.idle();
  assert.equal(daemon.node(uuid).health, 'Warning');
  assert.equal(
    bmc.requests.filter((request) => request.startsWith('POST') && request.endsWith('Sessions')).length,
    1,
  );
  await daemon.stop();
  assert.equal(bmc.sessions.size, 0);
});
