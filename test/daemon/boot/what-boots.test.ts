import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BootingNode } from '../../../daemon/boot/boot-choice.ts';
import type { Client } from '../../../daemon/boot/dhcp/client.ts';
import { createNetworkBoots } from '../../../daemon/boot/network-boots.ts';
import { createServedFiles } from '../../../daemon/boot/served-files.ts';
import { publishUnknownBoot } from '../../../daemon/boot/start-files.ts';
import { expectsUnknown, whatBoots } from '../../../daemon/boot/what-boots.ts';
import { type InProcessDaemon, startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

const URL = 'http://10.0.0.1:8080';
const client: Client = { mac: '52:54:00:00:00:01', stage: 'ipxe', firmware: 'uefi', architecture: 'x86_64' };
const boot = { protocol: 'ipxe', title: 't', kernel: '/k', ramdisk: null, commandLine: '' } as const;

function siteOf({ services: { db } }: InProcessDaemon) {
  const served = createServedFiles();
  const networkBoots = createNetworkBoots(db, served);
  networkBoots.serveFrom(URL);
  const bootOf = (node: BootingNode | undefined) =>
    whatBoots(
      { client, node, serverAddress: '10.0.0.1' },
      { networkBoots, served, nodes: db.nodes, fastTrack: false },
    );
  return { served, networkBoots, bootOf };
}

test('a node boots what was prepared for it, over the protocol of that boot, and otherwise nothing', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const node = { uuid, secureBoot: false };
  const { networkBoots, bootOf } = siteOf(daemon);
  assert.equal(bootOf(node), undefined);
  networkBoots.set(uuid, boot);
  assert.deepEqual(bootOf(node), { kind: 'http', url: `${URL}/boot.ipxe` });
  networkBoots.set(uuid, { ...boot, protocol: 'pxe' });
  assert.deepEqual(bootOf(node), { kind: 'tftp', file: 'bootx64.efi' });
  networkBoots.clear(uuid);
  assert.equal(bootOf(node), undefined);
});

test('a node for which a plugin has set DHCP options boots what they name, unless a boot was prepared', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const { networkBoots, bootOf } = siteOf(daemon);
  const dhcp_options = [{ name: 'bootfile-name', value: 'http://10.0.0.9/vendor.ipxe', client: null }];
  daemon.services.db.nodes.update(uuid, { driver_internal_info: { dhcp_options } });
  const node = { uuid, secureBoot: false };
  assert.deepEqual(bootOf(node), { kind: 'http', url: 'http://10.0.0.9/vendor.ipxe' });
  networkBoots.set(uuid, boot);
  assert.deepEqual(bootOf(node), { kind: 'http', url: `${URL}/boot.ipxe` });
});

test('the machine of an idle node with fast track boots the ramdisk of unknown machines, if one is served', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver_info: { fast_track: true } });
  const { served, bootOf } = siteOf(daemon);
  const node = { uuid, secureBoot: false };
  assert.equal(bootOf(node), undefined);
  publishUnknownBoot(served, boot, URL);
  assert.deepEqual(bootOf(node), { kind: 'http', url: `${URL}/boot.ipxe` });
  daemon.services.db.nodes.update(uuid, { provision_state: 'active' });
  assert.equal(bootOf(node), undefined);
});

test('a machine without a node boots the ramdisk of unknown machines, if one is served', async (t) => {
  const { served, bootOf } = siteOf(await startInProcess(t));
  assert.equal(bootOf(undefined), undefined);
  publishUnknownBoot(served, boot, URL);
  assert.deepEqual(bootOf(undefined), { kind: 'http', url: `${URL}/boot.ipxe` });
});

test('machines without a node are expected while a node waits for inspection data, with auto-discovery, and with zero touch', async (t) => {
  const daemon = await startInProcess(t);
  const { services } = daemon;
  const off = { auto_discovery: { enabled: false }, zero_touch: { bmc_networks: [] } };
  const { uuid } = await daemon.createNode();
  assert.equal(expectsUnknown(off, services.db), false);
  services.db.nodes.update(uuid, { provision_state: 'inspect wait' });
  assert.equal(expectsUnknown(off, services.db), true);
  services.db.nodes.update(uuid, { provision_state: 'manageable' });
  assert.equal(expectsUnknown(off, services.db), false);
  for (const on of [
    { auto_discovery: { enabled: true } },
    { zero_touch: { bmc_networks: ['192.0.2.0/24'] } },
  ])
    assert.equal(expectsUnknown({ ...off, ...on }, services.db), true);
});
