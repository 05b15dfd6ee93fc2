// The list of expected machines: lists of vendors are imported whole or not at all, and passwords are never shown.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { expectedCommand } from '../../../../daemon/cli/zero-touch/expected-command.ts';
import { reasonOf } from '../../../../daemon/model/faults.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';

const PASSWORD = 'Fact0ry-x9';

const LIST = `Service Tag,MAC iDRAC,User,Password,NICs,Rack,unit,Note
 7abc123 ,AA-BB-CC-00-00-01,root,${PASSWORD},52:54:00:00:00:01 52:54:00:00:00:02,r1,11,north
8ABC124,AABBCC000002,root,"with,comma""${PASSWORD}",,r1,12,
`;
const COLUMNS = [
  'Service Tag=serial_number',
  'MAC iDRAC=bmc_mac',
  'User=bmc_username',
  'Password=bmc_password',
  'NICs=port_macs',
];
const MAPPING = COLUMNS.flatMap((column) => ['--column', column]);

async function site(t: TestContext) {
  const daemon = await startListening(t, { environment: { IRONIC_ZERO_TOUCH__BMC_NETWORKS: '10.0.9.0/24' } });
  const directory = mkdtempSync(join(tmpdir(), 'expected-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = (name: string, text: string, mode = 0o600) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const run = (...args: readonly string[]) =>
    runCommand((context) => expectedCommand(args, context), { OS_ENDPOINT: daemon.url });
  return {
    daemon,
    file,
    run,
    stored: () => daemon.services.db.expectedMachines.where({ sql: 'true', values: [] }),
  };
}

const refusalOf = (run: ReturnType<typeof runCommand>): Promise<string> =>
  run.then(
    ({ errors, code }) => (code === 0 ? 'it was not refused' : errors),
    (error: unknown) => reasonOf(error),
  );

test('a delivery list of a vendor is imported by naming its columns, once', async (t) => {
  const { file, run, stored, daemon } = await site(t);
  const path = file('delivery.csv', LIST);
  const first = await run('import', path, ...MAPPING);
  assert.deepEqual([first.code, first.errors, first.out], [0, '', '2 added, 0 changed, 0 as before\n']);
  const [machine, other] = stored();
  assert.equal(machine?.serial_number, '7ABC123');
  assert.equal(machine?.bmc_mac, 'aa:bb:cc:00:00:01');
  assert.deepEqual(machine?.port_macs, ['52:54:00:00:00:01', '52:54:00:00:00:02']);
  assert.deepEqual([machine?.rack, machine?.unit, machine?.bmc_password], ['r1', 11, PASSWORD]);
  assert.equal(other?.bmc_password, `with,comma"${PASSWORD}`);
  assert.equal((await run('import', path, ...MAPPING)).out, '0 added, 0 changed, 2 as before\n');
  const moved = file('delivery.csv', LIST.replace('r1,12', 'r2,12'));
  assert.equal((await run('import', moved, ...MAPPING)).out, '0 added, 1 changed, 1 as before\n');
  const shown = await run('list', '--fields', 'serial_number,bmc_username,bmc_password', '--json');
  assert.doesNotMatch(shown.out, new RegExp(PASSWORD));
  assert.match(shown.out, /"bmc_password": "\*{6}"/);
  assert.doesNotMatch(daemon.log(), new RegExp(PASSWORD));
});

test('a list with one wrong machine changes nothing and names the machine, never its password', async (t) => {
  const { file, run, stored } = await site(t);
  const wrong: readonly (readonly [string, RegExp])[] = [
    [
      'serial_number: Default string',
      /machine 2 of the list: .*serial_number.*Default string.*number on the tag/,
    ],
    ['bmc_mac: "01:00:5e:00:00:01"', /machine 2 .*bmc_mac.*MAC address of a network card/],
    ['bmc_address: 10.0.8.1', /machine 2 .*bmc_address.*10\.0\.9\.0\/24/],
    ['rack: r1', /machine 2 .*Give one of serial_number/],
    ['serial_number: S2, driver: none-such', /machine 2 .*driver.*none-such.*expected one of/],
    ['serial_number: S2, bmc_username: root', /machine 2 .*bmc_password.*given together/],
    ['serial_number: s1', /The serial_number S1 is also that of/],
    ['serial_number: S2, colour: red', /machine 2 .*colour/],
    ['serial_number: S2, unit: 0', /machine 2 .*unit/],
  ];
  for (const [machine, expected] of wrong) {
    const first = `{serial_number: S1, name: one, bmc_username: root, bmc_password: ${PASSWORD}}`;
    const path = file('list.yaml', `- ${first}\n- {${machine}}\n`);
    const refusal = await refusalOf(run('import', path));
    assert.match(refusal, expected);
    assert.doesNotMatch(refusal, new RegExp(PASSWORD));
    assert.deepEqual(stored(), [], machine);
  }
});

test('files that others may read, and files that are no lists, are refused with what to do', async (t) => {
  const { file, run, stored } = await site(t);
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[file('open.csv', LIST, 0o640)], /open\.csv is open to other users .*mode 640.*chmod 600/],
    [[file('list.yaml', 'a: b')], /expected a list of mappings/],
    [[file('list.txt', LIST)], /expected a list of mappings.*\.csv/],
    [[file('bare.csv', 'a,b\n1,2\n')], /no column is a field.*its columns are a, b/],
    [[file('a.csv', LIST), '--column', 'Tag=serial_number'], /has no column "Tag"/],
    [[file('a.csv', LIST), '--column', 'Tag=serial'], /--column "Tag=serial": expected TITLE=FIELD/],
    [[file('long.csv', 'serial_number,rack\nS1,r1,x\n')], /line 2: 3 values, but the first line has 2/],
    [['/nowhere/list.yaml'], /\/nowhere\/list\.yaml cannot be read/],
  ];
  for (const [args, expected] of cases) {
    assert.match(await refusalOf(run('import', ...args)), expected);
  }
  assert.deepEqual(stored(), []);
});
