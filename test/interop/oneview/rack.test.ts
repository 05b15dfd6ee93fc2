import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkState } from '../../../daemon/simulator/oneview/state.ts';
import { oneviewSite } from '../../fakes/machines/oneview-site.ts';

const MACHINES = 200;

test('two hundred machines are cleaned, again after a failure, through an appliance that fails about a tenth of the requests', async (t) => {
  const site = await oneviewSite(t, {
    machines: MACHINES,
    environment: {
      IRONIC_CONDUCTOR__WORKERS_POOL_SIZE: '300',
      IRONIC_CONDUCTOR__MAX_CONCURRENT_CLEAN: '300',
      IRONIC_CONDUCTOR__SYNC_POWER_STATE_INTERVAL: '0',
      IRONIC_ONEVIEW__PERIODIC_CHECK_INTERVAL: '0',
    },
    appliance: { random: numbers(7) },
  });
  const { appliance, rack, services } = site;
  for (const { node } of rack)
    services.db.nodes.update(node, { provision_state: 'manageable', power_state: 'power off' });
  const share = 0.025;
  const times = Number.POSITIVE_INFINITY;
  appliance.fail({ times, share, action: { kind: 'reset' } });
  appliance.fail({ times, share, action: { kind: 'drop reply' } });
  appliance.fail({ times, share, action: { kind: 'status', status: 503, code: 'BUSY' } });
  appliance.fail({ times, share, action: { kind: 'status', status: 500, code: 'INTERNAL' } });
  let repeats = 0;
  for (let waiting = rack.map(({ node }) => node); waiting.length > 0;) {
    for (const node of waiting) await site.provision(node, 'provide');
    const isOver = (node: string) =>
      ['available', 'clean failed'].includes(site.node(node).provision_state) &&
      services.locks.holderOf(node) === null;
    await site.until(() => waiting.every(isOver));
    waiting = waiting.filter((node) => site.node(node).provision_state === 'clean failed');
    repeats += waiting.length;
    for (const node of waiting) {
      await site.provision(node, 'manage');
      await site.reaches(node, 'manageable');
    }
    assert.ok(repeats < 20 * MACHINES);
  }
  appliance.faults.clear();
  checkState(appliance.state);
  assert.equal(appliance.state.profiles.size, 0);
  for (const { node } of rack) {
    const { maintenance, driver_info, driver_internal_info } = site.node(node);
    assert.equal(maintenance, false);
    assert.equal(driver_info['applied_server_profile_uri'], undefined);
    assert.equal(driver_internal_info['oneview_error'], undefined);
  }
  t.diagnostic(`${appliance.journal.length} requests, ${repeats} cleanings repeated`);
});

/** Numbers between 0 and 1 that are the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
