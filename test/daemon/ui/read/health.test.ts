import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import perfHooks from 'node:perf_hooks';
import { describe, it, type TestContext } from 'node:test';
import { initialNode } from '../../../../daemon/model/records/node.ts';
import { readHealth } from '../../../../daemon/ui/read/health.ts';
import { selfSigned } from '../../../../daemon/simulator/certificate.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { get } from '../../../fakes/clients/page.ts';

const DAY_SECONDS = 86_400;
const NODE = '7d0c2a3e-9a64-4a0e-8a52-1f6a27d0c0de';

/** Sets how late the event loop of a daemon that starts later is, because that of a busy test machine is late by itself. */
function lateness(t: TestContext): { milliseconds: number } {
  const late = { milliseconds: 15 };
  const percentile = () => late.milliseconds * 1e6;
  const measured = { percentile, enable: () => true, disable: () => true, reset: () => undefined };
  const original = t.mock.method(perfHooks, 'monitorEventLoopDelay', () => measured);
  syncBuiltinESMExports();
  t.after(() => {
    original.mock.restore();
    syncBuiltinESMExports();
  });
  return late;
}

describe('the health of the daemon', () => {
  it('advises a backup after the first node, and fails when there is none two days later, and when the newest backup is two days old or older', async (t) => {
    const { services, stateDirectory, clock } = await startInProcess(t);
    const backup = () => {
      const found = readHealth(services, []).find(({ name }) => name === 'backup');
      assert.ok(found);
      return found;
    };
    assert.equal(backup().ok, true);
    const created_at = new Date(clock.now()).toISOString();
    services.db.nodes.insert({ ...initialNode({ uuid: NODE, driver: 'fake-hardware' }), created_at });
    assert.equal(backup().ok, 'advice');
    clock.set(2 * DAY_SECONDS * 1000 - 1);
    assert.equal(backup().ok, 'advice');
    clock.set(1);
    assert.equal(backup().ok, false);
    assert.match(backup().detail, /there is none in .*backups$/);
    assert.match(backup().fix ?? '', /^ironic-edge backup create; /);
    const directory = path.join(stateDirectory, 'backups');
    const file = path.join(directory, 'ironic-edge-20261122T100000Z.sqlite');
    mkdirSync(directory);
    writeFileSync(file, '');
    const today = clock.now() / 1000;
    utimesSync(file, today, today - 3600);
    assert.deepEqual(
      [backup().ok, backup().detail, backup().fix],
      [true, 'the newest is 1 h old', undefined],
    );
    utimesSync(file, today, today - 2 * DAY_SECONDS);
    assert.equal(backup().ok, false);
  });

  it('shows the event loop and the version, and the head of the page counts the checks that fail', async (t) => {
    const late = lateness(t);
    const daemon = await startInProcess(t);
    const { clock, services, stateDirectory } = daemon;
    const created_at = new Date(clock.now()).toISOString();
    services.db.nodes.insert({ ...initialNode({ uuid: NODE, driver: 'fake-hardware' }), created_at });
    const page = async (place: string) => (await get(daemon, place)).text.replaceAll(/\s+/g, ' ');
    const head = /class="needs" href="\/ui\/health"/;
    assert.doesNotMatch(await page('/ui/'), head);
    await clock.advance(2 * DAY_SECONDS * 1000);
    assert.match(await page('/ui/'), head);
    mkdirSync(path.join(stateDirectory, 'backups'));
    const file = path.join(stateDirectory, 'backups', 'ironic-edge-20261122T100000Z.sqlite');
    writeFileSync(file, '');
    utimesSync(file, clock.now() / 1000, clock.now() / 1000);
    await clock.advance(5000);
    assert.doesNotMatch(await page('/ui/'), head);
    const health = await page('/ui/health');
    assert.match(
      health,
      /event loop<\/th> <td class="wide soft">99 % of its reactions were at most 15 ms late/,
    );
    assert.match(health, /version<\/th> <td class="wide soft">ironic-edge \d+\.\d+\.\d+ on Node\.js 24\./);
    late.milliseconds = 201;
    await clock.advance(5000);
    assert.match(await page('/ui/health'), /<h2>Failing<\/h2>.*<small>event loop<\/small>.*<h2>Well<\/h2>/);
  });

  it('fails for what is not served until the network has what is missing', async (t) => {
    const { services, log } = await startInProcess(t);
    const found = () => readHealth(services, []).find(({ name }) => name === 'DHCP on br0');
    services.links.report('DHCP on br0', 'br0 has no IPv4 address; give it one');
    const { ok, detail, href } = found() ?? {};
    assert.deepEqual(
      [ok, detail, href],
      [false, 'not served: br0 has no IPv4 address; give it one', '/ui/network'],
    );
    assert.match(log(), /"level":"warn".*"missing":"br0 has no IPv4 address; give it one"/);
    services.links.report('DHCP on br0', undefined);
    assert.equal(found(), undefined);
  });

  it('fails with the reason when the backups cannot be read', async (t) => {
    const { services, stateDirectory } = await startInProcess(t);
    writeFileSync(path.join(stateDirectory, 'backups'), 'a file in place of the directory');
    const backup = readHealth(services, []).find(({ name }) => name === 'backup');
    assert.equal(backup?.ok, false);
    assert.match(backup?.detail ?? '', /ENOTDIR/);
  });

  it('fails for an expired certificate, and says how long a valid one lasts', async (t) => {
    const { services, stateDirectory, clock } = await startInProcess(t);
    const file = path.join(stateDirectory, 'api.pem');
    writeFileSync(file, selfSigned('127.0.0.1', clock.now()).cert);
    const api = { ...services.config.api, enable_ssl_api: true, cert_file: file };
    const parts = { ...services, config: { ...services.config, api } };
    const certificate = () => readHealth(parts, []).find(({ name }) => name === 'certificate');
    assert.match(certificate()?.detail ?? '', /is valid for (?:29|30) more days$/);
    clock.set(clock.now() + 40 * DAY_SECONDS * 1000);
    assert.deepEqual([certificate()?.ok, certificate()?.detail], [false, `${file} has expired`]);
  });

  it('says how full the disk with the state directory is', async (t) => {
    const { services } = await startInProcess(t);
    const disk = readHealth(services, []).find(({ name }) => name === 'disk');
    assert.match(disk?.detail ?? '', /^\d+ % of the disk of/);
  });
});
