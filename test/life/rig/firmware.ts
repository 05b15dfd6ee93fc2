// The kinds of firmware that a machine of the rig can have, as arguments of QEMU.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

export type FirmwareKind = 'bios' | 'uefi-pxe' | 'uefi-http' | 'uefi-ipv6' | 'uefi-secure-boot' | 'arm64';

export interface Firmware {
  readonly emulator: 'qemu-system-x86_64' | 'qemu-system-aarch64';
  /** Processor, board and flash. */
  readonly arguments: readonly string[];
  /** Whether the machine itself can reach its BMC. */
  readonly hasSystemInterface: boolean;
  /** Options of the network card: an empty romfile removes iPXE from the card, so that the firmware's own network boot is used. */
  readonly cardOptions: string;
}

const OVMF = '/usr/share/OVMF';
const AAVMF = '/usr/share/AAVMF';
const NO_IPXE = ',romfile=';
const variable = (name: string) => ['-fw_cfg', `name=opt/org.tianocore/${name},string=n`];

/** Returns the firmware of this kind. A machine with UEFI gets its own copy of the UEFI variables, in `folder`. */
export const firmwareFor = (kind: FirmwareKind, folder: string): Firmware => KINDS[kind](folder);

const KINDS: Readonly<Record<FirmwareKind, (folder: string) => Firmware>> = {
  bios: () => pc([], { cardOptions: '' }),
  'uefi-pxe': (folder) => uefi(folder, []),
  // without PXE, OVMF tries HTTP at once
  'uefi-http': (folder) => uefi(folder, [...variable('IPv4PXESupport'), ...variable('IPv6PXESupport')]),
  // PXE over IPv6 only
  'uefi-ipv6': (folder) => uefi(folder, variable('IPv4PXESupport')),
  'uefi-secure-boot': (folder) => {
    const more = [
      ['-global', 'driver=cfi.pflash01,property=secure,value=on'],
      ['-global', 'ICH9-LPC.disable_s3=1'],
      flash(folder, `${OVMF}/OVMF_CODE_4M.secboot.fd`, `${OVMF}/OVMF_VARS_4M.ms.fd`),
    ];
    return pc(more.flat(), { boardOptions: ',smm=on' });
  },
  arm64: (folder) => ({
    emulator: 'qemu-system-aarch64',
    arguments: [
      // an emulated newer processor would spend most of its time on pointer authentication
      '-cpu',
      'cortex-a57',
      '-machine',
      'virt',
      ...flash(folder, `${AAVMF}/AAVMF_CODE.fd`, `${AAVMF}/AAVMF_VARS.fd`),
    ],
    hasSystemInterface: false,
    cardOptions: NO_IPXE,
  }),
};

const uefi = (folder: string, more: readonly string[]): Firmware =>
  pc([...flash(folder, `${OVMF}/OVMF_CODE_4M.fd`, `${OVMF}/OVMF_VARS_4M.fd`), ...more]);

const pc = (more: readonly string[], { boardOptions = '', cardOptions = NO_IPXE } = {}): Firmware => ({
  emulator: 'qemu-system-x86_64',
  // emulated guests with five-level paging sometimes hang before the first line of the kernel
  arguments: ['-cpu', 'max,la57=off', '-machine', `q35,graphics=off${boardOptions}`, ...more],
  hasSystemInterface: true,
  cardOptions,
});

function flash(folder: string, code: string, variables: string): readonly string[] {
  const own = join(folder, 'variables.fd');
  copyFileSync(variables, own);
  return [
    ['-drive', `if=pflash,format=raw,readonly=on,file=${code}`],
    ['-drive', `if=pflash,format=raw,file=${own}`],
  ].flat();
}
