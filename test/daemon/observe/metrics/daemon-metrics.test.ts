import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { backUp } from '../../../../daemon/db/copies/back-up.ts';
import { fault } from '../../../../daemon/model/faults.ts';
import { certificateFiles } from '../../../fakes/services/certificates.ts';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const scrape = async (daemon: InProcessDaemon) =>
  (await daemon.app.fetch(new Request('http://ironic.test/metrics'))).text();

async function sample(daemon: InProcessDaemon, series: string): Promise<number | undefined> {
  const line = (await scrape(daemon)).split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const provision = async (daemon: InProcessDaemon, node: string, target: string) => {
  const answer = await daemon.request('PUT', `/v1/nodes/${node}/states/provision`, { body: { target } });
  assert.equal(answer.status, 202, answer.text);
  await daemon.idle();
};

describe('the metrics of the daemon', () => {
  it('count nodes by state and maintenance', async (t) => {
    const daemon = await startInProcess(t);
    await daemon.createNode();
    const { uuid } = await daemon.createNode();
    await daemon.request('PUT', `/v1/nodes/${uuid}/maintenance`, { body: {} });
    const nodes = (maintenance: boolean) =>
      sample(daemon, `ironic_edge_nodes{provision_state="enroll",maintenance="${maintenance}"}`);
    assert.deepEqual([await nodes(false), await nodes(true)], [1, 1]);
  });

  it('tell when the newest backup was made, how full the disk is, and how many nodes wait in quarantine', async (t) => {
    const daemon = await startInProcess(t);
    await daemon.createNode();
    assert.equal(await sample(daemon, 'ironic_edge_last_backup_timestamp_seconds'), 0);
    assert.equal(await sample(daemon, 'ironic_edge_quarantined_nodes'), 0);
    const { stateDirectory, services } = daemon;
    const place = join(stateDirectory, 'backups');
    const { file } = backUp(services.config.database.path, place, { keep: 1, time: new Date() });
    utimesSync(file, 1000, 1000);
    services.db.quarantine.addAll('2026-01-01T00:00:00Z', 'restored');
    assert.equal(await sample(daemon, 'ironic_edge_last_backup_timestamp_seconds'), 1000);
    assert.equal(await sample(daemon, 'ironic_edge_quarantined_nodes'), 1);
    const free = (await sample(daemon, 'ironic_edge_state_disk_free_ratio')) ?? -1;
    assert.ok(free >= 0 && free <= 1);
  });

  it('tell when the certificate of a listener expires', async (t) => {
    const { cert, key } = certificateFiles(t);
    const daemon = await startInProcess(t, {
      ini: `[api]\nenable_ssl_api = true\ncert_file = ${cert}\nkey_file = ${key}\n`,
    });
    const ends = Date.parse(new X509Certificate(readFileSync(cert)).validTo) / 1000;
    const series = 'ironic_edge_certificate_expiry_timestamp_seconds{listener="api"}';
    assert.equal(await sample(daemon, series), ends);
  });

  it('measure work from one state of rest to the next, and count changes of state', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    await provision(daemon, uuid, 'manage');
    assert.equal(await sample(daemon, 'ironic_edge_state_changes_total{from="enroll",to="verifying"}'), 1);
    const done = 'ironic_edge_phase_duration_seconds_count{phase="verifying",outcome="done"}';
    assert.equal(await sample(daemon, done), 1);
  });

  it('count a verification that ends with an error as failed, although the node returns to enroll', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode({ driver: 'ipmi', driver_info: {} });
    await provision(daemon, uuid, 'manage');
    assert.equal(daemon.node(uuid).provision_state, 'enroll');
    const failed = 'ironic_edge_phase_duration_seconds_count{phase="verifying",outcome="failed"}';
    assert.equal(await sample(daemon, failed), 1);
  });

  it('show the age of the oldest work, also of work that began before the daemon restarted', async (t) => {
    const first = await startInProcess(t);
    const { uuid } = await first.createNode();
    const began = new Date(first.clock.now()).toISOString();
    first.services.db.nodes.update(uuid, { provision_state: 'clean wait', provision_updated_at: began });
    await first.stop();
    await first.clock.advance(90_000);
    const daemon = await startInProcess(t, { stateDirectory: first.stateDirectory, clock: first.clock });
    assert.equal(await sample(daemon, 'ironic_edge_oldest_work_age_seconds{phase="clean wait"}'), 90);
  });

  it('count conversations with BMCs by outcome, and the BMCs that are set aside', async (t) => {
    const daemon = await startInProcess(t);
    const { bmcs } = daemon.services;
    const options = { node: 'n', urgent: true, deadline: 1000, signal: new AbortController().signal };
    await bmcs.converse('10.0.0.1', options, async () => 'an answer');
    for (let attempt = 0; attempt < 3; attempt += 1)
      await assert.rejects(
        bmcs.converse('10.0.0.2', options, async () => {
          throw fault('BmcFailure', { operation: 'x', node: 'n', address: '10.0.0.2', reason: 'no answer' });
        }),
      );
    const count = (outcome: string) => sample(daemon, `ironic_edge_bmc_requests_total{outcome="${outcome}"}`);
    assert.deepEqual([await count('answered'), await count('silent')], [1, 3]);
    assert.equal(await sample(daemon, 'ironic_edge_bmcs_set_aside'), 1);
  });

  it('count what was seen of machines that boot', async (t) => {
    const daemon = await startInProcess(t);
    const { timeline } = daemon.services;
    timeline.record({ hop: 'dhcp', mac: '52:54:00:12:34:56', text: 'asked for an address' });
    timeline.record({ hop: 'tftp', address: '10.0.0.9', text: 'asked in vain', failed: true });
    const hops = (hop: string, outcome: string) =>
      sample(daemon, `ironic_edge_boot_hops_total{hop="${hop}",outcome="${outcome}"}`);
    assert.deepEqual(
      [await hops('dhcp', 'seen'), await hops('dhcp', 'failed'), await hops('tftp', 'failed')],
      [1, 0, 1],
    );
  });

  it('name requests by their route and never by what a client chose', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    await daemon.request('GET', `/v1/nodes/${uuid}`);
    await daemon.request('GET', '/v1/secret-path-of-a-client');
    await daemon.request('INVENTED', '/v1/nodes');
    const text = await scrape(daemon);
    assert.match(text, /requests_total\{route="\/v1\/nodes\/:node",method="GET",status="2xx"\} 1/);
    assert.match(text, /requests_total\{route="none",method="GET",status="4xx"\} 1/);
    assert.match(text, /requests_total\{route="\/v1\/nodes",method="other",status="4xx"\} 1/);
    assert.doesNotMatch(text, new RegExp(`${uuid}|INVENTED|secret-path`));
  });
});
