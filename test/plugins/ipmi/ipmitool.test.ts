import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import test, { after, before, beforeEach } from 'node:test';
import { type IpmiRequest, ipmitool } from '../../../plugins/ipmi/ipmitool.ts';
import { type IpmiSim, startIpmiSim } from '../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { ipmiTask } from './ipmi-task.ts';

// the password and the Kg key are random, so that no other text in /proc matches them
const password = randomBytes(8).toString('hex');
const kgKey = Buffer.from(randomBytes(16).map((octet) => octet | 0x80)).toString('hex');
let sim: IpmiSim;
before(async () => {
  sim = await startIpmiSim({ password });
});
after(() => sim.stop());
beforeEach(() => sim.behave('normal'));

const status: IpmiRequest = {
  operation: 'Reading',
  command: ['power', 'status'],
  confirmation: 'Chassis Power is ',
};
const on: IpmiRequest = { operation: 'Power on', command: ['power', 'on'], confirmation: '' };

for (const [title, driverInfo, request, reason] of [
  ['a wrong password', { ipmi_password: 'wrong' }, status, /: the password is wrong; check/],
  ['an absent password', { ipmi_password: null }, status, /: the password is wrong; check/],
  ['an unknown user', { ipmi_username: 'nobody' }, status, /: it does not know the user/],
  ['no user', { ipmi_username: null }, status, /: it does not know the user/],
  ['a refused cipher suite', { ipmi_cipher_suite: '17' }, status, /: it refuses the cipher suite; set/],
  [
    'an insufficient privilege level',
    { ipmi_username: 'viewer', ipmi_priv_level: 'USER' },
    on,
    /: the privilege level/,
  ],
  ['an unexpected Kg key', { ipmi_hex_kg_key: '01'.repeat(20) }, status, /: the Kg key is wrong/],
  ['an unresolvable name', { ipmi_address: 'bmc.invalid' }, status, /: its name cannot be resolved/],
  [
    'an unknown user of IPMI 1.5',
    { ipmi_protocol_version: '1.5', ipmi_username: 'nobody' },
    status,
    /: it does not know the user/,
  ],
  [
    'a wrong password of IPMI 1.5',
    { ipmi_protocol_version: '1.5', ipmi_password: 'wrong' },
    status,
    /: the password is wrong/,
  ],
] as const) {
  test(`${title} is reported as the reason`, async () => {
    await assert.rejects(ipmitool(ipmiTask(sim, driverInfo), request), {
      code: 'BmcFailure',
      message: reason,
    });
  });
}

test('a BMC that does not answer is reported with the settings to check', async () => {
  const gone = await startIpmiSim();
  await gone.stop();
  const task = ipmiTask(gone);
  await assert.rejects(ipmitool(task, status), {
    message:
      `Reading failed for node ${task.node.uuid} on BMC ipmi://127.0.0.1:${gone.port}: it does not answer; ` +
      'check driver_info/ipmi_address and ipmi_port (UDP), that IPMI over LAN is enabled in the BMC, and firewalls. ' +
      'If the BMC cannot negotiate a cipher suite, set driver_info/ipmi_cipher_suite (usually 17 or 3)',
  });
});

test('the power state is read over IPMI 1.5', async () => {
  const answer = await ipmitool(ipmiTask(sim, { ipmi_protocol_version: '1.5' }), status);
  assert.match(answer, /^Chassis Power is o/);
});

test('a user without a password can log in', async () => {
  const open = await startIpmiSim({ password: '' });
  try {
    assert.match(await ipmitool(ipmiTask(open, { ipmi_password: null }), status), /^Chassis Power is off/);
  } finally {
    await open.stop();
  }
});

test('the configured cipher suites are tried from the last to the first', async () => {
  const task = ipmiTask(
    sim,
    { ipmi_cipher_suite: null },
    { ipmi: { cipher_suite_versions: ['1', '3', '17'] } },
  );
  assert.match(await ipmitool(task, status), /^Chassis Power is o/);
  assert.equal(task.conversations.length, 2);
});

test('the refusal of all configured cipher suites is reported as the reason', async () => {
  const task = ipmiTask(sim, { ipmi_cipher_suite: '' }, { ipmi: { cipher_suite_versions: ['16', '17'] } });
  await assert.rejects(ipmitool(task, status), /it refuses the cipher suite/);
  assert.equal(task.conversations.length, 2);
});

