import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { discoverCommand } from '../../../../daemon/cli/zero-touch/discover-command.ts';
import { draftRecord } from '../../../../daemon/conductor/records/new-record.ts';
import { type FoundBmc, foundBmcFields } from '../../../../daemon/model/zero-touch/found-bmc.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { fileWith } from '../../../fakes/file-with.ts';

const PASSWORD = 'Fact0ry-x9';
const NEW = '10.0.9.1';
const TAKEN = '10.0.9.2';
const OTHER = '10.0.9.3';

/** A daemon that has found a new BMC, one of a node, and a new one of another product. No BMC answers. */
async function site(t: TestContext) {
  const environment = {
    IRONIC_ZERO_TOUCH__BMC_NETWORKS: '10.0.9.0/24',
    IRONIC_ZERO_TOUCH__SCAN_INTERVAL: '0',
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware',
  };
  const { url, services } = await startListening(t, { environment });
  const node = await enrolNode(url, { driver: 'fake-hardware' });
  const found = (fields: Partial<FoundBmc>) =>
    services.db.foundBmcs.insert(draftRecord<FoundBmc>(foundBmcFields, fields));
  found({ address: NEW, vendor: 'Contoso', product: 'PowerBox' });
  found({
    address: TAKEN,
    vendor: 'Contoso',
    node_uuid: node,
    expected_uuid: randomUUID(),
    stage: 'available',
  });
  found({ address: OTHER, vendor: 'Fabrikam' });
  return {
    node,
    expected: () => services.db.expectedMachines.where({ sql: 'true', values: [] }),
    bmc: (address: string) => services.db.foundBmcs.findBy('address', address),
    update: (address: string, changes: Partial<FoundBmc>) =>
      services.db.foundBmcs.update(services.db.foundBmcs.findBy('address', address)?.uuid ?? '', changes),
    run: (...words: readonly string[]) =>
      runCommand((context) => discoverCommand(words, context), { OS_ENDPOINT: url }),
  };
}

test('`discover accept` takes in the named BMCs with one login, and says which one the daemon refuses', async (t) => {
  const { run, expected, node } = await site(t);
  const login = ['--username', 'root', '--password-file', fileWith(t, 'tag.txt', `${PASSWORD}\n`)];
  const { code, out, errors } = await run('accept', NEW, TAKEN, ...login, '--resource-class', 'web');
  assert.equal(code, 1);
  assert.match(out, /^10\.0\.9\.1 goes on: "ironic-edge discover list" shows how far$/m);
  assert.ok(out.includes(`${TAKEN}: `) && out.includes(`belongs to node ${node} already`), out);
  assert.ok(!(out + errors).includes(PASSWORD));
  assert.deepEqual(
    expected().map((each) => [each.bmc_address, each.bmc_username, each.bmc_password, each.resource_class]),
    [[NEW, 'root', PASSWORD, 'web']],
  );
});

test('`discover accept --all` takes in what waits to be accepted, of one product if wanted', async (t) => {
  const { run, expected } = await site(t);
  assert.equal((await run('accept', '--all', '--product', 'contoso power')).code, 0);
  assert.deepEqual(
    expected().map((each) => each.bmc_address),
    [NEW],
  );
});

test('`discover accept` without a choice, or with half a login, changes nothing', async (t) => {
  const { run, expected } = await site(t);
  const refusals: readonly (readonly [words: readonly string[], reason: RegExp])[] = [
    [[], /name BMCs, or give --all/],
    [[NEW, '--all'], /name BMCs, or give --all/],
    [[NEW, '--product', 'x'], /--product goes with --all/],
    [[NEW, '--username', 'root'], /give both --username and --password-file/],
  ];
  for (const [words, reason] of refusals) {
    const { code, errors } = await run('accept', ...words);
    assert.match(errors, reason);
    assert.equal(code, 2);
  }
  const { code, out } = await run('accept', '10.0.9.99');
  assert.deepEqual([code, /No BMC with UUID, IP address or MAC address 10\.0\.9\.99/.test(out)], [1, true]);
  assert.deepEqual(expected(), []);
});

test('`discover continue` lets those go on that have stopped, and refuses a machine that is available', async (t) => {
  const { run, bmc, update, node } = await site(t);
  const waits = { expected_uuid: randomUUID(), reason: 'its disks hold data' };
  update(OTHER, waits);
  const { code, out } = await run('continue', TAKEN);
  assert.equal(code, 1);
  assert.ok(out.includes(`belongs to node ${node} already (stage available)`), out);
  assert.equal((await run('continue', '--all', '--product', 'contoso')).out, '');
  assert.equal(bmc(OTHER)?.reason, waits.reason);
  const all = await run('continue', '--all');
  assert.deepEqual([all.code, all.out.split('\n').length], [0, 2]);
  assert.notEqual(bmc(OTHER)?.reason, waits.reason);
});
