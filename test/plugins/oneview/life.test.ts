import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IMAGE, oneviewSite } from '../../fakes/oneview-site.ts';

test('a machine goes from enrolment over inspection, cleaning and an instance back to available, and its server is free in between', async (t) => {
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
