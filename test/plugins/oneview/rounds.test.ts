import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverUri } from '../../../daemon/simulator/oneview/rack.ts';
import type { Node } from '../../../daemon/model/records/node.ts';
import {
  deploying,
  type OneviewSite,
  oneviewSite,
  type SiteOptions,
} from '../../fakes/machines/oneview-site.ts';

const REASON = 'node in use by OneView';
const TICK = 300_000;

const put = (site: OneviewSite, changes: Partial<Node>, node = site.first) =>
  site.services.db.nodes.update(node, { power_state: 'power off', ...changes });

/** Advances past a round of the periodic work and lets all of its requests end. */
async function round(site: OneviewSite): Promise<void> {
  const end = site.clock.now() + TICK + 1000;
  await site.until(() => site.clock.now() >= end);
  const quiet = site.clock.now() + 30_000;
  await site.until(() => site.clock.now() >= quiet);
}

const stateOf = (site: OneviewSite, uuid = site.first) => {
  const { provision_state, maintenance, maintenance_reason } = site.node(uuid);
  return [provision_state, maintenance, maintenance_reason];
};

test("an available node enters maintenance if its server is taken, not if that is free or has the node's profile", async (t) => {
  const site = await oneviewSite(t, { machines: 3 });
  for (const { node } of site.rack) put(site, { provision_state: 'available' }, node);
  const [one, two, three] = site.rack.map(({ node }) => node) as [string, string, string];
  site.appliance.claim(site.server);
  const own = site.appliance.state.servers.get(serverUri(3));
  assert.ok(own);
  const applied_server_profile_uri = site.appliance.claim(own);
  put(site, { driver_info: { server_hardware_uri: own.uri, applied_server_profile_uri } }, three);
  await round(site);
  assert.deepEqual(stateOf(site, one), ['manageable', true, REASON]);
  assert.deepEqual(stateOf(site, two), ['available', false, null]);
  assert.deepEqual(stateOf(site, three), ['available', false, null]);
  await assert.rejects(site.provision(one, 'active'), /409|maintenance/);
  assert.deepEqual(site.writes(), []);
});

test('a node whose server was taken enters maintenance once undeployed, and is cleaned when the server is free', async (t) => {
  const site = await oneviewSite(t);
  site.appliance.fail({ method: 'POST', path: '/rest/server-profiles', action: { kind: 'claim during' } });
  await deploying(site);
  await site.reaches(site.first, 'deploy failed');
  site.appliance.power(site.server, 'On');
  const before = site.writes().length;
  await site.provision(site.first, 'deleted');
  const failed = await site.reaches(site.first, 'clean failed');
  assert.match(failed.last_error ?? '', /in use by OneView/);
  assert.equal(failed.driver_internal_info['oneview_error'], 'server hardware allocation error');
  assert.deepEqual([site.writes().length, site.server.powerState], [before, 'On']);
  await round(site);
  const resting = site.node(site.first);
  assert.deepEqual(stateOf(site), ['manageable', true, REASON]);
  assert.deepEqual([resting.fault, resting.driver_internal_info['oneview_error']], [null, undefined]);
  await round(site);
  assert.deepEqual(stateOf(site), ['manageable', true, REASON]);
  site.appliance.power(site.server, 'Off');
  site.appliance.release(site.server);
  await site.reaches(site.first, 'clean wait');
  assert.equal(site.node(site.first).maintenance, false);
  await site.reaches(site.first, 'available');
  assert.deepEqual([site.server.profile, stateOf(site)], [null, ['available', false, null]]);
});

test('a node that loses its server while deploying stays in deploy failed, unless undeploy_taken_nodes is set', async (t) => {
  for (const undeploys of [false, true]) {
    const site = await oneviewSite(t, {
      environment: { IRONIC_ONEVIEW__UNDEPLOY_TAKEN_NODES: String(undeploys) },
    });
    site.appliance.fail({ method: 'POST', path: '/rest/server-profiles', action: { kind: 'claim during' } });
    await deploying(site);
    await site.reaches(site.first, 'deploy failed');
    await round(site);
    await round(site);
    const expected = undeploys ? ['manageable', true, REASON] : ['deploy failed', false, null];
    assert.deepEqual(stateOf(site), expected);
    await site.stop();
  }
});

