import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { initialNode } from '../../../../daemon/model/records/node.ts';
import { readHealth } from '../../../../daemon/ui/read/health.ts';
import { selfSigned } from '../../../../daemon/simulator/certificate.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { get } from '../../../fakes/clients/page.ts';

const DAY_SECONDS = 86_400;
const NODE = '7d0c2a3e-9a64-4a0e-8a52-1f6a27d0c0de';

describe('the health of the daemon', () => {
  it('fails when there are nodes but no backup, and when the newest backup is two days old or older', async (t) => {
    const { services, stateDirectory, clock } = await startInProcess(t);
    const backup = () => readHealth(services, []).find(({ name }) => name === 'backup');
    assert.equal(backup()?.ok, true);
    services.db.nodes.insert(initialNode({ uuid: NODE, driver: 'fake-hardware' }));
    assert.match(backup()?.detail ?? '', /there is none in .*backups; run: ironic-edge backup create/);
    const directory = path.join(stateDirectory, 'backups');
    const file = path.join(directory, 'ironic-edge-20261122T100000Z.sqlite');
    mkdirSync(directory);
    writeFileSync(file, '');
    const today = clock.now() / 1000;
    utimesSync(file, today, today - 3600);
    assert.deepEqual(backup(), { name: 'backup', ok: true, detail: 'the newest is 1 h old' });
    utimesSync(file, today, today - 2 * DAY_SECONDS);
    assert.equal(backup()?.ok, false);
  });

  it('shows the event loop and the version, and the head of the page counts the checks that fail', async (t) => {
    const daemon = await startInProcess(t);
    const { clock, services, stateDirectory } = daemon;
    services.db.nodes.insert(initialNode({ uuid: NODE, driver: 'fake-hardware' }));
    const page = async (place: string) => (await get(daemon, place)).text.replaceAll(/\s+/g, ' ');
    const health = await page('/ui/health');
    assert.match(health, /1 of \d+ checks fail\./);
    assert.match(health, /event loop<\/th> <td>99 % of its reactions were at most \d+ ms late/);
    assert.match(health, /version<\/th> <td>ironic-edge \d+\.\d+\.\d+ on Node\.js 24\./);
    const failing = '<a class="failed" href="/ui/health">Health: 1 failing</a>';
    assert.ok((await page('/ui/')).includes(failing));
    mkdirSync(path.join(stateDirectory, 'backups'));
    const file = path.join(stateDirectory, 'backups', 'ironic-edge-20261122T100000Z.sqlite');
    writeFileSync(file, '');
    utimesSync(file, clock.now() / 1000, clock.now() / 1000);
    await clock.advance(5000);
    assert.match(await page('/ui/'), /no problems/);
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
    assert.deepEqual(certificate(), { name: 'certificate', ok: false, detail: `${file} has expired` });
  });

  it('says how full the disk with the state directory is', async (t) => {
    const { services } = await startInProcess(t);
    const disk = readHealth(services, []).find(({ name }) => name === 'disk');
    assert.match(disk?.detail ?? '', /^\d+ % of the disk of/);
  });
});
