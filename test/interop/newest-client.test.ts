import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { baremetalCommand } from '../fakes/baremetal-client.ts';
import { DaemonProcess } from '../fakes/daemon-process.ts';
import { newestBaremetal, skipWithoutNewestClient } from '../setup/newest-client.ts';

const report = readFileSync(join(import.meta.dirname, '../fixtures/inspection/agent-12-bios.json'), 'utf8');
const MAC = '52:54:00:aa:bb:01';

test(
  'the newest client enrols, inspects, saves the inventory and provides',
  { skip: skipWithoutNewestClient() },
  async () => {
    await using daemon = await DaemonProcess.start({
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'manual-management',
    });
    const { done, json, refused } = baremetalCommand(daemon.url, newestBaremetal);

    const { uuid } = (await json('node create --driver manual-management --name n1')) as { uuid: string };
    await done(`port create ${MAC} --node ${uuid}`);
    await done('node manage n1 --wait 20');
    assert.match(await refused('node inventory save n1'), /Inventory for node .* was not found/);
    await done('node inspect n1');
    await daemon.nodeWhen(uuid, (node) => node.provision_state === 'inspect wait');
    const posted = await daemon.request('POST', '/v1/continue_inspection', JSON.parse(report));
    assert.equal(posted.status, 202);
    await daemon.nodeWhen(uuid, (node) => node.provision_state === 'manageable');

    const saved = JSON.parse(await done('node inventory save n1')) as { inventory: { hostname: string } };
    assert.deepEqual(saved.inventory, (JSON.parse(report) as { inventory: object }).inventory);
    await done('node provide n1 --wait 20');
    const [listed] = (await json(
      'node list --provision-state available --fields name properties',
    )) as object[];
    assert.deepEqual(listed, { name: 'n1', properties: { cpu_arch: 'x86_64' } });
    const [entry] = (await json('node history list n1 --long')) as Readonly<Record<string, unknown>>[];
    assert.match(String(entry?.['event']), /Inspection finished/);
  },
);

test(
  'the newest client works with runbooks, inspection rules, shards and children, which Debian lacks',
  { skip: skipWithoutNewestClient() },
  async () => {
    await using daemon = await DaemonProcess.start();
    const { done, json, refused } = baremetalCommand(daemon.url, newestBaremetal);

    const steps = '[{"interface":"bios","step":"apply_configuration","args":{},"order":1}]';
    await done(`runbook create --name CUSTOM_BIOS --steps ${steps}`);
    await done('runbook set CUSTOM_BIOS --description words --public true');
    assert.partialDeepStrictEqual(await json('runbook show CUSTOM_BIOS'), {
      description: 'words',
      public: true,
    });
    assert.partialDeepStrictEqual(await json('runbook list'), [{ name: 'CUSTOM_BIOS' }]);
    await done('runbook delete CUSTOM_BIOS');
    assert.match(await refused('runbook show CUSTOM_BIOS'), /404/);

    const actions = '[{"op":"set-attribute","args":["/driver","ipmi"]}]';
    const rule = (await json(
      `inspection rule create --description d --priority 7 --actions ${actions}`,
    )) as Readonly<Record<string, unknown>>;
    assert.partialDeepStrictEqual(rule, { priority: 7, phase: 'main', sensitive: false });
    await done(`inspection rule set ${String(rule['uuid'])} --priority 8`);
    assert.partialDeepStrictEqual(await json('inspection rule list --long'), [
      { uuid: rule['uuid'], priority: 8 },
    ]);
    await done(`inspection rule delete ${String(rule['uuid'])}`);
    assert.deepEqual(await json('inspection rule list --long'), []);

    const parent = (await json('node create --driver fake-hardware --shard east')) as { uuid: string };
    const child = (await json(`node create --driver fake-hardware --parent-node ${parent.uuid}`)) as {
      uuid: string;
    };
    assert.partialDeepStrictEqual(await json('shard list'), [{ name: 'east', count: 1 }]);
    assert.match(await done(`node children list ${parent.uuid}`), new RegExp(child.uuid));
  },
);
