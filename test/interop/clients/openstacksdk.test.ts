// Every call of the newest openstacksdk's baremetal proxy: a test each, on one daemon and in one process of the SDK. Its
// proxy baremetal_introspection speaks to another service, ironic-inspector, which this daemon is not.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ClientShell, clientShell } from '../../fakes/client-shell.ts';
import { newestPython, skipWithoutNewestClient } from '../../setup/newest-client.ts';
import { machineCalls } from './openstacksdk/machines.ts';
import { nodeCalls } from './openstacksdk/nodes.ts';
import { otherCalls } from './openstacksdk/others.ts';
import { recordCalls } from './openstacksdk/records.ts';
import { type Library, libraryOf } from './library.ts';
import { Site } from './site.ts';

const scenarios = { ...recordCalls, ...nodeCalls, ...machineCalls, ...otherCalls };

describe('the newest openstacksdk', { skip: skipWithoutNewestClient() }, () => {
  let site: Site;
  let shell: ClientShell;
  let sdk: Library;
  before(async () => {
    site = await Site.start();
    shell = clientShell(
      site.url,
      newestPython,
      join(import.meta.dirname, '../../fakes/openstacksdk-shell.py'),
    );
    sdk = libraryOf(shell);
  });
  after(async () => {
    await shell[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
  });

  for (const [call, scenario] of Object.entries(scenarios)) test(call, () => scenario(sdk, site));

  test('has these calls and no others', () => {
    assert.deepEqual(Object.keys(scenarios).toSorted(), callsOf(newestPython));
  });
});

/** What the proxy itself offers; what it inherits are the plain requests of any service. */
function callsOf(python: string): readonly string[] {
  const script = `
from openstack.baremetal.v1._proxy import Proxy
for name, value in vars(Proxy).items():
    if callable(value) and not name.startswith("_"):
        print(name)`;
  const { stdout, stderr } = spawnSync(python, ['-c', script], { encoding: 'utf8' });
  assert.notEqual(stdout, '', stderr);
  return stdout.trim().split('\n').toSorted();
}
