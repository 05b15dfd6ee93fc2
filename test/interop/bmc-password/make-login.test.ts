// A daemon makes a user of its own at BMCs of all kinds, at the first login after the factory, and by IPMI.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startIpmiSim } from '../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { shapeNames, shapeOf } from '../../../daemon/simulator/redfish/shapes.ts';
import { plainAccounts } from '../../../daemon/simulator/redfish/shape.ts';
import { skipWithout } from '../../setup/packages.ts';
import { enrol, FORM, isAccepted, loginOf, rotate, startBmc, startDaemon } from './site.ts';

const run = promisify(execFile);

test('BMCs of all kinds get a user with a password of its own, and a second time no second user', async (t) => {
  const daemon = await startDaemon(t);
  for (const shape of shapeNames) {
    const bmc = await startBmc(t, { shape });
    await enrol(daemon, shape, bmc);
    const { accounts } = bmc.bmc.sessions;
    const users = () => [...accounts.all.values()].filter(({ username }) => username !== '');
    const passwords = [];
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await rotate(daemon, shape, 'ironic');
      assert.equal(status, 204, `${shape}: ${JSON.stringify(body)}`);
      const login = await loginOf(daemon, shape);
      assert.match(login.password, FORM);
      assert.deepEqual(
        [login.username, login.pending, isAccepted(bmc, login)],
        ['ironic', null, true],
        shape,
      );
      passwords.push(login.password);
    }
    assert.notEqual(passwords[0], passwords[1]);
    assert.deepEqual(
      users()
        .map(({ username }) => username)
        .toSorted(),
      ['admin', 'ironic'],
      shape,
    );
    assert.ok(
      users().every(({ role }) => role === 'Administrator' || shape === 'hpe'),
      shape,
    );
    assert.equal(accounts.factory.password, 'secret', 'the user of the factory keeps its password');
    assert.equal(accounts.lockouts, 0);
  }
});

test('a user of the name that is there already gets the password, the role and access', async (t) => {
  const daemon = await startDaemon(t);
  const bmc = await startBmc(t);
  await enrol(daemon, 'one', bmc);
  const { accounts } = bmc.bmc.sessions;
  const old = {
    username: 'ironic',
    password: 'of before',
    role: 'ReadOnly',
    isEnabled: false,
    mustChange: false,
  };
  accounts.all.set('7', old);
  assert.equal((await rotate(daemon, 'one', 'ironic')).status, 204);
  const { password } = await loginOf(daemon, 'one');
  assert.deepEqual(accounts.all.get('7'), { ...old, password, role: 'Administrator', isEnabled: true });
  assert.equal(accounts.all.size, 2);
});

test('a BMC that wants another password first gets one, and then the user', async (t) => {
  const daemon = await startDaemon(t);
  for (const firstPassword of ['is reported', 'refuses', 'opens no session'] as const)
    for (const username of [undefined, 'ironic']) {
      const name = `${firstPassword.replaceAll(' ', '-')}-${username ?? 'admin'}`;
      const bmc = await startBmc(t, { differences: { accounts: { ...plainAccounts, firstPassword } } });
      await enrol(daemon, name, bmc);
      const { status, body } = await rotate(daemon, name, username);
      assert.equal(status, 204, `${name}: ${JSON.stringify(body)}`);
      const login = await loginOf(daemon, name);
      assert.deepEqual([login.username, isAccepted(bmc, login)], [username ?? 'admin', true], name);
      const { factory, lockouts } = bmc.bmc.sessions.accounts;
      assert.deepEqual([factory.mustChange, lockouts], [false, 0], name);
      assert.match(factory.password, FORM);
    }
});

