// A network boot with each kind of firmware, into the ramdisk that reports how its machine booted.
import assert from 'node:assert/strict';
import type { Hop } from '../../../daemon/model/records/machine-event.ts';
import type { Case } from '../case.ts';
import { Enrolment } from '../enrolment.ts';
import type { FirmwareKind } from '../rig/firmware.ts';
import { unseen } from '../phases.ts';
import { API_URL } from '../site.ts';

interface NetworkBoot {
  readonly name: string;
  readonly firmware: FirmwareKind;
  /** Of an unknown machine the daemon chooses iPXE, whatever the firmware. */
  readonly loader?: string;
  /** The protocols that bring files to the machine. */
  readonly hops: readonly Hop[];
  readonly reported: { readonly current_boot_mode: 'bios' | 'uefi'; readonly secure_boot: boolean };
}

const BIOS = { current_boot_mode: 'bios', secure_boot: false } as const;
const UEFI = { current_boot_mode: 'uefi', secure_boot: false } as const;

const boots: readonly NetworkBoot[] = [
  // the network card's ROM is iPXE
  { name: 'bios-ipxe', firmware: 'bios', hops: ['dhcp', 'http'], reported: BIOS },
  { name: 'bios-pxelinux', firmware: 'bios', loader: 'pxelinux.0', hops: ['tftp'], reported: BIOS },
  { name: 'uefi-pxe', firmware: 'uefi-pxe', hops: ['dhcp', 'tftp', 'http'], reported: UEFI },
  { name: 'uefi-http', firmware: 'uefi-http', hops: ['dhcp', 'http'], reported: UEFI },
  {
    name: 'secure-boot',
    firmware: 'uefi-secure-boot',
    loader: 'bootx64.efi',
    hops: ['tftp'],
    reported: { current_boot_mode: 'uefi', secure_boot: true },
  },
];

const BOOT_SECONDS = 240;
const MEMORY_MEBIBYTES = 1024;

export const networkBoots: readonly Case[] = boots.map(({ name, firmware, loader, hops, reported }) => ({
  name,
  async run(site) {
    const machine = await site.installMachine(firmware, MEMORY_MEBIBYTES);
    const parameters = `console=ttyS0 ipa-inspection-callback-url=${API_URL}/v1/continue_inspection rig-bmc=${machine.bmcAddress}`;
    const serving = await site.serve({ ...site.images.tiny, ...(loader && { loader }), parameters });
    const daemon = await site.startDaemon(serving);
    const enrolment = await Enrolment.of(daemon, machine);
    await enrolment.reach('manage', 'manageable', 60);
    await enrolment.reach('inspect', 'manageable', BOOT_SECONDS);
    assert.deepEqual(await enrolment.portAddresses(), [machine.mac]);
    const { boot } = await enrolment.inventory();
    assert.deepEqual(boot, { ...reported, pxe_interface: machine.mac });
    const events = await enrolment.seen();
    assert.deepEqual(unseen(events, ['power', ...hops, 'inspection']), []);
    return events;
  },
}));
