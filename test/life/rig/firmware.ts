// The kinds of firmware that a machine of the rig can have, as arguments of QEMU.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

export type FirmwareKind = 'bios' | 'uefi-pxe' | 'uefi-http' | 'uefi-secure-boot';

export interface Firmware {
  readonly arguments: readonly string[];
  readonly machineOptions: string;
  /** Options of the network card; an empty romfile leaves the firmware's own PXE client, where the other ROM is iPXE. */
  readonly cardOptions: string;
}

const OVMF = '/usr/share/OVMF';
const NO_IPXE = ',romfile=';
const variable = (name: string) => ['-fw_cfg', `name=opt/org.tianocore/${name},string=n`];

/** UEFI variables are a copy in `folder`. */
export const firmwareFor = (kind: FirmwareKind, folder: string): Firmware => KINDS[kind](folder);

const KINDS: Readonly<Record<FirmwareKind, (folder: string) => Firmware>> = {
  bios: () => ({ arguments: [], machineOptions: '', cardOptions: '' }),
  'uefi-pxe': (folder) => uefi(folder, []),
  // without PXE, OVMF tries HTTP at once
  'uefi-http': (folder) => uefi(folder, [...variable('IPv4PXESupport'), ...variable('IPv6PXESupport')]),
  'uefi-secure-boot': (folder) => ({
    arguments: [
      ['-global', 'driver=cfi.pflash01,property=secure,value=on'],
      ['-global', 'ICH9-LPC.disable_s3=1'],
      flash(folder, 'OVMF_CODE_4M.secboot.fd', 'OVMF_VARS_4M.ms.fd'),
    ].flat(),
    machineOptions: ',smm=on',
    cardOptions: NO_IPXE,
  }),
};

const uefi = (folder: string, more: readonly string[]): Firmware => ({
  arguments: [...flash(folder, 'OVMF_CODE_4M.fd', 'OVMF_VARS_4M.fd'), ...more],
  machineOptions: '',
  cardOptions: NO_IPXE,
});

function flash(folder: string, code: string, variables: string): readonly string[] {
  const own = join(folder, 'variables.fd');
  copyFileSync(join(OVMF, variables), own);
  return [
    ['-drive', `if=pflash,format=raw,readonly=on,file=${join(OVMF, code)}`],
    ['-drive', `if=pflash,format=raw,file=${own}`],
  ].flat();
}
