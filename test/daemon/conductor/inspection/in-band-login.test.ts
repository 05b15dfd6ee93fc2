import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { takeBmcLogin } from '../../../../daemon/conductor/inspection/in-band-login.ts';
import { accountParameters, BMC_ACCOUNT } from '../../../../daemon/conductor/ramdisk/in-band-account.ts';
import { backUp } from '../../../../daemon/db/copies/back-up.ts';
import { readTables } from '../../../../daemon/db/read-only.ts';
import {
  fastDirectory,
  type InProcessDaemon,
  startInProcess,
} from '../../../fakes/daemon/in-process-daemon.ts';
import { sealedLogin } from '../../../fakes/machines/sealed-login.ts';
import { MAC, waitingNode } from '../../../ramdisk-callback/waiting-node.ts';

const ZERO_TOUCH = '[zero_touch]\nbmc_networks = 192.0.2.0/24, 10.9.0.0/16\n';
const PASSWORD = 'Zt7-quietRackXx1';
const BMC = '192.0.2.77';
const DAY_MILLISECONDS = 24 * 3_600_000;

const keyOf = ({ services }: InProcessDaemon): string =>
  String(accountParameters(services)['ironic-edge-site-key']);

const login = ({ clock }: InProcessDaemon, more: object = {}) => ({
  username: BMC_ACCOUNT,
  password: PASSWORD,
  bmc_addresses: [BMC],
  macs: [MAC],
  serial_number: 'SN7',
  system_uuid: '4c4c4544-0051-3010-8035-b4c04f534331',
  time: clock.now() / 1000,
  ...more,
});

const reportWith = (bmc_login: unknown, more: object = {}) => ({
  inventory: {
    interfaces: [{ name: 'eth0', mac_address: MAC }],
    bmc_address: BMC,
    bmc_v6address: '::/0',
    cpu: { architecture: 'x86_64', count: 2 },
    system_vendor: { serial_number: 'SN7' },
    ...more,
  },
  bmc_login,
});

const send = (daemon: InProcessDaemon, body: object) =>
  daemon.request('POST', '/v1/continue_inspection', { version: null, body });

const site = (t: TestContext, ini = ZERO_TOUCH) => startInProcess(t, { ini });

const reasonIn = (daemon: InProcessDaemon): string =>
  daemon
    .log()
    .split('\n')
    .flatMap((line) => /"reason":"((?:not made|refused): [^"]*)"/.exec(line)?.[1] ?? [])
    .at(-1) ?? '';

test('the login that an unknown machine made on its BMC is stored, and shown nowhere', async (t) => {
  const daemon = await site(t);
  const sealed = sealedLogin(login(daemon), keyOf(daemon));
  const answer = await send(daemon, reportWith(sealed));
  assert.equal(answer.status, 404, 'nothing is discovered, and the agent goes on without a node');
  assert.deepEqual(daemon.services.db.bmcLogins.inTurn(BMC)[0], {
    address: BMC,
    sender: '',
    username: BMC_ACCOUNT,
    password: PASSWORD,
    serial_number: 'SN7',
    system_uuid: '4c4c4544-0051-3010-8035-b4c04f534331',
    macs: [MAC],
    received_at: '2026-01-01T00:00:00.000+00:00',
    refused_at: null,
  });
  const timeline = await daemon.request('GET', `/v1/unknown_machines/${MAC}/timeline`, { version: 1 });
  assert.match(timeline.text, /its ramdisk made an account on the BMC 192\.0\.2\.77/);
  const seen = daemon.log() + timeline.text + answer.text;
  for (const secret of [PASSWORD, sealed]) assert.ok(!seen.includes(secret));
});

test('a login is neither stored with the inventory nor given to hooks and rules', async (t) => {
  const { daemon, uuid } = await waitingNode(t, { ini: ZERO_TOUCH });
  await daemon.request('POST', '/v1/inspection_rules', {
    body: {
      actions: [{ op: 'set-attribute', args: { path: '/extra/seen', value: '{plugin_data}' } }],
    },
  });
  const sealed = sealedLogin(login(daemon), keyOf(daemon));
  assert.equal((await send(daemon, reportWith(sealed))).status, 202);
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable', daemon.node(uuid).last_error ?? '');
  assert.equal(daemon.services.db.bmcLogins.inTurn(BMC)[0]?.password, PASSWORD);
  assert.ok('seen' in daemon.node(uuid).extra, 'the rule has run');
  const { text } = await daemon.request('GET', `/v1/nodes/${uuid}/inventory`);
  const seen = text + JSON.stringify(daemon.node(uuid)) + daemon.log();
  for (const secret of [PASSWORD, sealed, 'bmc_login']) assert.ok(!seen.includes(secret), secret);
});

