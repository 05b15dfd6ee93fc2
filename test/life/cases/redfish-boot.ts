// Boots from CD images through OpenStack's Redfish emulator, into the ramdisk that reports how its machine booted.
import assert from 'node:assert/strict';
import type { Case } from '../case.ts';
import { Enrolment } from '../enrolment.ts';
import { unseen } from '../phases.ts';
import { reference, type Site } from '../site.ts';

const BOOT_SECONDS = 400;
const MEMORY_MEBIBYTES = 1024;

interface RedfishBoot {
  readonly firmware: 'bios' | 'uefi';
  readonly bootInterface: 'redfish-virtual-media' | 'redfish-https';
  /** What Secure Boot is set to before each boot; if missing, the machine boots once and Secure Boot stays off. */
  readonly secureBoot?: readonly boolean[];
}

const boots: Readonly<Record<string, RedfishBoot>> = {
  'redfish-media-bios': { firmware: 'bios', bootInterface: 'redfish-virtual-media' },
  'redfish-https': { firmware: 'uefi', bootInterface: 'redfish-https' },
  'redfish-secure-boot': {
    firmware: 'uefi',
    bootInterface: 'redfish-virtual-media',
    secureBoot: [true, false],
  },
};

export const redfishBoots: readonly Case[] = Object.entries(boots).map(([name, boot]) => ({
  name,
  run: (site) => booted(site, boot),
}));

async function booted(site: Site, { firmware, bootInterface, secureBoot = [] }: RedfishBoot) {
  const { kernel, ramdisk } = site.images.reporting;
  const machine = await site.addRedfishMachine(firmware, MEMORY_MEBIBYTES);
  const daemon = await site.startDaemon();
  const enrolment = await Enrolment.of(daemon, machine, {
    boot_interface: bootInterface,
    inspect_interface: 'agent',
    properties: { capabilities: `boot_mode:${firmware}` },
    driver_info: { deploy_kernel: reference(kernel), deploy_ramdisk: reference(ramdisk) },
  });
  await enrolment.createPort(machine.mac);
  await enrolment.reach({ target: 'manage' }, 'manageable', 60);
  const inspect = async (isSecure: boolean) => {
    await enrolment.reach({ target: 'inspect' }, 'manageable', BOOT_SECONDS);
    const { boot } = await enrolment.inventory();
    const expected = { current_boot_mode: firmware, secure_boot: isSecure, pxe_interface: machine.mac };
    assert.deepEqual(boot, expected);
  };
  if (secureBoot.length === 0) await inspect(false);
  for (const wanted of secureBoot) {
    await enrolment.setSecureBoot(wanted);
    await inspect(wanted);
  }
  const events = await enrolment.timeline();
  assert.deepEqual(unseen(events, ['power', 'dhcp', 'inspection']), []);
  return events;
}
