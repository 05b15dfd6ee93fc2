// Tests every command of Debian's baremetal client and of the newest one. The tests of each client share one daemon and one client
// process.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { baremetalCommand, baremetalShell, DEBIAN_PYTHON } from '../../fakes/clients/baremetal-client.ts';
import { newestPython, skipWithoutNewestClient } from '../../setup/newest-client.ts';
import { skipWithout } from '../../setup/packages.ts';
import { connections } from './baremetal/connections.ts';
import { machines } from './baremetal/machines.ts';
import { nodes } from './baremetal/nodes.ts';
import { others } from './baremetal/others.ts';
import { phases } from './baremetal/phases.ts';
import { records } from './baremetal/records.ts';
import { type Client, clientOf } from './baremetal/scenario.ts';
import { Site } from './site.ts';

const scenarios = { ...records, ...connections, ...nodes, ...machines, ...phases, ...others };

const clients = [
  { version: "Debian's", python: DEBIAN_PYTHON, skip: skipWithout('python3-ironicclient') },
  { version: 'the newest', python: newestPython, skip: skipWithoutNewestClient() },
];

for (const { version, python, skip } of clients) {
  describe(`${version} baremetal client`, { skip }, () => {
    const commands = skip === false ? commandsOf(python) : [];
    let site: Site;
    let baremetal: AsyncDisposable;
    let client: Client;
    before(async () => {
      site = await Site.start();
      const shell = baremetalShell(site.url, python);
      baremetal = shell;
      client = clientOf(shell, python === newestPython);
    });
    after(async () => {
      await baremetal[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    });

    for (const [command, scenario] of Object.entries(scenarios)) {
      if (commands.includes(command)) test(command, () => scenario(client, site));
    }
    test('every command of this client has a test', () => {
      assert.ok(commands.length > 90);
      assert.deepEqual(
        commands.filter((command) => !(command in scenarios)),
        [],
      );
    });
  });
}

test(
  'the openstack command shows a node that the baremetal command created',
  { skip: skipWithout('python3-ironicclient') || skipWithout('python3-openstackclient') },
  async () => {
    await using site = await Site.start();
    await baremetalCommand(site.url).done('node create --driver fake-hardware --name n1');
    const shown = await baremetalCommand(site.url, 'openstack').json('baremetal node show n1');
    assert.partialDeepStrictEqual(shown, { name: 'n1', driver: 'fake-hardware' });
  },
);

test('the tested commands are those of the newest client', { skip: skipWithoutNewestClient() }, () => {
  assert.deepEqual(Object.keys(scenarios).toSorted(), commandsOf(newestPython).toSorted());
});

/** The commands that the client's package registers, without their first word. */
function commandsOf(python: string): readonly string[] {
  const script = `
from importlib.metadata import entry_points
for name in {each.name for each in entry_points(group="openstack.baremetal.v1")}:
    print(name.replace("_", " ").removeprefix("baremetal "))`;
  const { stdout, stderr } = spawnSync(python, ['-c', script], { encoding: 'utf8' });
  assert.notEqual(stdout, '', stderr);
  return stdout.trim().split('\n');
}