const OTHER_KEY = 'hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo';

type Forge = (daemon: InProcessDaemon) => { readonly bmc_login?: unknown };
const sealing =
  (more: object, inventory: object = {}): Forge =>
  (daemon) =>
    reportWith(sealedLogin(login(daemon, more), keyOf(daemon)), inventory);
const altered =
  (alter: (sealed: string) => unknown): Forge =>
  (daemon) =>
    reportWith(alter(sealedLogin(login(daemon), keyOf(daemon))));

const refused: readonly (readonly [what: string, forge: Forge, reason: RegExp])[] = [
  ['of another machine, by its MAC', sealing({ macs: ['52:54:00:00:00:99'] }), /for another machine/],
  ['of another machine, by its BMC', sealing({ bmc_addresses: ['192.0.2.78'] }), /for another machine/],
  ['of another machine, by its serial', sealing({ serial_number: 'SN8' }), /for another machine/],
  ['with one MAC more', sealing({ macs: [MAC, '52:54:00:00:00:99'] }), /for another machine/],
  [
    'of a BMC elsewhere',
    sealing({ bmc_addresses: ['198.51.100.7'] }, { bmc_address: '198.51.100.7' }),
    /no address of its BMC \(198\.51\.100\.7\) is in \[zero_touch\] bmc_networks/,
  ],
  ['of a BMC without an address', sealing({}, { bmc_address: null }), /it has none/],
  ['of another user', sealing({ username: 'root' }), /not the login of a user edge-inband/],
  ['with a password that no BMC takes', sealing({ password: 'two words' }), /not the login/],
  ['without a time', sealing({ time: 'now' }), /not the login/],
  ['from the past', sealing({ time: 0 }), /sealed at 1970-.*set the clock/],
  ['from the future', sealing({ time: 2 ** 32 - 1 }), /sealed at 2106-.*set the clock/],
  ['that is no JSON', (daemon) => reportWith(sealedLogin('x', keyOf(daemon))), /not the login/],
  [
    'for another site',
    (daemon) => reportWith(sealedLogin(login(daemon), OTHER_KEY)),
    /sealed for another key/,
  ],
  ['truncated', altered((sealed) => sealed.slice(0, -8)), /damaged/],
  ['cut to a few bytes', altered((sealed) => sealed.slice(0, 12)), /damaged/],
  ['changed', altered((sealed) => sealed.replace(/^..../, 'AAAA')), /damaged/],
  ['with a key of zeros', altered(() => Buffer.alloc(200).toString('base64')), /damaged/],
  ['too long', altered((sealed) => sealed.padEnd(5000, 'A')), /damaged/],
  ['of a megabyte', altered(() => 'A'.repeat(2 ** 20)), /damaged/],
  ['that is no text', altered(() => ({ username: BMC_ACCOUNT, password: PASSWORD })), /damaged/],
];

test('a login that is forged, damaged or of another machine is refused with a reason, and changes nothing', async (t) => {
  const daemon = await site(t);
  const good = reportWith(sealedLogin(login(daemon), keyOf(daemon)));
  await send(daemon, good);
  for (const [what, forge, reason] of refused) {
    await send(daemon, forge(daemon));
    assert.match(reasonIn(daemon), reason, what);
    assert.equal(daemon.services.db.bmcLogins.inTurn(BMC)[0]?.password, PASSWORD, what);
    assert.equal(daemon.services.db.bmcLogins.inTurn('192.0.2.78')[0], undefined, what);
  }
  for (const again of [good, { ...good, bmc_login: `${good.bmc_login as string}==\n` }]) {
    const from = daemon.log().length;
    await send(daemon, again);
    assert.match(daemon.log().slice(from), /it was received before/);
  }
});

test('a BMC that has only an address of IPv6 is taken by it', async (t) => {
  const daemon = await site(t, '[zero_touch]\nbmc_networks = 2001:db8::/64\n');
  const sealed = sealedLogin(login(daemon, { bmc_addresses: ['2001:DB8::7'] }), keyOf(daemon));
  await send(daemon, reportWith(sealed, { bmc_address: '0.0.0.0', bmc_v6address: '2001:db8:0::7' }));
  assert.equal(daemon.services.db.bmcLogins.inTurn('2001:db8::7')[0]?.password, PASSWORD, reasonIn(daemon));
});

test('a later login replaces the earlier one, so that a forged one lasts until the machine reports again', async (t) => {
  const daemon = await site(t);
  for (const password of [PASSWORD, 'forged', PASSWORD])
    await send(daemon, reportWith(sealedLogin(login(daemon, { password }), keyOf(daemon))));
  assert.equal(daemon.services.db.bmcLogins.inTurn(BMC)[0]?.password, PASSWORD);
});

