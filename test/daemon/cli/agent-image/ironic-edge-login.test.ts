// The collector of the ramdisk, with an imaginary BMC, and the daemon that opens what it seals.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { accountParameters } from '../../../../daemon/conductor/ramdisk/in-band-account.ts';
import { kernelText } from '../../../../daemon/model/machine/kernel-parameters.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { skipWithout } from '../../../setup/packages.ts';

const FOLDER = join(import.meta.dirname, '../../../../daemon/cli/agent-image/build');
const FAKE_BMC = join(import.meta.dirname, '../../../fakes/machines/fake-bmc.py');
const skip = skipWithout('python3-cryptography');
const SHAPE = /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)(?!.*(.)\1)[A-Za-z0-9][A-Za-z0-9._-]{14}[A-Za-z0-9]$/;

interface User {
  readonly name: string;
  readonly password?: string;
  readonly enabled?: boolean;
  /** The first and third octet of each Set User Access. */
  readonly access?: readonly (readonly [number, number])[];
  readonly payloads?: readonly number[];
}

interface Outcome {
  readonly report: { readonly bmc_login?: string; readonly bmc_login_failure?: string };
  readonly users: Readonly<Record<string, User>>;
}

const INVENTORY = {
  interfaces: [
    { name: 'eth0', mac_address: '52:54:00:00:00:01' },
    { name: 'tunnel', mac_address: '' },
  ],
  bmc_address: '192.0.2.77',
  bmc_v6address: '::/0',
  system_vendor: { serial_number: 'SN7' },
};

async function machine(t: TestContext) {
  const daemon = await startInProcess(t, { ini: '[zero_touch]\nbmc_networks = 192.0.2.0/24\n' });
  daemon.clock.set(Date.now() - daemon.clock.now());
  const folder = mkdtempSync(join(tmpdir(), 'collector-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const kept = join(folder, 'login');
  const given = {
    users: { 2: 'root' },
    passwords: {},
    channels: { 1: 4, 15: 12 },
    slots: 10,
    nameless: 0,
    forgets: false,
    refused: {},
    busy: [],
    kept,
    command_line: `nofb ${kernelText(accountParameters(daemon.services))}`,
    inventory: INVENTORY,
  };
  const collect = (more: object = {}): Outcome =>
    JSON.parse(
      execFileSync('/usr/bin/python3', [FAKE_BMC, FOLDER], {
        input: JSON.stringify({ ...given, ...more }),
      }).toString(),
    ) as Outcome;
  return { daemon, kept, collect };
}

test(
  'the collector makes an administrator, and the daemon opens the login that it seals',
  { skip },
  async (t) => {
    const { daemon, kept, collect } = await machine(t);
    const { report, users } = collect({ channels: { 1: 4, 2: 5, 8: 4 } });
    const { password = '', ...account } = users['3'] ?? assert.fail(JSON.stringify(report));
    assert.match(password, SHAPE);
    assert.deepEqual(account, {
      name: 'edge-inband',
      enabled: true,
      access: [
        [0xb1, 4],
        [0xb8, 4],
      ],
      payloads: [1, 8],
    });
    assert.deepEqual(users['2'], { name: 'root' });
    await daemon.request('POST', '/v1/continue_inspection', { version: null, body: report });
    const {
      received_at: _,
      system_uuid: __,
      ...stored
    } = daemon.services.db.bmcLogins.inTurn('192.0.2.77')[0] ?? assert.fail(daemon.log());
    assert.deepEqual(stored, {
      address: '192.0.2.77',
      username: 'edge-inband',
      password,
      serial_number: 'SN7',
      macs: ['52:54:00:00:00:01'],
      sender: '',
      refused_at: null,
    });
    assert.ok(!JSON.stringify(report).includes(password));
    assert.equal(statSync(kept).mode & 0o777, 0o600);
  },
);

test('the account keeps its password until the machine boots again', { skip }, async (t) => {
  const { kept, collect } = await machine(t);
  const first = collect();
  const password = readFileSync(kept, 'utf8');
  const users = { 2: 'root', 3: 'edge-inband' };
  const again = collect({ users, passwords: { 3: password } });
  assert.equal(again.users['3']?.password, password);
  assert.notEqual(again.report.bmc_login, first.report.bmc_login);
  const changed = collect({ users, passwords: { 3: 'by somebody else' } });
  assert.match(changed.users['3']?.password ?? '', SHAPE);
  assert.notEqual(changed.users['3']?.password, password);
});

test('a BMC that is busy is asked again', { skip }, async (t) => {
  const { collect } = await machine(t);
  const { report } = collect({ busy: ['Set User Name', 'Set User Password'] });
  assert.equal(report.bmc_login_failure, undefined);
});

const places: readonly (readonly [what: string, bmc: object, slot: number])[] = [
  ['its own', { users: { 2: 'root', 4: 'edge-inband' } }, 4],
  ['the first without a name', { users: { 2: 'root', 3: 'admin', 5: 'x' } }, 4],
  ['one that HPE shows as empty', { users: { 2: 'root', 3: '(Empty User)' } }, 3],
  ['one whose name the BMC refuses to tell', { nameless: 0xcc }, 3],
  ['the last', { slots: 4, users: { 2: 'a', 3: 'b' } }, 4],
];

const failures: readonly (readonly [bmc: object, failure: RegExp])[] = [
  [{ slots: 3, users: { 2: 'a', 3: 'b' } }, /all 3 user slots of the BMC have a name: remove a user/],
  [{ channels: { 2: 5 } }, /no LAN channel/],
  [
    { refused: { 'Set User Name': 0xd4 } },
    /refused "Set User Name" with completion code 0xd4: it does not allow/,
  ],
  [{ forgets: true }, /does not take the password that it was given for user edge-inband in slot 3/],
  [{ inventory: { ...INVENTORY, bmc_address: '0.0.0.0' } }, /the BMC has no address on its network/],
  [{ inventory: { ...INVENTORY, interfaces: 7 } }, /ironic_edge_login\.py failed with TypeError/],
  [{ command_line: 'ironic-edge-bmc-account=edge-inband' }, /failed with KeyError/],
];

test(
  'the account gets a slot that is its own or free, and else a failure without a secret is reported',
  { skip },
  async (t) => {
    const { kept, collect } = await machine(t);
    for (const [what, bmc, slot] of places) assert.equal(collect(bmc).users[slot]?.name, 'edge-inband', what);
    for (const [bmc, failure] of failures) {
      const { report } = collect(bmc);
      assert.match(report.bmc_login_failure ?? '', failure);
      assert.equal(report.bmc_login, undefined);
      assert.ok(!JSON.stringify(report).includes(readFileSync(kept, 'utf8')));
    }
  },
);
