// What the driver does when a BMC shows a passing weakness, says that it is not ready, or loses an answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { converse } from '../../../../plugins/redfish/bmc/converse.ts';
import { redfishManagement } from '../../../../plugins/redfish/management/management.ts';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { redfishLab, type RedfishLab } from '../redfish-lab.ts';

const SYSTEM = '/redfish/v1/Systems/1';
const PART = '/redfish/v1/Chassis/1';
const RESET = `POST ${SYSTEM}/Actions/ComputerSystem.Reset`;

const weak = (status: number) => ({ kind: 'answer', status }) as const;
const count = ({ bmc }: RedfishLab, request: string): number =>
  bmc.forget().filter((each) => each === request).length;

test('one status 500, 502, 503 or 504 fails neither a login, a reading, a boot device nor a power change', async (t) => {
  for (const status of [500, 502, 503, 504])
    for (const fault of [{ method: 'POST' }, { method: 'GET' }, { method: 'PATCH' }, { path: 'Reset' }]) {
      const { bmc, machine, task } = await redfishLab(t);
      bmc.faults.add({ ...fault, does: weak(status) });
      await redfishManagement.setBootDevice(task, 'pxe', false);
      await redfishPower.setPowerState(task, 'power on', 60);
      assert.equal(machine.power, 'On');
      assert.deepEqual(machine.resets, ['On']);
      assert.equal(bmc.sessions.logins, 1);
    }
});

test('the message "Retry in 30 seconds" is obeyed, also after a request that changes something', async (t) => {
  const info = {
    MessageId: 'Base.1.18.ServiceTemporarilyUnavailable',
    Message: 'The service is temporarily unavailable. Retry in 30 seconds.',
  };
  const inArguments = {
    MessageId: 'Base.1.18.ServiceTemporarilyUnavailable',
    Message: 'Later.',
    MessageArgs: ['30'],
  };
  for (const each of [info, inArguments])
    for (const method of ['GET', 'POST', 'PATCH']) {
      const { bmc, machine, task } = await redfishLab(t);
      const body = { error: { '@Message.ExtendedInfo': [each] } };
      bmc.faults.add({ method, does: { kind: 'answer', status: 503, body } });
      await redfishManagement.setBootDevice(task, 'pxe', false);
      assert.deepEqual(task.sleeps, [30_000]);
      assert.equal(machine.boot.BootSourceOverrideTarget, 'Pxe');
    }
});

test('a POST is sent again after status 503 with Retry-After, and not after one without', async (t) => {
  const lab = await redfishLab(t);
  const path = '/redfish/v1/EventService/Subscriptions';
  const post = () => converse(lab.task, { operation: 'Posting' }, (each) => each.post(path, {}));
  lab.bmc.faults.add({
    path,
    does: { kind: 'answer', status: 503, headers: { 'retry-after': '4' } },
  });
  await post();
  assert.deepEqual([count(lab, `POST ${path}`), lab.task.sleeps], [2, [4000]]);
  lab.bmc.faults.add({ path, afterObeying: true, does: weak(503) });
  await rejectsFault(post(), 'BmcNotReady', /HTTP status 503\. Try again in 5 s/);
  assert.equal(count(lab, `POST ${path}`), 1);
});

test('a change or a reset that was made, although the answer says 500 or is cut off, is not sent again', async (t) => {
  for (const does of [weak(500), { kind: 'answer', status: 200, text: '{"@odata.id": "/red' }] as const) {
    const lab = await redfishLab(t);
    const { bmc, machine, task } = lab;
    await redfishPower.getPowerState(task);
    bmc.forget();
    bmc.faults.add({ method: 'PATCH', afterObeying: true, does });
    await redfishManagement.setBootDevice(task, 'pxe', false);
    assert.equal(count(lab, `PATCH ${SYSTEM}`), 1);
    assert.equal(machine.boot.BootSourceOverrideTarget, 'Pxe');
    bmc.faults.add({ path: 'Reset', afterObeying: true, does });
    await redfishPower.setPowerState(task, 'power on', 60);
    assert.equal(count(lab, RESET), 1);
  }
});

test('a power change lasts as long as it may, while the BMC refuses to show the power state', async (t) => {
  const { bmc, machine, task } = await redfishLab(t);
  machine.report = () => bmc.faults.add({ method: 'GET', path: SYSTEM, times: 13, does: weak(500) });
  await redfishPower.setPowerState(task, 'power on', 60);
  assert.deepEqual([machine.power, machine.resets], ['On', ['On']]);
});

test('a restart of a machine that must not be powered off is sent once, because nothing shows whether it was made', async (t) => {
  const lab = await redfishLab(t, { node: { disable_power_off: true } });
  lab.machine.power = 'On';
  lab.bmc.faults.add({ path: 'Reset', does: weak(500) });
  await rejectsFault(redfishPower.setPowerState(lab.task, 'rebooting', 60), 'BmcRefused', /500/);
  assert.equal(count(lab, RESET), 1);
});

