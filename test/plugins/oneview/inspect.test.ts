import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OneviewSite, oneviewSite } from '../../fakes/machines/oneview-site.ts';

async function inspecting(site: OneviewSite): Promise<void> {
  site.services.db.nodes.update(site.first, { provision_state: 'manageable', power_state: 'power off' });
  await site.provision(site.first, 'inspect');
  await site.reaches(site.first, 'inspect wait');
  assert.match(JSON.stringify([...site.appliance.state.profiles.values()]), /Ironic Inspecting \[/);
}

const isFree = (site: OneviewSite) => [site.server.profile, site.server.powerState];

test('an inspection that succeeds removes its temporary profile', async (t) => {
  const site = await oneviewSite(t);
  await inspecting(site);
  await site.reaches(site.first, 'manageable');
  assert.deepEqual(isFree(site), [null, 'Off']);
});

test('an inspection that fails removes its temporary profile', async (t) => {
  const site = await oneviewSite(t);
  site.services.db.nodes.update(site.first, { provision_state: 'manageable', power_state: 'power off' });
  const busy = { kind: 'status', status: 500, code: 'INTERNAL' } as const;
  site.appliance.fail({ method: 'PUT', path: 'powerState', action: busy });
  await site.provision(site.first, 'inspect');
  const { last_error } = await site.reaches(site.first, 'inspect failed');
  assert.match(last_error ?? '', /INTERNAL/);
  assert.deepEqual(isFree(site), [null, 'Off']);
});

test('an inspection that is aborted removes its temporary profile', async (t) => {
  const site = await oneviewSite(t);
  await inspecting(site);
  await site.provision(site.first, 'abort');
  await site.reaches(site.first, 'inspect failed');
  assert.deepEqual(isFree(site), [null, 'Off']);
});

test('an inspection that times out removes its temporary profile', async (t) => {
  const site = await oneviewSite(t);
  const [{ machine }] = site.rack as [(typeof site.rack)[0]];
  machine.troubles.mute = true;
  await inspecting(site);
  await site.reaches(site.first, 'inspect failed');
  assert.deepEqual(isFree(site), [null, 'Off']);
});

test('a server of a OneView user is not inspected, switched or changed', async (t) => {
  const site = await oneviewSite(t);
  site.services.db.nodes.update(site.first, { provision_state: 'manageable', power_state: 'power off' });
  site.appliance.claim(site.server);
  await site.provision(site.first, 'inspect');
  const { last_error } = await site.reaches(site.first, 'inspect failed');
  assert.match(last_error ?? '', /in use by OneView/);
  assert.deepEqual(site.writes(), []);
});
