import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InProcessDaemon } from '../../../fakes/daemon/in-process-daemon.ts';
import { MAC, waitingNode } from '../../../ramdisk-callback/waiting-node.ts';

/** Counts four boots of the machine; a fifth would be a boot loop. */
async function almostInCircles({ clock, services: { bootLoops } }: InProcessDaemon): Promise<void> {
  const client = { mac: MAC, stage: 'bios', firmware: 'bios', architecture: 'x86_64' } as const;
  for (let boot = 0; boot < 4; boot += 1) {
    assert.equal(bootLoops.countReply({ client, file: 'undionly.kpxe' }), undefined);
    await clock.advance(20_000);
  }
}

test('a power change by the daemon, a lookup and a report reset the count of boots', async (t) => {
  const { daemon, uuid } = await waitingNode(t, {}, { driver_info: { lab_power: 'power on' } });
  const { services } = daemon;
  const path = `/v1/nodes/${uuid}/states/power`;
  services.db.nodes.update(uuid, { provision_state: 'manageable' });
  await almostInCircles(daemon);
  await daemon.request('PUT', path, { body: { target: 'rebooting' } });
  await daemon.idle();
  await almostInCircles(daemon);
  services.db.nodes.update(uuid, { provision_state: 'inspect wait' });
  assert.equal((await daemon.request('GET', `/v1/lookup?addresses=${MAC}`)).status, 200);
  await almostInCircles(daemon);
  const inventory = {
    interfaces: [{ name: 'eth0', mac_address: MAC }],
    cpu: { count: 1, architecture: 'x86_64' },
    memory: { physical_mb: 1024 },
    disks: [],
  };
  const report = await daemon.request('POST', '/v1/continue_inspection', { body: { inventory } });
  assert.equal(report.status, 202, report.text);
  await almostInCircles(daemon);
  await daemon.idle();
});