test('a change that the BMC answers with an HTML page does not count as made', async (t) => {
  for (const method of ['PATCH', 'POST']) {
    const { bmc, task } = await redfishLab(t);
    await redfishPower.getPowerState(task);
    bmc.faults.add({ method, does: { kind: 'answer', status: 200, text: ' <!DOCTYPE html><p>Log in</p>' } });
    const changed =
      method === 'POST'
        ? redfishPower.setPowerState(task, 'power on', 60)
        : redfishManagement.setBootDevice(task, 'pxe', false);
    await rejectsFault(changed, 'BmcRefused', /its answer is an HTML page/);
  }
});

test('a resource that stays broken is read ten times, and then twice until it is well again', async (t) => {
  const lab = await redfishLab(t);
  const { bmc, task } = lab;
  await redfishPower.getPowerState(task);
  bmc.forget();
  bmc.faults.add({ path: SYSTEM, times: 12, does: weak(500) });
  await rejectsFault(redfishPower.getPowerState(task), 'BmcRefused', /500/);
  assert.equal(count(lab, `GET ${SYSTEM}`), 10);
  await rejectsFault(redfishPower.getPowerState(task), 'BmcRefused', /500/);
  assert.equal(count(lab, `GET ${SYSTEM}`), 2);
  await redfishPower.getPowerState(task);
  bmc.forget();
  bmc.faults.add({ path: SYSTEM, times: 5, does: weak(500) });
  assert.equal(await redfishPower.getPowerState(task), 'power off');
  assert.equal(count(lab, `GET ${SYSTEM}`), 6);
});

test('no pause goes beyond the end of a conversation: what the BMC answered is the reason, not a time limit', async (t) => {
  const { bmc, task } = await redfishLab(t, { options: { read_timeout: 5 } });
  const headers = { 'retry-after': '4' };
  bmc.faults.add({ method: 'GET', times: 99, does: { kind: 'answer', status: 503, headers } });
  await rejectsFault(redfishPower.getPowerState(task), 'BmcNotReady', /HTTP status 503/);
  assert.deepEqual(task.sleeps, [4000, 4000]);
});

test('all optional parts of a conversation together wait for half a minute at most', async (t) => {
  const { bmc, task } = await redfishLab(t);
  await redfishPower.getPowerState(task);
  bmc.faults.add({ path: PART, times: 999, does: weak(500) });
  const parts = Array.from({ length: 20 }, (_, number) => `${PART}/Part${number}`);
  await converse(task, { operation: 'Reading' }, async (each) => {
    for (const part of parts) await each.optional(part, () => each.get(part));
    assert.equal(each.unread.length, 20);
  });
  assert.equal(
    task.sleeps.reduce((sum, milliseconds) => sum + milliseconds, 0),
    30_000,
  );
});

test('a BMC whose session service stays broken is used with basic authentication for a while', async (t) => {
  const { bmc, task } = await redfishLab(t);
  bmc.faults.add({ method: 'POST', path: 'Sessions', times: 10, does: weak(500) });
  assert.equal(await redfishPower.getPowerState(task), 'power off');
  assert.deepEqual(new Set(bmc.requests.slice(10).map(({ login }) => login)), new Set(['basic']));
  await task.clock.advance(600_000);
  await redfishPower.getPowerState(task);
  assert.equal(bmc.sessions.logins, 1);
  const session = await redfishLab(t, { info: { redfish_auth_type: 'session' } });
  session.bmc.faults.add({ method: 'POST', path: 'Sessions', times: 10, does: weak(503) });
  await rejectsFault(redfishPower.getPowerState(session.task), 'BmcNotReady', /503/);
});

test('a change that alone gets no answer says nothing against the BMC', async (t) => {
  const { bmc, task } = await redfishLab(t, { options: { read_timeout: 10 } });
  await redfishPower.getPowerState(task);
  bmc.forget();
  bmc.faults.add({ method: 'POST', does: { kind: 'silence' } });
  const path = '/redfish/v1/EventService/Subscriptions';
  const posting = rejectsFault(
    converse(task, { operation: 'Posting' }, (each) => each.post(path, {})),
    'BmcFailure',
    /POST .*Subscriptions: no complete reply within 10 s; it answers other requests/,
  );
  while (bmc.requests.length === 0) await new Promise(setImmediate);
  await task.clock.advance(10_000);
  await posting;
  assert.deepEqual(bmc.forget(), [`POST ${path}`, 'GET /redfish/v1']);
});

test('a BMC that resets the connection after each answer gets each change once, on a connection of its own', async (t) => {
  const lab = await redfishLab(t, { resetsConnections: true });
  await redfishManagement.setBootDevice(lab.task, 'pxe', false);
  await redfishPower.setPowerState(lab.task, 'power on', 60);
  assert.deepEqual(lab.machine.resets, ['On']);
  const changes = lab.bmc.forget().filter((each) => !each.startsWith('GET '));
  assert.deepEqual(changes, ['POST /redfish/v1/SessionService/Sessions', `PATCH ${SYSTEM}`, RESET]);
});
