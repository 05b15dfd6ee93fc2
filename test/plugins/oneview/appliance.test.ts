import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { selfSigned } from '../../../daemon/simulator/certificate.ts';
import { readServer } from '../../../plugins/oneview/server/server-hardware.ts';
import { versionFor } from '../../../plugins/oneview/appliance/session.ts';
import { oneviewPower } from '../../../plugins/oneview/power.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import type { Ending } from '../../fakes/daemon/in-process-daemon.ts';
import { oneviewBench } from '../../fakes/machines/oneview-task.ts';

function fileOf(t: Ending, content: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'oneview-ca-'));
  t.after(async () => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'ca.pem');
  writeFileSync(file, content);
  return file;
}

test('an expired session is replaced by one login, also when twenty requests meet it at once', async (t) => {
  const { task, appliance } = await oneviewBench(t);
  await readServer(task, 'Reading');
  appliance.sessions.expire();
  await Promise.all(Array.from({ length: 20 }, () => readServer(task, 'Reading')));
  assert.equal(appliance.sessions.logins, 2);
  appliance.fail({ action: { kind: 'expired session' } });
  await readServer(task, 'Reading');
  assert.equal(appliance.sessions.logins, 3);
});

test('a wrong password is not tried again by the next reading, and no message contains it', async (t) => {
  const { task, appliance } = await oneviewBench(t, { options: { password: 'guess-7' } });
  for (const reason of [/Invalid user name or password/, /not tried again before/])
    await assert.rejects(
      async () => oneviewPower.getPowerState(task),
      (error: Error) => {
        assert.match(error.message, reason);
        assert.ok(!error.message.includes('guess-7'));
        return true;
      },
    );
  assert.equal(appliance.sessions.logins, 1);
});

test('a read is repeated after a broken connection, and given up when nothing answers', async (t) => {
  const { task, appliance, server } = await oneviewBench(t);
  appliance.fail({ path: server.uri, times: 2, action: { kind: 'reset' } });
  await readServer(task, 'Reading');
  appliance.stop();
  await rejectsFault(readServer(task, 'Reading'), 'BmcFailure', /Reading failed for node/);
});

test('a request that the appliance cannot take yet is repeated', async (t) => {
  const { task, appliance, server } = await oneviewBench(t);
  const busy = { kind: 'status', status: 409, code: 'POWER_CONTROL_NOT_ALLOWED' } as const;
  appliance.fail({ method: 'PUT', times: 2, action: busy });
  await oneviewPower.setPowerState(task, 'power on', 60);
  assert.equal(server.powerState, 'On');
  appliance.fail({ path: server.uri, times: 3, action: { kind: 'status', status: 503, code: 'BUSY' } });
  assert.equal(await oneviewPower.getPowerState(task), 'power on');
  assert.deepEqual(task.sleeps.filter((each) => each === 10_000).length, 5);
});

test('the certificate of the appliance must be the trusted one, unless insecure connections are allowed', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'oneview-ca-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [right, other] = ['right', 'other'].map((name) => path.join(folder, name)) as [string, string];
  const trusting = async (file: string | null, isInsecure = false) => {
    const options = { tls_cacert_file: file, allow_insecure_connections: isInsecure };
    const bench = await oneviewBench(t, { options, appliance: { tls: true } });
    writeFileSync(right, bench.appliance.ca ?? '');
    return bench;
  };
  writeFileSync(other, selfSigned('127.0.0.1').cert);
  assert.equal(await oneviewPower.getPowerState((await trusting(right)).task), 'power off');
  for (const file of [other, null])
    await rejectsFault(
      Promise.resolve(oneviewPower.getPowerState((await trusting(file)).task)),
      'BmcFailure',
      /self.signed certificate|DEPTH_ZERO|unable to verify/i,
    );
  const { task } = await trusting(other, true);
  assert.equal(await oneviewPower.getPowerState(task), 'power off');
  assert.match(JSON.stringify(task.logged), /allow_insecure_connections is set: tls_cacert_file is ignored/);
});

test('an expired certificate is refused with a reason', async (t) => {
  const certificate = selfSigned('127.0.0.1', Date.now() - 60 * 86_400_000);
  const file = fileOf(t, certificate.cert);
  const { task } = await oneviewBench(t, { options: { tls_cacert_file: file }, appliance: { certificate } });
  await rejectsFault(
    Promise.resolve(oneviewPower.getPowerState(task)),
    'BmcFailure',
    /certificate has expired/,
  );
});

test('a trusted certificate for another host is refused with a reason', async (t) => {
  const certificate = selfSigned('192.0.2.7');
  const { task } = await oneviewBench(t, {
    options: { tls_cacert_file: fileOf(t, certificate.cert) },
    appliance: { certificate },
  });
  await rejectsFault(
    Promise.resolve(oneviewPower.getPowerState(task)),
    'BmcFailure',
    /127\.0\.0\.1 is not in the cert's list: *192\.0\.2\.7/,
  );
});

test('a new certificate of the appliance is refused until the file of trusted certificates has it', async (t) => {
  const [old, replacement] = [selfSigned('127.0.0.1'), selfSigned('127.0.0.1')];
  const file = fileOf(t, old.cert);
  const { task, appliance } = await oneviewBench(t, {
    options: { tls_cacert_file: file },
    appliance: { certificate: old },
  });
  assert.equal(await oneviewPower.getPowerState(task), 'power off');
  appliance.exchangeCertificate(replacement);
  await rejectsFault(
    Promise.resolve(oneviewPower.getPowerState(task)),
    'BmcFailure',
    /self.signed certificate|DEPTH_ZERO|unable to verify|signature failure/i,
  );
  writeFileSync(file, replacement.cert);
  assert.equal(await oneviewPower.getPowerState(task), 'power off');
  assert.equal(appliance.sessions.logins, 1);
});

test("the newest common REST API version is used, or a newer appliance's oldest; an old appliance is refused", async (t) => {
  assert.equal(versionFor({ minimumVersion: 120, currentVersion: 200 }), 200);
  assert.equal(versionFor({ minimumVersion: 1200, currentVersion: 8000 }), 2000);
  assert.equal(versionFor({ minimumVersion: 4000, currentVersion: 8000 }), 4000);
  assert.throws(() => versionFor({}), /its answer names no version of its REST API/);
  const { task, appliance } = await oneviewBench(t);
  appliance.version = { minimum: 1200, current: 2000 };
  assert.equal(await oneviewPower.getPowerState(task), 'power off');
  const { task: old, appliance: ancient } = await oneviewBench(t);
  ancient.version = { minimum: 1, current: 120 };
  await rejectsFault(
    Promise.resolve(oneviewPower.getPowerState(old)),
    'BmcRefused',
    /unsupported version of its REST API: it has 1 to 120, expected 200 or newer/,
  );
});

test('the URL of the appliance is checked, and a login in it is not shown', async (t) => {
  for (const manager_url of [
    '',
    'ftp://oneview.test',
    'https://me:secret-5@oneview.test',
    'https://:secret-5@oneview.test',
    'oneview.test/?a=1',
  ]) {
    const { task } = await oneviewBench(t, { options: { manager_url } });
    assert.throws(
      () => void oneviewPower.validate(task),
      (error: Error) =>
        /\[oneview\] manager_url is/.test(error.message) && !error.message.includes('secret-5'),
    );
  }
});