test('passwords that the rules of a BMC refuse are followed by others, and none is tried as a login', async (t) => {
  const daemon = await startDaemon(t);
  const rules = {
    special: { admits: (password: string) => /[!#*+]/.test(password) },
    long: { shortest: 18, longest: 20 },
    short: { longest: 12 },
    plain: { admits: (password: string) => /^[A-Za-z0-9]*$/.test(password) },
  };
  for (const [name, rule] of Object.entries(rules)) {
    const accounts = { ...plainAccounts, ...rule, lockoutThreshold: 1 };
    const bmc = await startBmc(t, { differences: { accounts } });
    await enrol(daemon, name, bmc);
    for (const username of [undefined, 'ironic']) {
      const { status, body } = await rotate(daemon, name, username);
      assert.equal(status, 204, `${name}: ${JSON.stringify(body)}`);
      assert.ok(isAccepted(bmc, await loginOf(daemon, name)));
    }
    assert.equal(bmc.bmc.sessions.accounts.lockouts, 0, name);
  }
  const bmc = await startBmc(t, { differences: { accounts: { ...plainAccounts, admits: () => false } } });
  await enrol(daemon, 'none', bmc);
  const refused = await rotate(daemon, 'none', 'ironic');
  assert.equal(refused.status, 500);
  assert.match(JSON.stringify(refused.body), /the rules of BMC .* refuse the new password/);
  const kept = { username: 'admin', password: 'secret', pending: null, pending_username: null };
  assert.deepEqual(await loginOf(daemon, 'none'), kept);
});

test('a user that cannot be made changes nothing: a wrong name, another node’s user, no free slot', async (t) => {
  const daemon = await startDaemon(t);
  const bmc = await startBmc(t, { differences: { accounts: { ...shapeOf('dell9').accounts, slots: 2 } } });
  await enrol(daemon, 'one', bmc);
  const before = JSON.stringify([...bmc.bmc.sessions.accounts.all]);
  for (const name of ['', '1st', 'two words', 'x'.repeat(17)]) {
    const { status, body } = await rotate(daemon, 'one', name);
    assert.equal(status, 400, name);
    assert.match(JSON.stringify(body), /Expected a name of 1 to 16 letters/);
  }
  assert.equal(bmc.bmc.sessions.logins, 0);
  assert.equal((await rotate(daemon, 'one', 'ironic')).status, 500);
  await enrol(daemon, 'two', bmc);
  const change = [{ op: 'add', path: '/driver_info/redfish_username', value: 'ironic' }];
  await daemon.request('PATCH', '/v1/nodes/two', change);
  const shared = await rotate(daemon, 'one', 'ironic');
  assert.match(JSON.stringify(shared.body), /also that of node two/);
  assert.equal(JSON.stringify([...bmc.bmc.sessions.accounts.all]), before);
  const kept = { username: 'admin', password: 'secret', pending: null, pending_username: null };
  assert.deepEqual(await loginOf(daemon, 'one'), kept);
});

test(
  'a BMC with IPMI gets a user in its first free slot, which can log in',
  { skip: skipWithout('openipmi') || skipWithout('ipmitool') },
  async (t) => {
    const sim = await startIpmiSim();
    t.after(() => sim.stop());
    const daemon = await startDaemon(t);
    const driver_info = {
      ipmi_address: sim.address,
      ipmi_port: sim.port,
      ipmi_username: sim.username,
      ipmi_password: sim.password,
      ipmi_cipher_suite: '3',
    };
    await daemon.request('POST', '/v1/nodes', { name: 'one', driver: 'ipmi', driver_info });
    const base = ['-I', 'lanplus', '-C', '3', '-H', sim.address, '-p', String(sim.port)];
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await rotate(daemon, 'one', 'ironic');
      assert.equal(status, 204, JSON.stringify(body));
      const { username, password } = await loginOf(daemon, 'one');
      assert.equal(username, 'ironic');
      const { stdout } = await run('ipmitool', [
        ...base,
        '-U',
        username,
        '-P',
        password,
        '-c',
        'user',
        'list',
      ]);
      const named = stdout.split('\n').filter((line) => /^\d+,[^,]/.test(line));
      assert.deepEqual(
        named.map((line) => line.split(',').slice(0, 2).join()),
        ['2,admin', '3,viewer', '4,ironic'],
      );
      assert.match(named[2] ?? '', /ADMINISTRATOR$/);
    }
  },
);