test('a machine that could make no account is named with the reason', async (t) => {
  const daemon = await site(t);
  const failure = `the BMC refused "Set User Name"\u001b[2J ${'x'.repeat(500)}`;
  await send(daemon, { ...reportWith(undefined), bmc_login_failure: failure });
  const { text } = await daemon.request('GET', `/v1/unknown_machines/${MAC}/timeline`, { version: 1 });
  assert.match(text, /was not made: the BMC refused .{1,20}Set User Name/);
  assert.ok(!text.includes('x'.repeat(400)));
});

test('a thousand forged logins and more leave no more than a thousand, and the newest', async (t) => {
  const daemon = await site(t);
  const key = keyOf(daemon);
  const count = 1100;
  for (let number = 0; number < count; number += 1) {
    const address = `10.9.${number >> 8}.${number & 255}`;
    const sealed = sealedLogin(login(daemon, { bmc_addresses: [address] }), key);
    daemon.clock.set(1000);
    takeBmcLogin(daemon.services, {
      macs: [MAC],
      bmcAddresses: [address],
      login: { sealed, serialNumber: 'SN7' },
      client: '192.0.2.200',
    });
  }
  const stored = Array.from(
    { length: count },
    (_, number) => daemon.services.db.bmcLogins.inTurn(`10.9.${number >> 8}.${number & 255}`)[0],
  );
  assert.deepEqual(
    stored.map((each) => each !== undefined),
    Array.from({ length: count }, (_, number) => number >= 100),
  );
  assert.equal(daemon.services.db.nodes.countInStates(['enroll']), 0);
});

test('with the own DHCP server, a login comes only from an address that the machine has leased', async (t) => {
  const dhcp = '[dhcp_server]\nsubnet = 10.0.0.0/24 range=10.0.0.50-10.0.0.60 interface=br0\n';
  const daemon = await site(t, ZERO_TOUCH + dhcp);
  const sealed = sealedLogin(login(daemon), keyOf(daemon));
  const reported = { macs: [MAC], bmcAddresses: [BMC], login: { sealed, serialNumber: 'SN7' } };
  takeBmcLogin(daemon.services, { ...reported, client: '10.0.0.51' });
  assert.match(reasonIn(daemon), /has not leased the address of the sender to the machine/);
  assert.equal(daemon.services.db.bmcLogins.inTurn(BMC)[0], undefined);
  takeBmcLogin(daemon.services, { ...reported, client: '192.0.2.200' });
  assert.equal(daemon.services.db.bmcLogins.inTurn(BMC)[0]?.password, PASSWORD);
});

test('a new key is made after a month, the one before it still opens logins, and a backup has both', async (t) => {
  const daemon = await site(t);
  const keys = [keyOf(daemon)];
  assert.equal(keyOf(daemon), keys[0], 'not before');
  for (const _ of [1, 2]) {
    daemon.clock.set(31 * DAY_MILLISECONDS);
    keys.push(keyOf(daemon));
  }
  for (const [at, expected] of [/sealed for another key/, /^$/, /^$/].entries()) {
    const from = daemon.log().length;
    await send(daemon, reportWith(sealedLogin(login(daemon), keys[at] ?? '')));
    assert.match(/refused: [^"]*/.exec(daemon.log().slice(from))?.[0] ?? '', expected, `key ${at}`);
  }
  const { path: database } = daemon.services.config.database;
  const folder = mkdtempSync(path.join(fastDirectory(), 'backup-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const { file } = backUp(database, folder, { keep: 1, time: new Date() });
  assert.deepEqual(
    readTables(file, ({ siteKeys }) => siteKeys.all()),
    daemon.services.db.siteKeys.all(),
  );
  assert.equal(daemon.services.db.siteKeys.all().length, 2);
  for (const { private_key } of daemon.services.db.siteKeys.all())
    for (const name of readdirSync(daemon.stateDirectory).filter((each) => !each.includes('sqlite')))
      assert.ok(!readFileSync(path.join(daemon.stateDirectory, name)).includes(private_key), name);
});

test('without bmc_networks no account is asked for, no report of an unknown machine is read, and no login is taken', async (t) => {
  const { daemon } = await waitingNode(t);
  assert.deepEqual(accountParameters(daemon.services), {});
  assert.deepEqual(daemon.services.db.siteKeys.all(), []);
  assert.equal((await send(daemon, reportWith('A'.repeat(200)))).status, 202);
  await daemon.idle();
  assert.equal((await send(daemon, reportWith('A'.repeat(200)))).status, 404);
  assert.equal(daemon.services.db.bmcLogins.inTurn(BMC)[0], undefined);
  assert.doesNotMatch(daemon.log(), /login of a BMC/);
});
