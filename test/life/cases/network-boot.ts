// A network boot with each kind of firmware, into the ramdisk that reports how its machine booted.
import assert from 'node:assert/strict';
import type { Hop, MachineEvent } from '../../../daemon/model/records/machine-event.ts';
import type { Environment } from '../../fakes/daemon/daemon-process.ts';
import type { Case } from '../case.ts';
import { Enrolment } from '../enrolment.ts';
import { unseen } from '../phases.ts';
import type { FirmwareKind } from '../rig/firmware.ts';
import { type Images, reference } from '../site.ts';

interface NetworkBoot {
  readonly name: string;
  readonly firmware: FirmwareKind;
  readonly bootInterface: 'ipxe' | 'pxe' | 'http-ipxe' | 'http';
  readonly capabilities: string;
  /** The protocols that bring files to the machine. */
  readonly hops: readonly Hop[];
  readonly reported: { readonly current_boot_mode: 'bios' | 'uefi'; readonly secure_boot: boolean };
  /** Whether the boot loaders of Debian 13 are used instead of the host's. */
  readonly isDebian13?: true;
  readonly architecture: 'x86_64' | 'aarch64';
  /** iPXE in the card's ROM fetches over HTTP at once: little time may pass from the first DHCP request to the first file. */
  readonly isIpxeRom?: true;
}

const BIOS = {
  architecture: 'x86_64',
  firmware: 'bios',
  capabilities: 'boot_mode:bios',
  reported: { current_boot_mode: 'bios', secure_boot: false },
} as const;
const UEFI = {
  architecture: 'x86_64',
  capabilities: 'boot_mode:uefi',
  reported: { current_boot_mode: 'uefi', secure_boot: false },
} as const;
const ARM64 = {
  ...UEFI,
  firmware: 'arm64',
  architecture: 'aarch64',
  isDebian13: true,
} as const;
const SECURE_BOOT = {
  architecture: 'x86_64',
  firmware: 'uefi-secure-boot',
  capabilities: 'boot_mode:uefi,secure_boot:true',
  reported: { current_boot_mode: 'uefi', secure_boot: true },
} as const;

const boots: readonly NetworkBoot[] = [
  // in both BIOS boots, also in the one with pxelinux, the ROM of the machine's network card is iPXE
  { ...BIOS, name: 'bios-ipxe', bootInterface: 'ipxe', hops: ['http'], isIpxeRom: true },
  { ...BIOS, name: 'bios-pxelinux', bootInterface: 'pxe', hops: ['tftp'] },
  { ...UEFI, name: 'uefi-pxe', firmware: 'uefi-pxe', bootInterface: 'ipxe', hops: ['tftp', 'http'] },
  { ...UEFI, name: 'uefi-http', firmware: 'uefi-http', bootInterface: 'http-ipxe', hops: ['http'] },
  // Debian 12's GRUB has no HTTP client
  {
    ...UEFI,
    name: 'grub-http',
    firmware: 'uefi-http',
    bootInterface: 'http',
    isDebian13: true,
    hops: ['http'],
  },
  { ...ARM64, name: 'arm64', bootInterface: 'ipxe', hops: ['tftp', 'http'] },
  { ...ARM64, name: 'arm64-grub', bootInterface: 'pxe', hops: ['tftp'] },
  { ...SECURE_BOOT, name: 'secure-boot', bootInterface: 'pxe', hops: ['tftp'] },
];

const BOOT_SECONDS = 240;
const MEMORY_MEBIBYTES = 1024;

export const networkBoots: readonly Case[] = boots.map((boot) => ({
  name: boot.name,
  async run(site) {
    const isArm64 = boot.architecture === 'aarch64';
    const { kernel, ramdisk } = site.images[isArm64 ? 'reportingArm64' : 'reporting'];
    const machine = await site.addMachine(boot.firmware, MEMORY_MEBIBYTES);
    const daemon = await site.startDaemon(boot.isDebian13 === true ? loadersOf(site.images) : {});
    const enrolment = await Enrolment.of(daemon, machine, {
      boot_interface: boot.bootInterface,
      properties: { capabilities: boot.capabilities },
      driver_info: {
        deploy_kernel: reference(kernel),
        deploy_ramdisk: reference(ramdisk),
        ...(isArm64 && { kernel_append_params: 'console=ttyAMA0' }),
      },
    });
    await enrolment.createPort(machine.mac);
    await enrolment.reach({ target: 'manage' }, 'manageable', 60);
    await enrolment.reach({ target: 'inspect' }, 'manageable', BOOT_SECONDS);
    const { boot: reported, cpu } = await enrolment.inventory();
    assert.deepEqual(reported, { ...boot.reported, pxe_interface: machine.mac });
    assert.equal(cpu?.['architecture'], boot.architecture);
    const events = await enrolment.timeline();
    assert.deepEqual(unseen(events, ['power', 'dhcp', ...boot.hops, 'inspection']), []);
    if (boot.isIpxeRom === true) assert.ok(untilFirstGet(events) <= 1000, `${untilFirstGet(events)} ms`);
    return events;
  },
}));

/** The milliseconds from the first DHCP request until the first file over HTTP has been sent. */
function untilFirstGet(events: readonly MachineEvent[]): number {
  const at = (hop: Hop) => Date.parse(events.find((event) => event.hop === hop)?.at ?? '');
  return at('http') - at('dhcp');
}

const loadersOf = ({ loaders }: Images): Environment => ({
  IRONIC_PXE__LOADER_FILE_PATHS: Object.entries(loaders)
    .map((loader) => loader.join(':'))
    .join(','),
});
