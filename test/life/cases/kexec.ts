// From a machine of which only the BMC's address is known to its instance with one boot of the firmware: the ramdisk that has
// inspected and cleaned it writes the image and starts its kernel by kexec. Then an instance that asks for no address.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Case } from '../case.ts';
import { Enrolment } from '../enrolment.ts';
import { makeDiskImage } from '../rig/disk-image.ts';
import type { FirmwareKind } from '../rig/firmware.ts';
import type { Machine } from '../rig/machine.ts';
import { instanceRamdisk } from '../rig/small-ramdisk.ts';
import { WebServer } from '../rig/web-server.ts';
import { reference, sha256Of, type Site } from '../site.ts';
import { bootsBetween } from '../who-works.ts';

const MEMORY_MEBIBYTES = 2560;
const SECONDS = 900;
/** The kernel and the ramdisk of the instance are small. */
const KEXEC_SECONDS = 120;
const STATIC_ADDRESS = '10.77.0.201/24';

export const kexecs: readonly Case[] = [
  { name: 'kexec-bios', run: (site) => deployByKexec(site, 'bios', 'bios') },
  { name: 'kexec-uefi', run: (site) => deployByKexec(site, 'uefi-pxe', 'uefi') },
];

async function deployByKexec(site: Site, firmware: FirmwareKind, mode: 'bios' | 'uefi') {
  const { folder, images } = site;
  const { kernel, ramdisk } = images.agent;
  const image = join(folder, 'instance.qcow2');
  makeDiskImage(image, { kernel, ramdisk: await instanceRamdisk(ramdisk) });
  await using web = await WebServer.listen(image);
  const machine = await site.addMachine(firmware, MEMORY_MEBIBYTES);
  const daemon = await site.startDaemon({
    IRONIC_CONDUCTOR__DEPLOY_KERNEL: reference(kernel),
    IRONIC_CONDUCTOR__DEPLOY_RAMDISK: reference(ramdisk),
    IRONIC_AGENT__IMAGE_DOWNLOAD_SOURCE: 'local',
    // overwriting a whole emulated disk takes minutes
    IRONIC_DEPLOY__ERASE_DEVICES_PRIORITY: '0',
    IRONIC_DEPLOY__FAST_TRACK: 'true',
    IRONIC_INSPECTOR__POWER_OFF: 'false',
    IRONIC_DEPLOY__KEXEC: 'true',
    IRONIC_DEPLOY__KEXEC_TIMEOUT: String(KEXEC_SECONDS),
  });
  const enrolment = await Enrolment.of(daemon, machine, {
    properties: { capabilities: `boot_mode:${mode}` },
    boot_interface: 'ipxe',
    inspect_interface: 'agent',
    instance_info: { image_source: pathToFileURL(image).href, image_checksum: sha256Of(image) },
  });
  await enrolment.reach({ target: 'manage' }, 'manageable', SECONDS);
  await enrolment.reach({ target: 'inspect' }, 'manageable', SECONDS);
  await enrolment.reach({ target: 'provide' }, 'available', SECONDS);
  await enrolment.reach({ target: 'active', configdrive: drive(web, 'dhcp') }, 'active', SECONDS);
  const expected = { name: 'instance-1', mode, words: 'dhcp', file: '' };
  assert.deepEqual(await web.takeReport(SECONDS), expected);
  assert.equal(bootsOf(machine), 1);
  assert.equal((await enrolment.node()).driver_internal_info.kexec_failure, undefined);

  // the next boot is an ordinary one, from the disk
  await enrolment.power('rebooting');
  assert.deepEqual(await web.takeReport(SECONDS), expected);
  assert.equal(bootsOf(machine), 2);

  const silent = { target: 'rebuild', configdrive: drive(web, STATIC_ADDRESS) };
  await enrolment.reach(silent, 'active', SECONDS);
  const ofSilent = { ...expected, words: STATIC_ADDRESS };
  // it ran by kexec, then was reset
  assert.deepEqual(await web.takeReport(SECONDS), ofSilent);
  assert.deepEqual(await web.takeReport(SECONDS), ofSilent);
  assert.equal(bootsOf(machine), 4);
  const { kexec_failure: failure = '' } = (await enrolment.node()).driver_internal_info;
  assert.match(failure, /asked for no address within 120 s/);
  return enrolment.timeline();
}

const bootsOf = ({ marks }: Machine): number => bootsBetween(marks, 0, Number.POSITIVE_INFINITY);

const drive = ({ reportUrl }: WebServer, address: string) => ({
  meta_data: { name: 'instance-1', address, report_url: reportUrl },
  user_data: address,
  network_data: { links: [], networks: [], services: [] },
});
