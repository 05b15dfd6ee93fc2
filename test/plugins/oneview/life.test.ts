import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IMAGE, oneviewSite } from '../../fakes/machines/oneview-site.ts';

test('inspection, cleaning and an instance follow each other, and the server is free after each of them', async (t) => {
  const site = await oneviewSite(t);
  const { first, server, appliance } = site;
  await site.provision(first, 'manage');
  await site.reaches(first, 'manageable');
  await site.provision(first, 'inspect');
  await site.reaches(first, 'inspect wait');
  assert.equal(appliance.state.profiles.values().next().value?.body['name'], `Ironic Inspecting [${first}]`);
  await site.reaches(first, 'manageable');
  assert.equal(server.profile, null);
  await site.provision(first, 'provide');
  await site.reaches(first, 'clean wait');
  assert.equal(site.node(first).driver_info['applied_server_profile_uri'], server.profile);
  await site.reaches(first, 'available');
  assert.equal(server.profile, null);
  await site.request('PATCH', `/v1/nodes/${first}`, [{ op: 'add', path: '/instance_info', value: IMAGE }]);
  await site.provision(first, 'active');
  await site.reaches(first, 'active');
  assert.equal(site.node(first).driver_info['applied_server_profile_uri'], server.profile);
  await site.until(() => site.rack[0]?.machine.booted === 'disk');
  await site.provision(first, 'deleted');
  await site.reaches(first, 'available');
  assert.deepEqual([server.profile, appliance.state.profiles.size], [null, 0]);
  assert.equal(site.node(first).last_error, null);
});

test('with fast track too, a server that becomes free is off, and each phase that needs a profile creates one', async (t) => {
  const site = await oneviewSite(t, { environment: { IRONIC_DEPLOY__FAST_TRACK: 'true' } });
  const { first, server, appliance } = site;
  const isFree = () => [server.profile, server.powerState, appliance.state.profiles.size];
  const phases = [
    ['manage', 'manageable'],
    ['inspect', 'manageable'],
    ['provide', 'available'],
  ] as const;
  for (const [target, state] of phases) {
    await site.provision(first, target);
    await site.reaches(first, state);
    assert.deepEqual(isFree(), [null, 'Off', 0]);
  }
  site.services.db.nodes.update(first, { instance_info: IMAGE });
  await site.provision(first, 'active');
  const node = await site.reaches(first, 'active');
  assert.equal(node.driver_info['applied_server_profile_uri'], server.profile);
  const created = site.writes().filter((each) => each === 'POST /rest/server-profiles');
  assert.equal(created.length, 3);
});