test("maintenance with an operator's own reason, and a cleaning that failed for another reason, are left alone", async (t) => {
  const site = await oneviewSite(t, { machines: 2 });
  const [one, two] = site.rack.map(({ node }) => node) as [string, string];
  put(site, { provision_state: 'manageable', maintenance: true, maintenance_reason: 'disk swap' }, one);
  put(site, { provision_state: 'clean failed', last_error: 'a disk error' }, two);
  await round(site);
  assert.deepEqual(stateOf(site, one), ['manageable', true, 'disk swap']);
  assert.deepEqual(stateOf(site, two), ['clean failed', false, null]);
});

test('an error of the appliance about one server does not delay the check of other servers', async (t) => {
  const site = await oneviewSite(t, { machines: 10 });
  for (const [index, { node }] of site.rack.entries()) {
    put(site, { provision_state: 'available' }, node);
    const server = site.appliance.state.servers.get(serverUri(index + 1));
    if (server) site.appliance.claim(server);
  }
  const broken = { kind: 'status', status: 500, code: 'INTERNAL' } as const;
  site.appliance.fail({ path: serverUri(4), times: Number.POSITIVE_INFINITY, action: broken });
  await round(site);
  const states = site.rack.map(({ node }) => site.node(node).provision_state);
  assert.deepEqual(states.filter((state) => state === 'manageable').length, 9);
  assert.equal(states[3], 'available');
});

test('a node that is locked is left for the next round', async (t) => {
  const site = await oneviewSite(t);
  put(site, { provision_state: 'available' });
  site.appliance.claim(site.server);
  const release = site.services.locks.tryAcquire(site.first);
  await round(site);
  assert.deepEqual(stateOf(site), ['available', false, null]);
  release?.();
  await round(site);
  assert.deepEqual(stateOf(site), ['manageable', true, REASON]);
});

const disabled: readonly (readonly [string, SiteOptions['environment']])[] = [
  ['periodic_check_interval = 0', { IRONIC_ONEVIEW__PERIODIC_CHECK_INTERVAL: '0' }],
  ['periodic_check_interval = -1', { IRONIC_ONEVIEW__PERIODIC_CHECK_INTERVAL: '-1' }],
  ['enable_periodic_tasks = false', { IRONIC_ONEVIEW__ENABLE_PERIODIC_TASKS: 'false' }],
];
for (const [option, environment] of disabled)
  test(`with ${option} the driver does not check who uses the servers`, async (t) => {
    const quiet = { IRONIC_CONDUCTOR__SYNC_POWER_STATE_INTERVAL: '0' };
    const site = await oneviewSite(t, { environment: { ...environment, ...quiet } });
    put(site, { provision_state: 'available' });
    site.appliance.claim(site.server);
    site.appliance.journal.length = 0;
    await round(site);
    assert.deepEqual(stateOf(site), ['available', false, null]);
    assert.deepEqual(site.appliance.journal, []);
  });

test('a node whose server is free again waits in maintenance while no worker is free to clean the node', async (t) => {
  const site = await oneviewSite(t);
  put(site, { provision_state: 'manageable', maintenance: true, maintenance_reason: REASON });
  const places: (() => void)[] = [];
  const take = () => {
    try {
      for (;;) places.push(site.services.workers.enter('request'));
    } catch {
      return;
    }
  };
  take();
  await round(site);
  assert.deepEqual(stateOf(site), ['manageable', true, REASON]);
  for (const leave of places) leave();
  await site.reaches(site.first, 'available');
});

test('while the appliance does not answer, no node is changed, and a round logs one warning', async (t) => {
  const quiet = { IRONIC_CONDUCTOR__SYNC_POWER_STATE_INTERVAL: '0' };
  const site = await oneviewSite(t, { machines: 5, environment: quiet });
  for (const { node } of site.rack) put(site, { provision_state: 'available' }, node);
  site.appliance.stop();
  await round(site);
  for (const { node } of site.rack) assert.deepEqual(stateOf(site, node), ['available', false, null]);
  const warnings = site
    .log()
    .split('\n')
    .filter((line) => line.includes('periodic work on the node failed'));
  assert.equal(warnings.filter((line) => line.includes('"level":40') || line.includes('"warn"')).length, 1);
});

test('power synchronisation never switches the server of a OneView user', async (t) => {
  const site = await oneviewSite(t, { environment: { IRONIC_ONEVIEW__PERIODIC_CHECK_INTERVAL: '0' } });
  put(site, { provision_state: 'available' });
  site.appliance.claim(site.server);
  site.appliance.power(site.server, 'On');
  await round(site);
  await round(site);
  assert.deepEqual([site.writes(), site.server.powerState], [[], 'On']);
});
