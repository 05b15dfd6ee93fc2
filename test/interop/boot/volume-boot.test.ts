// A machine without a disk boots from an iSCSI volume: the iPXE of an emulated machine, a real target with a login (CHAP), and the
// daemon, which has deployed the node.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Daemon } from '../../../daemon/main.ts';
import { callApi } from '../../fakes/clients/api-call.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';
import {
  bootSectorThatSays,
  screenOfNetworkBoot,
  withoutQemu,
} from '../../fakes/machines/network-booting-machine.ts';
import { freePort, startIscsiTarget } from '../../fakes/services/iscsi-target.ts';
import { skipWithout } from '../../setup/packages.ts';

const MAC = '52:54:00:12:34:56';
const SAYS = 'VOLUME BOOTED';
/** Characters that iPXE would interpret. */
const LOGIN = { username: 'machine ${net0/mac}', password: 'sec||ret #1 && ${x}' };

/** A disk whose boot sector writes SAYS to the first serial port and halts. */
function bootableDisk(): Buffer {
  const disk = bootSectorThatSays(SAYS, 16_777_216);
  disk.writeUInt16LE(0xaa55, 510);
  return disk;
}

/** Boots a machine without a disk; resolves to what its screen has shown when that contains `text`. */
async function boot(t: TestContext, daemon: Daemon, text: string): Promise<string> {
  const network = `user,model=e1000,mac=${MAC},bootfile=${daemon.services.networkBoots.httpUrl}/boot.ipxe`;
  const screen = await screenOfNetworkBoot(t, network, text);
  assert.ok(screen.includes(text), screen);
  return screen;
}

async function site(t: TestContext): ReturnType<typeof startListening> {
  const folder = mkdtempSync(path.join(tmpdir(), 'ramdisks-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['kernel', 'ramdisk']) writeFileSync(path.join(folder, name), name);
  const port = await freePort();
  return startListening(t, {
    environment: {
      IRONIC_BOOT_HTTP__PORT: String(port),
      IRONIC_BOOT_HTTP__HOST_IP: '127.0.0.1',
      // this host, as the emulated machine sees it
      IRONIC_DEPLOY__HTTP_URL: `http://10.0.2.2:${port}`,
      IRONIC_CONDUCTOR__FILE_URL_ALLOWED_PATHS: folder,
      IRONIC_CONDUCTOR__DEPLOY_KERNEL: `file://${folder}/kernel`,
      IRONIC_CONDUCTOR__DEPLOY_RAMDISK: `file://${folder}/ramdisk`,
      IRONIC_DEFAULT__ENABLED_BOOT_INTERFACES: 'ipxe,fake',
      IRONIC_DEFAULT__ENABLED_DEPLOY_INTERFACES: 'direct,fake',
      IRONIC_DEFAULT__ENABLED_STORAGE_INTERFACES: 'noop,external',
    },
  });
}

/** Requests the work, which must end in the state. */
async function provision(daemon: Daemon, uuid: string, target: string, state: string): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    daemon.services.transitions.stored.add((node) => {
      if (node.uuid !== uuid) return;
      if (node.provision_state === state) resolve();
      else if (node.last_error !== null) reject(new Error(node.last_error));
    });
  });
  await callApi(daemon, 'PUT', `nodes/${uuid}/states/provision`, { target });
  await ended;
}

test(
  'a machine without a disk boots from its volume at every boot while the node is active, and a wrong login is in the timeline',
  {
    skip: withoutQemu || skipWithout('tgt'),
  },
  async (t) => {
    const target = await startIscsiTarget(t, { ...LOGIN, content: bootableDisk(), lun: 11 });
    const daemon = await site(t);
    const { uuid = '' } = await callApi(daemon, 'POST', 'nodes', {
      driver: 'fake-hardware',
      name: 'diskless',
      automated_clean: false,
      boot_interface: 'ipxe',
      deploy_interface: 'direct',
      storage_interface: 'external',
      properties: { capabilities: 'boot_mode:bios' },
    });
    await callApi(daemon, 'POST', 'ports', { node_uuid: uuid, address: MAC });
    await callApi(daemon, 'POST', 'volume/connectors', {
      node_uuid: uuid,
      type: 'iqn',
      connector_id: 'iqn.2026-01.example:diskless',
    });
    const properties = {
      // nobody listens at the first portal
      target_portals: ['10.0.2.2:1', `10.0.2.2:${target.port}`],
      target_iqn: target.name,
      target_lun: String(target.lun),
      auth_method: 'CHAP',
      auth_username: LOGIN.username,
      auth_password: LOGIN.password,
    };
    const volume = await callApi(daemon, 'POST', 'volume/targets', {
      node_uuid: uuid,
      volume_type: 'iscsi',
      volume_id: 'disk-1',
      boot_index: 0,
      properties,
    });
    const other = await callApi(daemon, 'POST', 'volume/targets', {
      node_uuid: uuid,
      volume_type: 'iscsi',
      volume_id: 'disk-2',
      boot_index: 1,
      properties,
    });
    await provision(daemon, uuid, 'manage', 'manageable');
    await provision(daemon, uuid, 'provide', 'available');
    await provision(daemon, uuid, 'active', 'active');
    const first = await boot(t, daemon, SAYS);
    assert.match(first, /ironic-edge: deploying diskless/);
    assert.match(first, /Registered SAN device 0x81/);
    await boot(t, daemon, SAYS);

    await callApi(daemon, 'PUT', `nodes/${uuid}/states/power`, { target: 'power off' });
    for (const changed of [volume, other])
      await callApi(daemon, 'PATCH', `volume/targets/${changed['uuid']}`, [
        { op: 'replace', path: '/properties/auth_password', value: 'another secret' },
        // with two ways, iPXE says why the first one failed
        { op: 'remove', path: '/properties/target_portals/0' },
      ]);
    await provision(daemon, uuid, 'rebuild', 'active');
    const screen = await boot(t, daemon, 'The boot failed; trying again.');
    assert.match(screen, /Could not open SAN device: Operation not permitted/);
    daemon.services.timeline.flush();
    const events = daemon.services.db.machineEvents.ofMachine('127.0.0.1', { since: 0, limit: 100 });
    const failure = events.find(({ failed }) => failed);
    assert.match(failure?.text ?? '', /^could not boot from its volume and tries again: /);
    for (const secret of [LOGIN.password, 'another secret']) assert.ok(!daemon.log().includes(secret));

    await provision(daemon, uuid, 'deleted', 'available');
    assert.equal(daemon.services.db.volumeTargets.get(volume['uuid'] ?? ''), undefined);
    assert.equal((await callApi(daemon, 'GET', 'volume/connectors'))['connectors']?.length, 1);
    const base = `http://127.0.0.1:${new URL(daemon.services.networkBoots.httpUrl ?? '').port}`;
    assert.equal((await fetch(`${base}/ipxe/${MAC.replaceAll(':', '-')}`)).status, 404);
  },
);
