import assert from 'node:assert/strict';
import { test } from 'node:test';
import { converse } from '../../../../plugins/redfish/bmc/converse.ts';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { plainAccounts } from '../../../../daemon/simulator/redfish/shape.ts';
import { redfishLab } from '../redfish-lab.ts';

const SYSTEM = '/redfish/v1/Systems/1';

test('ten readings need one login in all, and then one request each', async (t) => {
  const { bmc, task } = await redfishLab(t);
  for (let count = 0; count < 10; count += 1) await redfishPower.getPowerState(task);
  assert.deepEqual(bmc.forget(), [
    'POST /redfish/v1/SessionService/Sessions',
    'GET /redfish/v1/Systems',
    ...Array.from({ length: 10 }, () => `GET ${SYSTEM}`),
  ]);
});

test('a power sync is one request once the system is known, on the BMCs of several vendors', async (t) => {
  for (const shape of ['plain', 'dell10', 'ami', 'hpe', 'supermicro'] as const) {
    const { bmc, task } = await redfishLab(t, { shape });
    await redfishPower.getPowerState(task);
    await redfishPower.readCondition?.(task);
    bmc.forget();
    await redfishPower.getPowerState(task);
    await redfishPower.readCondition?.(task);
    assert.equal(bmc.forget().length, 1, shape);
  }
});

test('requests to a BMC without a session service use basic authentication, and a session is not requested again', async (t) => {
  const { bmc, task } = await redfishLab(t, { differences: { sessionLimit: 0 } });
  await redfishPower.getPowerState(task);
  await redfishPower.getPowerState(task);
  assert.equal(bmc.forget().filter((request) => request.includes('Sessions')).length, 1);
});

test('a login that brings no token means basic authentication', async (t) => {
  const { bmc, task } = await redfishLab(t);
  bmc.faults.add({ path: 'Sessions', does: { kind: 'answer', status: 200, body: {} } });
  assert.equal(await redfishPower.getPowerState(task), 'power off');
  assert.equal(bmc.requests.at(-1)?.login, 'basic');
});

test('while all sessions of a BMC are in use, requests use basic authentication; a session is requested again later', async (t) => {
  const { bmc, task } = await redfishLab(t, { differences: { sessionLimit: 1 } });
  bmc.sessions.open.set('other', '/redfish/v1/SessionService/Sessions/99');
  await redfishPower.getPowerState(task);
  await redfishPower.getPowerState(task);
  assert.equal(bmc.sessions.logins, 1);
  assert.equal(bmc.requests.at(-1)?.login, 'basic');
  bmc.sessions.open.clear();
  for (let minute = 0; minute < 10; minute += 1) {
    await task.clock.advance(60_000);
    await redfishPower.getPowerState(task);
  }
  assert.equal(bmc.requests.at(-1)?.login, 'session');
});

test('auth_type session never falls back, and auth_type basic never asks for a session', async (t) => {
  const session = await redfishLab(t, {
    differences: { sessionLimit: 0 },
    info: { redfish_auth_type: 'session' },
  });
  await rejectsFault(redfishPower.getPowerState(session.task), 'BmcRefused', /405/);
  const basic = await redfishLab(t, { info: { redfish_auth_type: 'basic' } });
  await redfishPower.getPowerState(basic.task);
  assert.equal(basic.bmc.sessions.logins, 0);
});

test('two readers with a session that the BMC has dropped share one login', async (t) => {
  const { bmc, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  bmc.sessions.open.clear();
  const states = await converse(task, { operation: 'Reading twice' }, (each) =>
    Promise.all([each.get(SYSTEM), each.get(SYSTEM)]),
  );
  assert.deepEqual(
    states.map(({ PowerState }) => PowerState),
    ['Off', 'Off'],
  );
  assert.equal(bmc.sessions.logins, 2);
  assert.equal(bmc.sessions.open.size, 1);
});

test('five readings try a wrong password once in all; the next one tries a new password in driver_info', async (t) => {
  const { bmc, task } = await redfishLab(t, { info: { redfish_password: 'wrong' } });
  await rejectsFault(
    redfishPower.getPowerState(task),
    'BmcCredentialsRefused',
    /Wrong user name or password/,
  );
  for (let sync = 0; sync < 4; sync += 1)
    await rejectsFault(redfishPower.getPowerState(task), 'BmcCredentialsRefused', /not tried again before/);
  assert.equal(bmc.sessions.logins, 1);
  await task.update({ driver_info: { ...task.node.driver_info, redfish_password: 'secret' } });
  assert.equal(await redfishPower.getPowerState(task), 'power off');
});

test('an answer with status 403, as for a missing right or licence, does not count as a lost session', async (t) => {
  const { bmc, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  bmc.faults.add({ path: SYSTEM, does: { kind: 'answer', status: 403, body: {} } });
  await rejectsFault(redfishPower.getPowerState(task), 'BmcRefused', /403/);
  assert.equal(bmc.sessions.logins, 1);
});

test('a password that must be changed is named as the reason', async (t) => {
  for (const firstPassword of ['refuses', 'opens no session'] as const) {
    const { task } = await redfishLab(t, { differences: { accounts: { ...plainAccounts, firstPassword } } });
    const reading = redfishPower.getPowerState(task);
    await rejectsFault(reading, 'BmcPasswordChangeRequired', /must be changed .* ironic-edge bmc rotate/);
  }
});

test('the session is deleted on the BMC after five minutes without use', async (t) => {
  const { bmc, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  assert.equal(bmc.sessions.open.size, 1);
  await task.clock.advance(300_000);
  while (bmc.sessions.open.size > 0) await new Promise(setImmediate);
  assert.equal(bmc.forget().at(-1), 'DELETE /redfish/v1/SessionService/Sessions/1');
});

test('with a new password at the BMC and the node, a new session opens and the old one is deleted', async (t) => {
  const { bmc, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  bmc.sessions.credentials = { username: 'admin', password: 'new' };
  await task.update({ driver_info: { ...task.node.driver_info, redfish_password: 'new' } });
  assert.equal(await redfishPower.getPowerState(task), 'power off');
  assert.deepEqual([...bmc.sessions.open.keys()], ['token-1', 'token-2']);
  for (let minutes = 0; bmc.sessions.open.size > 1; minutes += 1) {
    assert.ok(minutes < 30);
    await task.clock.advance(60_000);
    await redfishPower.getPowerState(task);
  }
  assert.deepEqual([...bmc.sessions.open.keys()], ['token-2']);
});
