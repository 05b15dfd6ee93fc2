import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployed, type OneviewSite, oneviewSite } from '../../fakes/machines/oneview-site.ts';

const PROFILES = '/rest/server-profiles';

const manageable = (site: OneviewSite) =>
  site.services.db.nodes.update(site.first, { provision_state: 'manageable', power_state: 'power off' });

test('the end of a cleaning switches the server off and removes the profile and its record', async (t) => {
  const site = await oneviewSite(t);
  manageable(site);
  await site.provision(site.first, 'provide');
  await site.reaches(site.first, 'clean wait');
  assert.match(JSON.stringify([...site.appliance.state.profiles.values()]), /Ironic Cleaning \[/);
  await site.reaches(site.first, 'available');
  const last = site.writes().slice(-2);
  assert.equal(last[0], 'PUT SERVER/powerState');
  assert.match(last[1] ?? '', /^DELETE \/rest\/server-profiles\//);
  assert.equal(site.node(site.first).driver_info['applied_server_profile_uri'], undefined);
});

test('a profile that cannot be removed fails the cleaning and stays recorded', async (t) => {
  const site = await oneviewSite(t);
  manageable(site);
  const action = { kind: 'task error', code: 'SERVER_FAULT' } as const;
  site.appliance.fail({ method: 'DELETE', path: PROFILES, times: Number.POSITIVE_INFINITY, action });
  await site.provision(site.first, 'provide');
  const { last_error, driver_info } = await site.reaches(site.first, 'clean failed');
  assert.match(last_error ?? '', /was not removed: SERVER_FAULT/);
  assert.equal(driver_info['applied_server_profile_uri'], site.server.profile);
});

test('a profile that is not removed in time fails the cleaning with the name of the task', async (t) => {
  const site = await oneviewSite(t);
  manageable(site);
  site.appliance.fail({ method: 'DELETE', path: PROFILES, action: { kind: 'task stuck' } });
  await site.provision(site.first, 'provide');
  const { last_error } = await site.reaches(site.first, 'clean failed');
  assert.match(
    last_error ?? '',
    /was not removed: its task \/rest\/tasks\/\S+ was \w+ \(\d+ %\) after 1800 s/,
  );
});

test('a cleaning succeeds although the appliance forgets the task that removes its profile', async (t) => {
  const site = await oneviewSite(t);
  manageable(site);
  site.appliance.fail({ method: 'DELETE', path: PROFILES, action: { kind: 'task lost' } });
  await site.provision(site.first, 'provide');
  await site.reaches(site.first, 'available');
  assert.equal(site.server.profile, null);
});

test('while the appliance is too busy to answer, the history says why the node stays in its state, and last_error why it failed', async (t) => {
  const site = await oneviewSite(t, { environment: { IRONIC_ONEVIEW__PROFILE_TASK_TIMEOUT: '300' } });
  manageable(site);
  const busy = { kind: 'status', status: 503, code: 'BUSY' } as const;
  const always = Number.POSITIVE_INFINITY;
  site.appliance.onRequest(({ method, path }) => {
    if (method === 'DELETE' && path.startsWith(PROFILES))
      site.appliance.fail({ times: always, action: busy });
  });
  await site.provision(site.first, 'provide');
  const { last_error } = await site.reaches(site.first, 'clean failed');
  assert.match(last_error ?? '', /after 300 s, .*is not ready: .*BUSY/);
  const history = await site.request('GET', `/v1/nodes/${site.first}/history/detail`);
  assert.match(JSON.stringify(history), /Waiting for OneView: .*is not ready: .*BUSY/);
});

test('a cleaning succeeds although the reply to the removal of its profile is lost', async (t) => {
  const site = await oneviewSite(t);
  manageable(site);
  site.appliance.fail({ method: 'DELETE', path: PROFILES, action: { kind: 'drop reply' } });
  await site.provision(site.first, 'provide');
  await site.reaches(site.first, 'available');
  assert.deepEqual(
    [site.server.profile, site.node(site.first).driver_info['applied_server_profile_uri']],
    [null, undefined],
  );
});

test('undeploying keeps the profile for the cleaning, which removes it', async (t) => {
  const site = await oneviewSite(t);
  await deployed(site);
  await site.provision(site.first, 'deleted');
  await site.reaches(site.first, 'clean wait');
  assert.equal(site.appliance.state.profiles.size, 1);
  await site.reaches(site.first, 'available');
  assert.equal(site.writes().filter((each) => each === `POST ${PROFILES}`).length, 1);
  assert.equal(site.server.profile, null);
});

test('without automated cleaning, undeploying removes the profile', async (t) => {
  const site = await oneviewSite(t, { environment: { IRONIC_CONDUCTOR__AUTOMATED_CLEAN: 'false' } });
  await deployed(site);
  await site.provision(site.first, 'deleted');
  await site.reaches(site.first, 'available');
  assert.equal(site.server.profile, null);
  assert.match(site.writes().at(-1) ?? '', /^DELETE/);
});
