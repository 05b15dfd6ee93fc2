import assert from 'node:assert/strict';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { hashSync } from 'bcryptjs';
import type { Examination } from '../../../../../daemon/model/doctor/doctor-finding.ts';
import { openIn, readSetup } from '../../../../../daemon/ui/read/site/setup.ts';
import { type InProcessDaemon, startInProcess } from '../../../../fakes/daemon/in-process-daemon.ts';
import { get } from '../../../../fakes/clients/page.ts';

const DAY = 86_400_000;

const itemOf = ({ services }: InProcessDaemon, title: RegExp, examination?: Examination) => {
  const found = readSetup(services, examination).find((item) => title.test(item.title));
  assert.ok(found, String(title));
  return found;
};

const ofRamdisk = (severity: 'none' | 'error'): Examination => ({
  at: 0,
  failure: undefined,
  findings: [{ probe: 'ramdisk', about: '', severity, saw: 'it is away', means: '', fix: '', node: null }],
});

describe('the checklist of a new site', () => {
  it('has open items on a bare host, each with a command or a link, and is linked from Health', async (t) => {
    const daemon = await startInProcess(t);
    const open = openIn(readSetup(daemon.services, undefined));
    assert.deepEqual(
      open.map(({ title }) => title),
      [
        'A user with a password',
        'The servers of boot files',
        'The ramdisk that works on machines',
        'A system image',
        'A machine',
        'A backup',
        'A look at the host by the doctor',
      ],
    );
    for (const { command, link, title } of open) assert.ok(command ?? link, title);
    assert.match((await get(daemon, '/ui/health')).text, /7 steps of the set-up still open/);
    const { text } = await get(daemon, '/ui/setup');
    assert.match(text, /<code>sudo ironic-edge agent-image build<\/code>/);
  });

  it('does not claim what was not checked: another DHCP server, and a ramdisk at a URL', async (t) => {
    const daemon = await startInProcess(t, {
      ini: '[conductor]\ndeploy_kernel = http://x/k\ndeploy_ramdisk = http://x/r\n',
    });
    const network = itemOf(daemon, /network that machines boot/);
    assert.deepEqual([network.state, /is not checked/.test(network.why)], ['unknown', true]);
    assert.equal(itemOf(daemon, /ramdisk/).state, 'unknown');
    assert.equal(itemOf(daemon, /ramdisk/, ofRamdisk('none')).state, 'done');
    const away = itemOf(daemon, /ramdisk/, ofRamdisk('error'));
    assert.deepEqual([away.state, away.why], ['unknown', 'it is away']);
  });

  it('says how old the ramdisk is, and that one of 91 days is to be renewed, or is not there', async (t) => {
    const folder = await startInProcess(t);
    const file = path.join(folder.stateDirectory, 'ramdisk');
    const daemon = await startInProcess(t, {
      ini: `[conductor]\ndeploy_kernel = file://${file}\ndeploy_ramdisk = file://${file}\n`,
    });
    const ramdisk = () => itemOf(daemon, /ramdisk/);
    assert.deepEqual([ramdisk().state, /cannot be read: ENOENT/.test(ramdisk().why)], ['open', true]);
    const aged = (days: number) => {
      const at = (daemon.clock.now() - days * DAY) / 1000;
      writeFileSync(file, '');
      utimesSync(file, at, at);
      return ramdisk();
    };
    daemon.clock.set(200 * DAY);
    assert.deepEqual([aged(90).state, aged(90).command], ['done', undefined]);
    assert.match(aged(90).why, /is 90 d old\.$/);
    assert.deepEqual([aged(91).state, aged(91).command], ['open', 'sudo ironic-edge agent-image update']);
  });

  it('counts the users of the password file, and says when it cannot be read', async (t) => {
    const folder = await startInProcess(t);
    const file = path.join(folder.stateDirectory, 'htpasswd');
    writeFileSync(file, ['ann', 'bob'].map((user) => `${user}:${hashSync('secret', 4)}\n`).join(''), {
      mode: 0o600,
    });
    const daemon = await startInProcess(t, {
      ini: `auth_strategy = http_basic\nhttp_basic_auth_user_file = ${file}\n`,
    });
    const users = () => itemOf(daemon, /user with a password/);
    assert.deepEqual([users().state, users().why], ['done', `2 users in ${file}`]);
    writeFileSync(file, '');
    assert.equal(users().state, 'open');
    writeFileSync(file, 'ann:secret\n');
    assert.deepEqual([users().state, users().why.includes('secret')], ['open', false]);
    rmSync(file);
    assert.match(users().why, /ENOENT/);
  });

  it('is done with an image, a machine, a backup and a doctor without errors', async (t) => {
    const daemon = await startInProcess(t);
    await daemon.createNode();
    mkdirSync(path.join(daemon.stateDirectory, 'backups'));
    writeFileSync(path.join(daemon.stateDirectory, 'backups', 'ironic-edge-20261122T100000Z.sqlite'), '');
    await daemon.request('POST', '/v1/images', {
      body: { name: 'web', source: 'oci://registry.test/web:1' },
    });
    assert.match(itemOf(daemon, /image/).why, /1 image known, none fetched yet/);
    for (const image of daemon.services.db.images.where({ sql: 'TRUE', values: [] }))
      daemon.services.db.images.update(image.uuid, { state: 'ready' });
    const looked = ofRamdisk('none');
    for (const title of [/image/, /^A machine/, /backup/, /doctor/])
      assert.equal(itemOf(daemon, title, looked).state, 'done', String(title));
    assert.equal(itemOf(daemon, /doctor/, ofRamdisk('error')).state, 'open');
    assert.equal(itemOf(daemon, /doctor/, { at: 0, findings: [], failure: 'away' }).state, 'unknown');
  });
});
