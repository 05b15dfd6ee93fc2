import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { importCommand } from '../../../../daemon/cli/move/import-command.ts';
import { readCredentials } from '../../../../daemon/cli/move/sources/ironic-source.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

test('a credentials template has a line for each node and a column for each masked field, and is never overwritten', async (t) => {
  const { url } = await startListening(t, {});
  const driver = 'fake-hardware';
  await enrolNode(url, { driver, name: 'a', driver_info: { ipmi_password: 'x', ipmi_address: '192.0.2.1' } });
  const uuid = await enrolNode(url, { driver, driver_info: { redfish_password: 'y' } });
  const folder = mkdtempSync(path.join(tmpdir(), 'template-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'passwords.csv');
  const run = () =>
    runCommand((context) => importCommand(['ironic', '--url', url, '--credentials-template', file], context));
  assert.equal((await run()).code, 0);
  assert.equal(readFileSync(file, 'utf8'), `node,ipmi_password,redfish_password\na,,\n${uuid},,\n`);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const filled = readFileSync(file, 'utf8').replace('a,,', 'a,secret,');
  assert.deepEqual(readCredentials(file, filled).get('a'), { driver_info: { ipmi_password: 'secret' } });
  await assert.rejects(run(), /EEXIST/);
});