test('a BMC that refuses the password is not logged as one that does not answer', async () => {
  const task = ipmiTask(sim, { ipmi_password: 'wrong' });
  for (let time = 0; time < 4; time++) await assert.rejects(ipmitool(task, status), /the password is wrong/);
  assert.deepEqual(task.logged, []);
});

test('a request to a BMC that hangs fails at the deadline, and ipmitool is ended', async () => {
  sim.behave('hang');
  const task = ipmiTask(sim, {}, { ipmi: { command_retry_timeout: 60, min_command_interval: 5 } });
  const rejection = assert.rejects(ipmitool(task, status), {
    code: 'BmcFailure',
    message: /: it stopped answering after the login; if this persists, reset the BMC$/,
  });
  await sim.hanging();
  const pid = runningIpmitool(sim);
  await task.clock.advance(60_000);
  await rejection;
  assert.equal(existsSync(`/proc/${pid}`), false);
});

test('an aborted task ends ipmitool and fails with AbortError', async () => {
  sim.behave('hang');
  const task = ipmiTask(sim, {}, { ipmi: { command_retry_timeout: 60, min_command_interval: 5 } });
  const rejection = assert.rejects(ipmitool(task, status), { name: 'AbortError' });
  await sim.hanging();
  const pid = runningIpmitool(sim);
  task.abort();
  await rejection;
  assert.equal(existsSync(`/proc/${pid}`), false);
});

test('the password and the Kg key never appear in an argument list or environment', async () => {
  const guarded = await startIpmiSim({ password, kgKey });
  try {
    guarded.behave('hang');
    const task = ipmiTask(
      guarded,
      { ipmi_hex_kg_key: `${kgKey}00000000` },
      { ipmi: { command_retry_timeout: 60, min_command_interval: 5 } },
    );
    const running = ipmitool(task, status);
    await guarded.hanging();
    const passwordFile = `/proc/${runningIpmitool(guarded)}/fd/3`;
    assert.equal(readFileSync(passwordFile, 'utf8'), password);
    assert.equal(statSync(passwordFile).mode & 0o777, 0o600);
    assert.match(readlinkSync(passwordFile), / \(deleted\)$/);
    const seen = [...processes()].flatMap(({ cmdline, environ }) => [cmdline, environ]).join('\n');
    assert.match(seen, /ipmitool/);
    for (const secret of [password, kgKey, Buffer.from(kgKey, 'hex').toString('latin1')]) {
      assert.equal(seen.includes(secret), false);
    }
    guarded.behave('normal');
    assert.match(await running, /^Chassis Power is off/);
    assert.deepEqual(task.logged, []);
  } finally {
    await guarded.stop();
  }
});

test('a missing Kg key is reported as the reason', async () => {
  const guarded = await startIpmiSim({ kgKey });
  try {
    await assert.rejects(
      ipmitool(ipmiTask(guarded), status),
      /the Kg key is wrong or missing; check driver_info\/ipmi_hex_kg_key/,
    );
  } finally {
    await guarded.stop();
  }
});

test('a missing ipmitool is reported with the package to install', async () => {
  const path = process.env['PATH'];
  process.env['PATH'] = '/nonexistent';
  try {
    await assert.rejects(
      ipmitool(ipmiTask(sim), status),
      /: ipmitool is not installed on this host; install the Debian package ipmitool$/,
    );
  } finally {
    process.env['PATH'] = path;
  }
});

test('a password file that cannot be written is reported', async () => {
  const folder = process.env['TMPDIR'];
  process.env['TMPDIR'] = '/nonexistent';
  try {
    await assert.rejects(
      ipmitool(ipmiTask(sim), status),
      /: could not run ipmitool on this host: ENOENT: no such file or directory, mkdtemp '\/nonexistent/,
    );
  } finally {
    if (folder === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = folder;
  }
});

/** The processes that this user can read. */
function* processes() {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'latin1');
      yield { pid, cmdline: read('cmdline'), environ: read('environ') };
    } catch {
      // owned by another user, or ended
    }
  }
}

/** Returns the process id of the ipmitool that talks to this BMC. */
function runningIpmitool({ port }: IpmiSim): string {
  for (const { pid, cmdline } of processes()) {
    const words = cmdline.split('\0');
    if (words[0] === 'ipmitool' && words.includes(String(port))) return pid;
  }
  return assert.fail('no ipmitool runs');
}
