import assert from 'node:assert/strict';
import { test } from 'node:test';
import { USERS } from '../../../daemon/simulator/oneview/appliance.ts';
import { deployed, oneviewSite } from '../../fakes/machines/oneview-site.ts';

test('no log, journal, history or record contains the password, a session ID or a session key of an iLO', async (t) => {
  const site = await oneviewSite(t, { environment: { IRONIC_DEFAULT__DEBUG: 'true' } });
  const { appliance, server, first } = site;
  const secrets = new Set<string>([USERS.ironic]);
  const remember = () => {
    for (const id of appliance.sessions.ids) secrets.add(id);
    for (const key of server.iloKeys) secrets.add(key);
  };
  appliance.onRequest(remember);
  await deployed(site);
  appliance.sessions.expire();
  server.iloTrouble = 'unauthorized';
  appliance.fail({ method: 'DELETE', path: '/rest/server-profiles', action: { kind: 'drop reply' } });
  await site.provision(first, 'deleted');
  await site.reaches(first, 'available');
  appliance.fail({ times: 5, action: { kind: 'status', status: 401, code: 'AUTHORIZATION' } });
  await site.request('GET', `/v1/nodes/${first}/validate`);
  assert.ok(secrets.size >= 4, `${secrets.size} secrets were seen`);
  const history = JSON.stringify(await site.request('GET', `/v1/nodes/${first}/history?detail=true`));
  const written = [
    site.log(),
    JSON.stringify(appliance.journal),
    history,
    JSON.stringify(site.node(first)),
  ].join();
  const found = [...secrets].filter(
    (secret) => written.includes(`"${secret}"`) || written.includes(`=${secret}`),
  );
  assert.deepEqual(found, []);
  const long = [...secrets].filter((secret) => secret.length > 12 && written.includes(secret));
  assert.deepEqual(long, []);
  assert.match(written, /"password":"\*+"/);
});

test('the daemon logs out of the appliance when it stops', async (t) => {
  const site = await oneviewSite(t);
  await site.request('GET', `/v1/nodes/${site.first}/validate`);
  assert.equal(site.appliance.sessions.size, 1);
  await site.stop();
  assert.equal(site.appliance.sessions.size, 0);
});

test('while the appliance is down, a power request fails and the API still answers', async (t) => {
  const site = await oneviewSite(t);
  site.appliance.stop();
  await assert.rejects(
    site.request('PUT', `/v1/nodes/${site.first}/states/power`, { target: 'power on' }).then(async () => {
      await site.until(() => site.node(site.first).last_error !== null);
      throw new Error(site.node(site.first).last_error ?? '');
    }),
    /failed for node .* on BMC http:\/\/127\.0\.0\.1/,
  );
  await site.request('GET', '/v1/nodes');
});
