// The life of a machine without a disk: inspection, cleaning, an instance on an iSCSI volume that asks for a login (CHAP), a reboot,
// and cleaning again, after which the machine no longer boots from the volume. With UEFI, nothing is inspected and cleaned.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startIscsiTarget } from '../../fakes/services/iscsi-target.ts';
import type { Case } from '../case.ts';
import { type Api, Enrolment, expectSuccess } from '../enrolment.ts';
import { makeDiskImage } from '../rig/disk-image.ts';
import type { FirmwareKind } from '../rig/firmware.ts';
import { HOST } from '../rig/network.ts';
import { volumeRamdisk } from '../rig/small-ramdisk.ts';
import { WebServer } from '../rig/web-server.ts';
import { reference, type Site } from '../site.ts';

const MEMORY_MEBIBYTES = 2560;
const SECONDS = 900;
const INITIATOR = 'iqn.2026-01.example:machine';
/** Characters that iPXE would interpret. */
const LOGIN = { username: 'machine ${net0/mac}', password: 'sec||ret #1 && ${x}' };

export const volumeLives: readonly Case[] = [
  {
    name: 'volume-bios',
    run: (site) => lifeOnVolume(site, { firmware: 'bios', mode: 'bios', isCleaned: true }),
  },
  {
    name: 'volume-uefi',
    run: (site) => lifeOnVolume(site, { firmware: 'uefi-pxe', mode: 'uefi', isCleaned: false }),
  },
];

interface Life {
  readonly firmware: FirmwareKind;
  readonly mode: 'bios' | 'uefi';
  /** Whether the machine boots the ramdisk, which inspects and cleans it. */
  readonly isCleaned: boolean;
}

async function lifeOnVolume(site: Site, { firmware, mode, isCleaned }: Life) {
  const { kernel, ramdisk } = site.images.agent;
  const image = join(site.folder, 'volume.raw');
  await using started = new AsyncDisposableStack();
  const web = started.use(await WebServer.listen(image));
  makeDiskImage(
    image,
    {
      kernel,
      ramdisk: await volumeRamdisk(ramdisk, site.images.iscsistart),
      parameters: `report_url=${web.reportUrl}`,
    },
    'raw',
  );
  const after = (stop: () => void) => started.defer(stop);
  const volume = { ...LOGIN, address: HOST, content: readFileSync(image), lun: 11 };
  const target = await startIscsiTarget({ after }, volume);
  const machine = await site.addMachine(firmware, MEMORY_MEBIBYTES, 0);
  const daemon = await site.startDaemon({
    IRONIC_CONDUCTOR__DEPLOY_KERNEL: reference(kernel),
    IRONIC_CONDUCTOR__DEPLOY_RAMDISK: reference(ramdisk),
    IRONIC_DEFAULT__ENABLED_STORAGE_INTERFACES: 'noop,external',
    IRONIC_DEPLOY__FAST_TRACK: 'true',
    IRONIC_INSPECTOR__POWER_OFF: 'false',
  });
  const enrolment = await Enrolment.of(daemon, machine, {
    properties: { capabilities: `boot_mode:${mode}` },
    boot_interface: 'ipxe',
    inspect_interface: 'agent',
    deploy_interface: 'direct',
    storage_interface: 'external',
    automated_clean: isCleaned,
  });
  await enrolment.reach({ target: 'manage' }, 'manageable', SECONDS);
  if (isCleaned) {
    await enrolment.reach({ target: 'inspect' }, 'manageable', SECONDS);
    assert.deepEqual((await enrolment.inventory())['disks'], []);
  } else await enrolment.createPort(machine.mac);
  await enrolment.reach({ target: 'provide' }, 'available', SECONDS);

  await connectVolume(daemon, enrolment.uuid, {
    target_portal: `${HOST}:${target.port}`,
    target_iqn: target.name,
    target_lun: String(target.lun),
    auth_method: 'CHAP',
    auth_username: LOGIN.username,
    auth_password: LOGIN.password,
  });
  await enrolment.reach({ target: 'active' }, 'active', SECONDS);
  const expected = { mode, initiator: INITIATOR, target: target.name, model: 'VIRTUAL-DISK' };
  assert.deepEqual(await web.takeReport(SECONDS), { ...expected, boots: 1 });
  await enrolment.power('rebooting');
  assert.deepEqual(await web.takeReport(SECONDS), { ...expected, boots: 2 });

  const before = target.content();
  await enrolment.reach({ target: 'deleted' }, 'available', SECONDS);
  type Targets = { readonly targets: readonly unknown[] };
  const { targets } = await expectSuccess<Targets>(daemon, 'GET', '/v1/volume/targets');
  assert.deepEqual(targets, []);
  const shown = machine.console.text.length;
  await enrolment.power('rebooting');
  // with fast track, the ramdisk that has cleaned the machine stays ready for it
  const booted = isCleaned ? 'cleaning machine-' : 'inspection of a machine without a node';
  await machine.console.written(`ironic-edge: ${booted}`, SECONDS, shown);
  assert.ok(before.equals(target.content()), 'cleaning or a boot after it has changed the volume');
  return enrolment.timeline();
}

async function connectVolume(api: Api, node: string, properties: object): Promise<void> {
  await expectSuccess(api, 'POST', '/v1/volume/connectors', {
    node_uuid: node,
    type: 'iqn',
    connector_id: INITIATOR,
  });
  await expectSuccess(api, 'POST', '/v1/volume/targets', {
    node_uuid: node,
    volume_type: 'iscsi',
    volume_id: 'disk-1',
    boot_index: 0,
    properties,
  });
}
