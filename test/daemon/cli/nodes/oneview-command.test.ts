import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneviewCommand } from '../../../../daemon/cli/nodes/oneview-command.ts';
import { systemClock } from '../../../../daemon/lib/clock.ts';
import { SimulatedAppliance } from '../../../../daemon/simulator/oneview/appliance.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { oneviewOptions } from '../../../fakes/machines/oneview-site.ts';
import { capabilitiesFor } from '../../../fakes/machines/oneview-task.ts';

test('migrate --to-hardware-type changes nodes of classic drivers, and no others, to oneview and its interfaces', async (t) => {
  const appliance = await SimulatedAppliance.start({ clock: systemClock });
  t.after(() => appliance.stop());
  const { url, services } = await startListening(t, {
    environment: {
      ...oneviewOptions(appliance.url),
      IRONIC_DEFAULT__ENABLED_DRIVERS: 'agent_pxe_oneview,iscsi_pxe_oneview',
    },
  });
  const enrol = (number: number, driver: string, info: object = {}) =>
    enrolNode(url, {
      driver,
      name: `bay-${number}`,
      driver_info: { server_hardware_uri: appliance.addServer(number).uri, ...info },
      properties: { capabilities: capabilitiesFor('good') },
    });
  const old = { dynamic_allocation: false };
  const agent = await enrol(1, 'agent_pxe_oneview', old);
  const iscsi = await enrol(2, 'iscsi_pxe_oneview', old);
  const unmarked = await enrol(3, 'oneview');
  const unclear = await enrol(4, 'oneview', { dynamic_allocation: 'maybe' });
  const run = async (...words: string[]) => {
    const written: string[] = [];
    const output = { write: (text: string) => written.push(text) };
    const context = { environment: { OS_ENDPOINT: url }, stdout: output, stderr: output };
    return { exit: await oneviewCommand(['migrate', ...words], context), text: written.join('') };
  };
  const nodeOf = (uuid: string) => services.db.nodes.get(uuid);

  const dry = await run('--all', '--dry-run', '--to-hardware-type');
  assert.equal(dry.exit, 1);
  assert.match(dry.text, /"maybe"; expected true or false/);
  assert.match(dry.text, /bay-1 +its server would be freed .*agent_pxe_oneview -> oneview, oneview-direct/);
  assert.doesNotMatch(dry.text, /bay-3/);
  assert.equal(nodeOf(agent)?.driver, 'agent_pxe_oneview');

  assert.match((await run('--all', '--to-hardware-type')).text, /bay-1 +its server is free /);
  for (const [uuid, deploy] of [
    [agent, 'oneview-direct'],
    [iscsi, 'oneview-iscsi'],
  ] as const) {
    const node = nodeOf(uuid);
    assert.deepEqual(
      [
        node?.driver,
        node?.boot_interface,
        node?.deploy_interface,
        node?.inspect_interface,
        node?.power_interface,
      ],
      ['oneview', 'pxe', deploy, 'oneview', 'oneview'],
    );
    assert.equal(node?.driver_info['dynamic_allocation'], true);
  }
  assert.deepEqual(
    [unmarked, unclear].map((uuid) => nodeOf(uuid)?.driver_info['dynamic_allocation']),
    [undefined, 'maybe'],
  );
  const again = await run('--node', 'bay-1');
  assert.equal(again.exit, 0);
  assert.match(again.text, /bay-1 +nothing to migrate /);
  assert.match((await run()).text, /expected either --all or --node NODE/);
  const reply = await fetch(`${url}/v1/nodes/bay-2/validate`, {
    headers: { 'openstack-api-version': 'baremetal 1.90' },
  });
  const { deploy } = (await reply.json()) as {
    readonly deploy: { readonly result: boolean; readonly reason: string };
  };
  assert.match(
    deploy.reason,
    /oneview-iscsi needs a ramdisk whose agent exports its disk.*set deploy_interface to oneview-direct/,
  );
});
