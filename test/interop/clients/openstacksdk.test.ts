// Every call of openstacksdk's baremetal proxy, in Debian's and in the newest release: a test each, with one daemon and one process
// of the SDK for each release. The proxy baremetal_introspection is left out: it speaks to another service, ironic-inspector.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DEBIAN_PYTHON } from '../../fakes/clients/baremetal-client.ts';
import { type ClientShell, clientShell } from '../../fakes/clients/client-shell.ts';
import { newestPython, skipWithoutNewestClient } from '../../setup/newest-client.ts';
import { skipWithout } from '../../setup/packages.ts';
import { type Library, libraryOf } from './library.ts';
import { machineCalls } from './openstacksdk/machines.ts';
import { nodeCalls } from './openstacksdk/nodes.ts';
import { otherCalls } from './openstacksdk/others.ts';
import { recordCalls } from './openstacksdk/records.ts';
import { Site } from './site.ts';

const SHELL = join(import.meta.dirname, '../../fakes/clients/openstacksdk-shell.py');
const scenarios = { ...recordCalls, ...nodeCalls, ...machineCalls, ...otherCalls };

const releases = [
  { release: "Debian's", python: DEBIAN_PYTHON, skip: skipWithout('python3-openstacksdk') },
  { release: 'the newest', python: newestPython, skip: skipWithoutNewestClient() },
];

for (const { release, python, skip } of releases) {
  describe(`${release} openstacksdk`, { skip }, () => {
    const calls = skip === false ? callsOf(python) : [];
    let site: Site;
    let shell: ClientShell;
    let sdk: Library;
    before(async () => {
      site = await Site.start();
      shell = clientShell(site.url, python, SHELL);
      sdk = libraryOf(shell, python === newestPython);
    });
    after(async () => {
      await shell[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    });

    for (const [call, scenario] of Object.entries(scenarios)) {
      if (calls.includes(call)) test(call, () => scenario(sdk, site));
    }
    test('every call of the baremetal proxy has a test', () => {
      assert.ok(calls.length > 70);
      assert.deepEqual(
        calls.filter((call) => !(call in scenarios)),
        [],
      );
    });
  });
}

test(
  'the tested calls are exactly the calls of the newest openstacksdk',
  { skip: skipWithoutNewestClient() },
  () => {
    assert.deepEqual(Object.keys(scenarios).toSorted(), callsOf(newestPython).toSorted());
  },
);

/** The proxy's own calls, without the inherited generic requests. */
function callsOf(python: string): readonly string[] {
  const script = `
from openstack.baremetal.v1._proxy import Proxy
for name, value in vars(Proxy).items():
    if callable(value) and not name.startswith("_"):
        print(name)`;
  const { stdout, stderr } = spawnSync(python, ['-c', script], { encoding: 'utf8' });
  assert.notEqual(stdout, '', stderr);
  return stdout.trim().split('\n');
}
