import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployed, deploying, oneviewSite, readyForInstance } from '../../fakes/machines/oneview-site.ts';

const PROFILES = '/rest/server-profiles';
const instance = '5a8a4f6e-6f4e-4b8e-9d7e-0a1b2c3d4e5f';

test('a deployment creates a profile named after node and instance, and records it before the ramdisk calls back', async (t) => {
  const site = await oneviewSite(t);
  const { first, server, services } = site;
  readyForInstance(site, { instance_uuid: instance });
  await site.provision(first, 'active');
  await site.reaches(first, 'wait call-back');
  assert.equal(site.node(first).driver_info['applied_server_profile_uri'], server.profile);
  const [profile] = site.appliance.state.profiles.values();
  assert.equal(profile?.body['name'], `blade-001 [${instance}]`);
  assert.equal(profile.body['serverProfileTemplateUri'], '');
  await site.reaches(first, 'active');
  assert.equal(services.db.nodes.get(first)?.driver_info['applied_server_profile_uri'], server.profile);
  assert.equal(site.node(first).driver_internal_info['oneview_profile_intent'], undefined);
});

test('a rebuild and an adoption create no profile', async (t) => {
  const site = await oneviewSite(t);
  await deployed(site);
  const created = () => site.writes().filter((each) => each === `POST ${PROFILES}`).length;
  assert.equal(created(), 1);
  await site.provision(site.first, 'rebuild');
  await site.reaches(site.first, 'active');
  assert.equal(created(), 1);
  site.services.db.nodes.update(site.first, { provision_state: 'manageable' });
  const before = site.writes().length;
  await site.provision(site.first, 'adopt');
  await site.reaches(site.first, 'active');
  assert.equal(site.writes().length, before);
});

test('a profile that takes forty minutes does not delay other nodes', async (t) => {
  const site = await oneviewSite(t, {
    machines: 2,
    environment: { IRONIC_ONEVIEW__PROFILE_TASK_TIMEOUT: '3500' },
  });
  site.appliance.fail({ method: 'POST', path: PROFILES, action: { kind: 'task slow', factor: 8000 } });
  readyForInstance(site);
  await site.provision(site.first, 'active');
  const second = site.rack[1]?.node ?? '';
  await site.provision(second, 'manage');
  await site.reaches(second, 'manageable');
  assert.equal(site.node(site.first).provision_state, 'deploying');
  await site.reaches(site.first, 'wait call-back');
});

