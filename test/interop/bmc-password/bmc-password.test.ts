// Passwords of BMCs are changed by a real daemon, which is killed in between, at a Redfish model and at ipmi_sim.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { startIpmiSim } from '../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { type FakeRedfish, startFakeRedfish } from '../../../daemon/simulator/redfish/fake-redfish.ts';
import { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import { skipWithout } from '../../setup/packages.ts';
import { enrol, ENVIRONMENT, FORM, loginOf, rotate, type ShownLogin, startBmc, startDaemon } from './site.ts';

const run = promisify(execFile);

async function siteWithRedfish(t: TestContext): Promise<{ daemon: DaemonProcess; bmc: FakeRedfish }> {
  const [daemon, bmc] = [await startDaemon(t), await startBmc(t)];
  await enrol(daemon, 'one', bmc);
  return { daemon, bmc };
}

const accepted = ({ bmc }: FakeRedfish) => bmc.sessions.credentials.password;

test('a BMC gets a random password, which the daemon uses and masks', async (t) => {
  const { daemon, bmc } = await siteWithRedfish(t);
  const { status, body } = await rotate(daemon, 'one');
  assert.equal(status, 204, JSON.stringify(body));
  const first = accepted(bmc);
  assert.match(first, FORM);
  assert.deepEqual(await loginOf(daemon, 'one'), {
    username: 'admin',
    password: first,
    pending: null,
    pending_username: null,
  });
  assert.equal((await rotate(daemon, 'one')).status, 204);
  assert.notEqual(accepted(bmc), first);
  const node = await daemon.node('one');
  assert.equal(node.driver_info['redfish_password'], '******');
  const managed = await daemon.request('PUT', '/v1/nodes/one/states/provision', { target: 'manage' });
  assert.equal(managed.status, 202);
  await daemon.nodeWhen('one', ({ provision_state: state }) => state === 'manageable');
  for (const password of [first, accepted(bmc)]) assert.ok(!JSON.stringify(daemon.log).includes(password));
});

test('a BMC that refuses the new password, or loses its answer, ends with the one that the daemon has', async (t) => {
  const { daemon, bmc } = await siteWithRedfish(t);
  const path = '/redfish/v1/AccountService/Accounts/1';
  const { faults } = bmc.bmc;
  faults.add({ method: 'PATCH', path, times: 1, does: { kind: 'answer', status: 400, body: {} } });
  const refused = await rotate(daemon, 'one');
  assert.equal(refused.status, 500);
  assert.match(JSON.stringify(refused.body), /Changing the password of the BMC failed/);
  assert.deepEqual(await loginOf(daemon, 'one'), {
    username: 'admin',
    password: 'secret',
    pending: null,
    pending_username: null,
  });
  assert.equal(accepted(bmc), 'secret');
  faults.add({ method: 'PATCH', path, times: 1, afterObeying: true, does: { kind: 'cut' } });
  assert.equal((await rotate(daemon, 'one')).status, 204);
  assert.equal((await loginOf(daemon, 'one')).password, accepted(bmc));
});

test('when the BMC takes neither password, both are kept, and setting driver_info goes on from there', async (t) => {
  const { daemon, bmc } = await siteWithRedfish(t);
  const { sessions } = bmc.bmc;
  const change = sessions.changeAccount.bind(sessions);
  sessions.changeAccount = (id) => change(id, { Password: 'by somebody else' });
  const lost = await rotate(daemon, 'one');
  assert.match(JSON.stringify(lost.body), /takes neither .* bmc show-login one shows them/);
  const { password, pending } = await loginOf(daemon, 'one');
  assert.equal(password, 'secret');
  assert.match(pending ?? '', FORM);
  sessions.changeAccount = change;
  await daemon.request('PATCH', '/v1/nodes/one', [
    { op: 'add', path: '/driver_info/redfish_password', value: 'by somebody else' },
  ]);
  assert.equal((await rotate(daemon, 'one')).status, 204);
  assert.deepEqual(await loginOf(daemon, 'one'), {
    username: 'admin',
    password: accepted(bmc),
    pending: null,
    pending_username: null,
  });
});

test('a wrong password is tried once, and a BMC that does not answer changes nothing', async (t) => {
  const { daemon, bmc } = await siteWithRedfish(t);
  const patch = (value: string) =>
    daemon.request('PATCH', '/v1/nodes/one', [{ op: 'add', path: '/driver_info/redfish_password', value }]);
  await patch('wrong');
  const wrong = await rotate(daemon, 'one');
  assert.equal(wrong.status, 500);
  assert.match(
    JSON.stringify(wrong.body),
    /refused the login: it does not take driver_info\/redfish_password/,
  );
  assert.equal((await rotate(daemon, 'one')).status, 500);
  assert.equal(bmc.bmc.sessions.logins, 1, 'not even when it is asked for again at once');
  assert.deepEqual(await loginOf(daemon, 'one'), {
    username: 'admin',
    password: 'wrong',
    pending: null,
    pending_username: null,
  });
  await patch('secret');
  const { bmc: model } = bmc;
  const answer = model.answer.bind(model);
  model.answer = () => 'cut';
  assert.equal((await rotate(daemon, 'one')).status, 500);
  assert.equal((await loginOf(daemon, 'one')).pending, null);
  model.answer = (request) => {
    if (request.method !== 'PATCH') return answer(request);
    model.answer = () => 'cut';
    return 'cut';
  };
  const silent = await rotate(daemon, 'one');
  assert.equal(silent.status, 503);
  assert.match(JSON.stringify(silent.body), /new password is not known: .*Both passwords are kept/);
  assert.match((await loginOf(daemon, 'one')).pending ?? '', FORM);
  model.answer = answer;
  assert.equal((await rotate(daemon, 'one')).status, 204);
  assert.deepEqual(await loginOf(daemon, 'one'), {
    username: 'admin',
    password: accepted(bmc),
    pending: null,
    pending_username: null,
  });
});

test('nodes that share a BMC login are refused, and so is a driver without one', async (t) => {
  const { daemon, bmc } = await siteWithRedfish(t);
  await enrol(daemon, 'two', bmc);
  const { status, body } = await rotate(daemon, 'one');
  assert.equal(status, 400);
  assert.match(JSON.stringify(body), /node one is also that of node two/);
  assert.equal(accepted(bmc), 'secret');
  assert.equal((await rotate(daemon, 'none')).status, 404);
});

test('the commands rotate all BMCs, show a login, and leave both in the audit file', async (t) => {
  const { daemon, bmc } = await siteWithRedfish(t);
  const silent = await startFakeRedfish();
  await silent.stop();
  await enrol(daemon, 'silent', silent);
  const command = (...words: string[]) =>
    run(join(import.meta.dirname, '../../../daemon/cli/ironic-edge'), words, {
      env: { ...process.env, OS_ENDPOINT: daemon.url },
    });
  const failed = await command('bmc', 'rotate', '--all').catch(
    ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
  );
  assert.match(failed.stdout, /^one has a new password\nsilent: .*\n$/);
  assert.equal('code' in failed && failed.code, 1);
  const shown = await command('bmc', 'show-login', 'one', '--format', 'json');
  assert.equal((JSON.parse(shown.stdout) as ShownLogin).password, accepted(bmc));
  const audit = readFileSync(join(daemon.statePath, 'audit.log'), 'utf8');
  assert.match(audit, /"method":"PUT","path":"\/v1\/nodes\/one\/bmc_password"/);
  assert.match(audit, /"method":"GET","path":"\/v1\/nodes\/one\/bmc_password"/);
  assert.ok(!audit.includes(accepted(bmc)));
});

test(
  'a BMC with IPMI gets a password',
  { skip: skipWithout('openipmi') || skipWithout('ipmitool') },
  async (t) => {
    const sim = await startIpmiSim();
    t.after(() => sim.stop());
    await using daemon = await DaemonProcess.start(ENVIRONMENT);
    const driver_info = {
      ipmi_address: sim.address,
      ipmi_port: sim.port,
      ipmi_username: sim.username,
      ipmi_password: sim.password,
      ipmi_cipher_suite: '3',
    };
    await daemon.request('POST', '/v1/nodes', { name: 'one', driver: 'ipmi', driver_info });
    const { status, body } = await rotate(daemon, 'one');
    assert.equal(status, 204, JSON.stringify(body));
    const { password } = await loginOf(daemon, 'one');
    assert.match(password, FORM);
    const login = ['-I', 'lanplus', '-C', '3', '-H', sim.address, '-p', String(sim.port), '-U', sim.username];
    const { stdout } = await run('ipmitool', [...login, '-P', password, 'mc', 'info']);
    assert.match(stdout, /Device ID/);
    await assert.rejects(run('ipmitool', [...login, '-P', sim.password, 'mc', 'info']));
  },
);
