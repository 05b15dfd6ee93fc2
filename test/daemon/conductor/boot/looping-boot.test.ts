import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endLoopingBoot } from '../../../../daemon/conductor/boot/looping-boot.ts';
import type { InProcessDaemon } from '../../../fakes/daemon/in-process-daemon.ts';
import { startStepping, step } from '../../../fakes/machines/stepping-session.ts';
import { MAC, waitingNode } from '../../../ramdisk-callback/waiting-node.ts';

const CIRCLES = 'was told to boot snponly.efi as uefi-pxe 5 times in 3 min';

async function end(daemon: InProcessDaemon, node: string): Promise<void> {
  endLoopingBoot(daemon.services, node, CIRCLES);
  await daemon.idle();
}

test('cleaning and inspection fail when the machine is in a boot loop, and last_error says so', async (t) => {
  const cleaning = await startStepping(t);
  const node = await cleaning.stepping('manageable');
  await cleaning.verb(node, 'clean', { clean_steps: [step('deploy.polish')] });
  await cleaning.idle();
  await end(cleaning, node);
  assert.deepEqual(await cleaning.state(node), ['clean failed', 'manageable']);
  assert.match(cleaning.node(node).last_error ?? '', new RegExp(`The machine ${CIRCLES}\\. Last seen: `));
  const { daemon: inspection, uuid } = await waitingNode(t);
  await end(inspection, uuid);
  assert.equal(inspection.node(uuid).provision_state, 'inspect failed');
  assert.match(inspection.node(uuid).last_error ?? '', new RegExp(`The machine ${CIRCLES}\\. Last seen: `));
});

test('a node that is in maintenance or waits for nothing does not change', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  for (const changes of [{ maintenance: true }, { maintenance: false, provision_state: 'active' }] as const) {
    daemon.services.db.nodes.update(uuid, changes);
    const before = daemon.node(uuid);
    await end(daemon, uuid);
    assert.deepEqual(daemon.node(uuid), before);
  }
});

/** Counts four boots of the machine; a fifth would be a boot loop. */
function almostInCircles({ bootLoops }: InProcessDaemon['services']): void {
  const client = { mac: MAC, stage: 'bios', firmware: 'bios', architecture: 'x86_64' } as const;
  for (let transactionId = 0; transactionId < 4; transactionId += 1)
    assert.equal(bootLoops.countReply({ client, file: 'undionly.kpxe', transactionId }), undefined);
}

test('a power change by the daemon, a lookup and a report reset the count of boots', async (t) => {
  const { daemon, uuid } = await waitingNode(t, {}, { driver_info: { lab_power: 'power on' } });
  const { services } = daemon;
  const path = `/v1/nodes/${uuid}/states/power`;
  services.db.nodes.update(uuid, { provision_state: 'manageable' });
  almostInCircles(services);
  await daemon.request('PUT', path, { body: { target: 'rebooting' } });
  await daemon.idle();
  almostInCircles(services);
  services.db.nodes.update(uuid, { provision_state: 'inspect wait' });
  assert.equal((await daemon.request('GET', `/v1/lookup?addresses=${MAC}`)).status, 200);
  almostInCircles(services);
  const inventory = {
    interfaces: [{ name: 'eth0', mac_address: MAC }],
    cpu: { count: 1, architecture: 'x86_64' },
    memory: { physical_mb: 1024 },
    disks: [],
  };
  const report = await daemon.request('POST', '/v1/continue_inspection', { body: { inventory } });
  assert.equal(report.status, 202, report.text);
  almostInCircles(services);
  await daemon.idle();
});
