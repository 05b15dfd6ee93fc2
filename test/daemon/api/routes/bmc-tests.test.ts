import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startFakeRedfish } from '#plugin-api/fake-redfish';
import type { Daemon } from '../../../../daemon/main.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';

async function post(daemon: Daemon, body: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', 'openstack-api-version': 'baremetal 1.90' };
  const reply = await fetch(`${daemon.url}/v1/bmc_tests`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: reply.status, ...((await reply.json()) as object) };
}

const environment = { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish,ipmi,fake-hardware' };
const login = { username: 'admin', password: 'secret', verify_ca: false };

describe('a test of a BMC', () => {
  it('reads what the machine is and whether it is on, and stores nothing', async (t) => {
    const daemon = await startListening(t, { environment });
    const fake = await startFakeRedfish({ shape: 'plain' });
    t.after(() => fake.stop());
    const {
      driver,
      power,
      product,
      serial_number: serial,
      macs,
      problem,
      status,
    } = await post(daemon, {
      address: fake.address,
      ...login,
    });
    assert.deepEqual([status, driver, power, problem], [200, 'redfish', 'power off', null]);
    assert.ok([product, serial].every((text) => typeof text === 'string' && text !== ''));
    assert.ok(Array.isArray(macs) && macs.length > 0);
    const { db, timeline, config } = daemon.services;
    timeline.flush();
    assert.equal(db.nodes.list(['uuid'], [], { limit: 9, sortKey: 'id', descending: false }).length, 0);
    assert.doesNotMatch(readFileSync(config.audit.file, 'utf8') + daemon.log(), /secret/);
    assert.match(readFileSync(config.audit.file, 'utf8'), /"\/v1\/bmc_tests"/);
  });

  it('says in a sentence what is wrong: the password, the address, and a machine that is a node', async (t) => {
    const daemon = await startListening(t, { environment });
    const fake = await startFakeRedfish({ shape: 'plain' });
    t.after(() => fake.stop());
    const problem = async (body: object) => String((await post(daemon, body))['problem']);
    const refused = { address: fake.address, ...login, password: 'wrong' };
    assert.match(await problem(refused), /[Pp]assword|credentials/);
    assert.match(
      await problem(refused),
      /not tried again before/,
      'a refused login is not sent at once again',
    );
    assert.match(
      await problem({ address: '127.0.0.1', ...login }),
      /^Nothing answers at 127\.0\.0\.1, neither/,
    );
    const headers = { 'content-type': 'application/json', 'openstack-api-version': 'baremetal 1.90' };
    const body = JSON.stringify({ driver: 'redfish', driver_info: { redfish_address: fake.address } });
    const created = await fetch(`${daemon.url}/v1/nodes`, { method: 'POST', headers, body });
    const { uuid } = (await created.json()) as { uuid: string };
    assert.match(
      await problem({ address: fake.address, ...login }),
      new RegExp(`belongs to node ${uuid} already`),
    );
  });

  it('is refused for a driver that does not exist or takes no login, and without an address', async (t) => {
    const daemon = await startInProcess(t);
    const send = (body: object) => daemon.request('POST', '/v1/bmc_tests', { body });
    assert.equal((await send({ address: '192.0.2.1', driver: 'none' })).status, 404);
    assert.match((await send({ address: '192.0.2.1', driver: 'fake-hardware' })).fault, /takes none/);
    assert.match((await send({ address: ' ' })).fault, /address/);
    assert.equal((await send({})).status, 400);
    assert.equal((await send({ address: ['a'] })).status, 400);
    for (const address of ['not an address', 'host:8443', 'a/b', 'user@host', '10.0.0.300', '::1x', '['])
      assert.match(
        (await send({ address })).fault,
        /^Invalid input for address: ".*" is no IP address, no host name and no URL of a Redfish service; expected/,
        address,
      );
  });

  it('says that nothing answers at a name that does not resolve', async (t) => {
    const daemon = await startListening(t, { environment });
    const { status, problem } = await post(daemon, { address: 'bmc.invalid', ...login });
    assert.equal(status, 200);
    assert.match(String(problem), /^Nothing answers at bmc\.invalid/);
    assert.doesNotMatch(daemon.log(), /failure outside any operation/);
  });
});

/** Lets the work of the daemon go on until the condition holds. */
async function until(daemon: InProcessDaemon, holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 200 && !holds(); turn += 1) {
    await daemon.idle();
    await daemon.clock.advance(1000);
  }
}

describe('the goal of a node', () => {
  const goal = { body: { target: 'available' } };

  it('leads from enroll over manage, inspect and provide to available', async (t) => {
    const daemon = await startInProcess(t, { loops: true });
    const { uuid } = await daemon.createNode();
    assert.equal((await daemon.request('PUT', `/v1/nodes/${uuid}/states/goal`, goal)).status, 202);
    await until(daemon, () => daemon.node(uuid).provision_state === 'available');
    const node = daemon.node(uuid);
    assert.deepEqual([node.provision_state, node.last_error], ['available', null]);
    assert.notEqual(node.inspection_finished_at, null);
    assert.equal(node.driver_internal_info.goes_on, undefined);
  });

  it('is given up when work fails, and its reason stays', async (t) => {
    const daemon = await startInProcess(t, { loops: true });
    const { uuid } = await daemon.createNode({ driver: 'ipmi', driver_info: {} });
    const { status } = await daemon.request('PUT', `/v1/nodes/${uuid}/states/goal`, goal);
    assert.equal(status, 202);
    await until(daemon, () => daemon.node(uuid).driver_internal_info.goes_on === undefined);
    const node = daemon.node(uuid);
    assert.equal(node.provision_state, 'enroll');
    assert.match(node.last_error ?? '', /ipmi_address/);
    assert.equal(node.driver_internal_info.goes_on, undefined);
  });

  it('goes on after a restart of the daemon', async (t) => {
    const first = await startInProcess(t);
    const { uuid } = await first.createNode();
    const { driver_internal_info: info } = first.node(uuid);
    first.services.db.nodes.update(uuid, {
      provision_state: 'manageable',
      driver_internal_info: { ...info, goes_on: true },
    });
    await first.stop();
    const daemon = await startInProcess(t, { stateDirectory: first.stateDirectory, loops: true });
    await until(daemon, () => daemon.node(uuid).provision_state === 'available');
    assert.equal(daemon.node(uuid).provision_state, 'available');
  });

  it('is refused where no verb leads to available, and changes nothing', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    for (const provision_state of ['available', 'active', 'cleaning'] as const) {
      daemon.services.db.nodes.update(uuid, { provision_state });
      const { status, fault } = await daemon.request('PUT', `/v1/nodes/${uuid}/states/goal`, goal);
      assert.deepEqual([status, fault.includes(provision_state)], [409, true], fault);
      assert.equal(daemon.node(uuid).driver_internal_info.goes_on, undefined);
    }
    const wrong = { body: { target: 'active' } };
    assert.equal((await daemon.request('PUT', `/v1/nodes/${uuid}/states/goal`, wrong)).status, 400);
  });
});
