// From a machine of which only the BMC's address is known to its instance with one boot of the firmware: the ramdisk that has
// inspected and cleaned it writes the image and starts its kernel by kexec. Then an instance that asks for no address, and one whose
// kernel panics if kexec starts it.
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

export const MEMORY_MEBIBYTES = 2560;
export const SECONDS = 900;
/** The kernel and the ramdisk of the instance are small. */
const KEXEC_SECONDS = 120;
const STATIC_ADDRESS = '10.77.0.201/24';

export const kexecs: readonly Case[] = [
  { name: 'kexec-bios', run: (site) => deployByKexec(site, 'bios', 'bios') },
  { name: 'kexec-uefi', run: (site) => deployByKexec(site, 'uefi-pxe', 'uefi') },
  { name: 'kexec-panic', run: resetAfterPanic },
];

async function deployByKexec(site: Site, firmware: FirmwareKind, mode: 'bios' | 'uefi') {
  const image = await makeImage(site);
  await using web = await WebServer.listen(image);
  const machine = await site.addMachine(firmware, MEMORY_MEBIBYTES);
  const enrolment = await providedForKexec(site, { machine, mode, image });
  await enrolment.reach({ target: 'active', configdrive: drive(web, 'dhcp') }, 'active', SECONDS);
  const expected = { name: 'instance-1', mode, words: 'dhcp', file: '' };
  assert.deepEqual(await web.takeReport(SECONDS), { ...expected, kexec: true });
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
  assert.deepEqual(await web.takeReport(SECONDS), { ...ofSilent, kexec: true });
  assert.deepEqual(await web.takeReport(SECONDS), ofSilent);
  assert.equal(bootsOf(machine), 4);
  const { kexec_failure: failure = '' } = (await enrolment.node()).driver_internal_info;
  assert.match(failure, /asked for no address within 120 s/);
  return enrolment.timeline();
}

/** The same image boots through the firmware; started by kexec, it never says a word. */
async function resetAfterPanic(site: Site) {
  const image = await makeImage(site, 'panics_after_kexec');
  await using web = await WebServer.listen(image);
  const machine = await site.addMachine('uefi-pxe', MEMORY_MEBIBYTES);
  const enrolment = await providedForKexec(site, { machine, mode: 'uefi', image });
  const expected = { name: 'instance-1', mode: 'uefi', words: 'dhcp', file: '' };
  await enrolment.reach({ target: 'active', configdrive: drive(web, 'dhcp') }, 'active', SECONDS);
  assert.match(machine.console.text, /Kernel panic/);
  assert.deepEqual(await web.takeReport(SECONDS), expected);
  assert.equal(bootsOf(machine), 2);
  const { kexec_failure: failure = '' } = (await enrolment.node()).driver_internal_info;
  assert.match(failure, /asked for no address within 120 s/);
  const [reset = '', ...more] = await kexecEvents(enrolment);
  assert.deepEqual(more, []);
  assert.match(reset, /^does not run its instance after kexec: .* within 120 s .*; it is reset$/);

  // the machine is known for it: kexec is not tried again
  await enrolment.reach({ target: 'rebuild', configdrive: drive(web, 'dhcp') }, 'active', SECONDS);
  assert.deepEqual(await web.takeReport(SECONDS), expected);
  assert.equal(bootsOf(machine), 4);
  const [, why = '', ...others] = await kexecEvents(enrolment);
  assert.match(
    why,
    /^boots its instance through the firmware, not by kexec: it did not work on this machine/,
  );
  assert.deepEqual(others, []);
  return enrolment.timeline();
}

interface Machined {
  readonly machine: Machine;
  readonly mode: 'bios' | 'uefi';
  /** The file of the instance's disk image. */
  readonly image: string;
  /** Not set: iPXE. Otherwise the machine must be known by its card at its first boot, because iPXE is for unknown machines. */
  readonly bootInterface?: string;
  /** How long the instance has until it asks for an address. */
  readonly kexecSeconds?: number;
}

/** A machine that a daemon with kexec has inspected and made available with one boot, and whose ramdisk is kept. */
export async function providedForKexec(
  site: Site,
  { machine, mode, image, bootInterface, kexecSeconds = KEXEC_SECONDS }: Machined,
): Promise<Enrolment> {
  const { kernel, ramdisk } = site.images.agent;
  const daemon = await site.startDaemon({
    IRONIC_CONDUCTOR__DEPLOY_KERNEL: reference(kernel),
    IRONIC_CONDUCTOR__DEPLOY_RAMDISK: reference(ramdisk),
    IRONIC_AGENT__IMAGE_DOWNLOAD_SOURCE: 'local',
    // overwriting a whole emulated disk takes minutes
    IRONIC_DEPLOY__ERASE_DEVICES_PRIORITY: '0',
    IRONIC_DEPLOY__FAST_TRACK: 'true',
    IRONIC_INSPECTOR__POWER_OFF: 'false',
    IRONIC_DEPLOY__KEXEC: 'true',
    IRONIC_DEPLOY__KEXEC_TIMEOUT: String(kexecSeconds),
  });
  const enrolment = await Enrolment.of(daemon, machine, {
    properties: { capabilities: `boot_mode:${mode}` },
    boot_interface: bootInterface ?? 'ipxe',
    inspect_interface: 'agent',
    instance_info: imageAt(image),
  });
  if (bootInterface !== undefined) await enrolment.createPort(machine.mac);
  await enrolment.reach({ target: 'manage' }, 'manageable', SECONDS);
  await enrolment.reach({ target: 'inspect' }, 'manageable', SECONDS);
  await enrolment.reach({ target: 'provide' }, 'available', SECONDS);
  return enrolment;
}

/** What an instance says of its image, which is a file. */
export const imageAt = (file: string) => ({
  image_source: pathToFileURL(file).href,
  image_checksum: sha256Of(file),
});

/** What the timeline says of kexec, the oldest first. */
export const kexecEvents = async (enrolment: Enrolment): Promise<readonly string[]> =>
  (await enrolment.timeline()).map(({ text }) => text).filter((text) => text.includes('kexec'));

async function makeImage({ folder, images }: Site, parameters = ''): Promise<string> {
  const image = join(folder, 'instance.qcow2');
  const { kernel, ramdisk } = images.agent;
  makeDiskImage(image, { kernel, ramdisk: await instanceRamdisk(ramdisk), parameters });
  return image;
}

export const bootsOf = ({ marks }: Machine): number => bootsBetween(marks, 0, Number.POSITIVE_INFINITY);

const drive = ({ reportUrl }: WebServer, address: string) => ({
  meta_data: { name: 'instance-1', address, report_url: reportUrl },
  user_data: address,
  network_data: { links: [], networks: [], services: [] },
});