test('a profile that is not applied in time fails the deployment; once it is applied, the next deployment uses it', async (t) => {
  const site = await oneviewSite(t);
  site.appliance.fail({ method: 'POST', path: PROFILES, action: { kind: 'task slow', factor: 7000 } });
  await deploying(site);
  const { last_error, driver_internal_info } = await site.reaches(site.first, 'deploy failed');
  assert.match(
    last_error ?? '',
    /was not applied: its task \/rest\/tasks\/9F0C7A30[-\w]+ was Running \(85 %\) after 1800 s, and the appliance may still/,
  );
  assert.match(JSON.stringify(driver_internal_info['oneview_profile_intent']), /\/rest\/tasks\//);
  await site.until(() => site.server.state === 'ProfileApplied');
  await site.provision(site.first, 'active');
  await site.reaches(site.first, 'active');
  assert.equal(site.writes().filter((each) => each === `POST ${PROFILES}`).length, 1);
});

test('a OneView user who gets the server first keeps it: the deployment fails and changes nothing more', async (t) => {
  for (const kind of ['claim during', 'claim before'] as const) {
    const site = await oneviewSite(t);
    site.appliance.fail({ method: 'POST', path: PROFILES, action: { kind } });
    await deploying(site);
    const { last_error, driver_internal_info } = await site.reaches(site.first, 'deploy failed');
    assert.match(last_error ?? '', /in use by OneView/);
    assert.equal(driver_internal_info['oneview_error'], 'server hardware allocation error');
    assert.deepEqual(site.writes(), [`POST ${PROFILES}`]);
    assert.ok(site.server.profile);
    await site.stop();
  }
});

test('a deployment is refused when the server is already taken, and the node stays available', async (t) => {
  const site = await oneviewSite(t);
  readyForInstance(site);
  site.appliance.claim(site.server);
  await assert.rejects(site.provision(site.first, 'active'), /in use by OneView/);
  assert.equal(site.node(site.first).provision_state, 'available');
});

test('a recorded profile that the server no longer has is dropped for a new one', async (t) => {
  const site = await oneviewSite(t);
  readyForInstance(site, {
    driver_info: { server_hardware_uri: site.server.uri, applied_server_profile_uri: `${PROFILES}/gone` },
  });
  await site.provision(site.first, 'active');
  await site.reaches(site.first, 'active');
  assert.equal(site.node(site.first).driver_info['applied_server_profile_uri'], site.server.profile);
});

test('when the reply to the request for a profile is lost, the created profile is used and no second one created', async (t) => {
  const site = await oneviewSite(t);
  site.appliance.fail({ method: 'POST', path: PROFILES, action: { kind: 'drop reply' } });
  await deploying(site);
  await site.reaches(site.first, 'active');
  assert.equal(site.appliance.state.profiles.size, 1);
  assert.equal(site.writes().filter((each) => each === `POST ${PROFILES}`).length, 1);
});

test('a profile whose request got no answer is found although the list of profiles shows it only after a while', async (t) => {
  const site = await oneviewSite(t);
  const empty = { kind: 'other answer', status: 200, text: '{"members": [], "nextPageUri": null}' } as const;
  site.appliance.fail({ method: 'POST', path: PROFILES, action: { kind: 'drop reply' } });
  site.appliance.fail({ method: 'GET', path: PROFILES, times: 2, action: empty });
  site.appliance.fail({ method: 'GET', path: PROFILES, times: 3, action: { kind: 'reset' } });
  await deploying(site);
  await site.reaches(site.first, 'active');
  assert.equal(site.appliance.state.profiles.size, 1);
  assert.equal(site.writes().filter((each) => each === `POST ${PROFILES}`).length, 1);
});

test('a profile of the same name that is not on the server is not taken for the one whose request got no answer', async (t) => {
  const site = await oneviewSite(t);
  const { server, appliance, first } = site;
  const old = appliance.claim(server);
  const profile = appliance.state.profiles.get(old);
  if (profile) profile.body = { ...profile.body, name: `blade-001 [${first}]` };
  appliance.detach(server);
  appliance.fail({ method: 'POST', path: PROFILES, action: { kind: 'reset' } });
  await deploying(site);
  const { driver_info, last_error } = await site.reaches(first, 'deploy failed');
  assert.match(last_error ?? '', /Applying a server profile failed/);
  assert.equal(driver_info['applied_server_profile_uri'], undefined);
  await site.provision(first, 'active');
  await site.reaches(first, 'active');
  assert.equal(site.node(first).driver_info['applied_server_profile_uri'], server.profile);
  assert.notEqual(server.profile, old);
});

test('a deployment goes on when the appliance forgets the task, names it only in a header or ends it with a warning', async (t) => {
  for (const action of [
    { kind: 'task lost' },
    { kind: 'location only', isAbsolute: true },
    { kind: 'location only', isAbsolute: false },
    { kind: 'task warning' },
  ] as const) {
    const site = await oneviewSite(t, { appliance: { showsProfile: 'late' } });
    site.appliance.fail({ method: 'POST', path: PROFILES, action });
    await deploying(site);
    await site.reaches(site.first, 'wait call-back');
    assert.equal(site.node(site.first).driver_info['applied_server_profile_uri'], site.server.profile);
    await site.stop();
  }
});

test('a half-applied profile is removed, so that the server does not seem taken by a OneView user', async (t) => {
  const site = await oneviewSite(t);
  const action = { kind: 'task error', code: 'SERVER_FAULT', leavesProfile: true } as const;
  site.appliance.fail({ method: 'POST', path: PROFILES, action });
  await deploying(site);
  const { last_error, driver_internal_info } = await site.reaches(site.first, 'deploy failed');
  assert.match(last_error ?? '', /was not applied: SERVER_FAULT/);
  assert.equal(driver_internal_info['oneview_error'], undefined);
  assert.deepEqual([site.server.profile, site.appliance.state.profiles.size], [null, 0]);
});

for (const duplicateName of ['task', 'status'] as const)
  test(`an unassigned profile of the same name is replaced by a new one (name refused by ${duplicateName})`, async (t) => {
    const site = await oneviewSite(t, { appliance: { duplicateName } });
    const { server, appliance, first } = site;
    const profile = appliance.state.profiles.get(appliance.claim(server));
    const name = `blade-001 [${first}]`;
    if (profile) profile.body = { ...profile.body, name };
    appliance.detach(server);
    await deploying(site);
    await site.reaches(first, 'active');
    assert.equal(appliance.state.profiles.size, 1);
  });

test('a profile of the same name on another server is left alone, and the deployment fails', async (t) => {
  const site = await oneviewSite(t);
  const { appliance, first } = site;
  const other = appliance.addServer(9);
  const profile = appliance.state.profiles.get(appliance.claim(other));
  if (profile) profile.body = { ...profile.body, name: `blade-001 [${first}]` };
  await deploying(site);
  const { last_error } = await site.reaches(first, 'deploy failed');
  assert.match(last_error ?? '', /DUPLICATED_PROFILE_NAME/);
  assert.equal(other.profile, profile?.uri);
});

test('a deployment fails when the appliance does not answer, but the node is not marked as taken by a OneView user', async (t) => {
  const site = await oneviewSite(t);
  await deploying(site);
  site.appliance.fail({ times: Number.POSITIVE_INFINITY, action: { kind: 'reset' } });
  const { last_error, driver_internal_info } = await site.reaches(site.first, 'deploy failed');
  assert.match(last_error ?? '', /failed for node/);
  assert.equal(driver_internal_info['oneview_error'], undefined);
});

for (const [minimum, current, type] of [
  [120, 300, 'ServerProfileV6'],
  [1200, 2000, 'ServerProfileV12'],
] as const)
  test(`an appliance with versions ${minimum} to ${current} of the REST API gets a profile of the type ${type}`, async (t) => {
    const site = await oneviewSite(t);
    site.appliance.version = { minimum, current };
    await deployed(site);
    const [profile] = site.appliance.state.profiles.values();
    assert.equal(profile?.body['type'], type);
  });
