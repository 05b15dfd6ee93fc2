// Boot loaders from the packages of the host's distribution. The daemon itself contains none.
import { statSync } from 'node:fs';
import type { ServedNames } from './served-files.ts';

export interface Loader {
  /** The name under which machines fetch the loader. */
  readonly name: string;
  /**
   * The Debian package that contains the loader. The package's architecture or release follows in parentheses if other packages of
   * the same name lack the loader.
   */
  readonly package: string;
  /** Where the package may have put the loader; the first file that exists is served. */
  readonly paths: readonly string[];
}

const GRUB = '/usr/lib/grub';

export const loaders: readonly Loader[] = [
  { name: 'undionly.kpxe', package: 'ipxe', paths: ['/usr/lib/ipxe/undionly.kpxe'] },
  { name: 'snponly.efi', package: 'ipxe', paths: ['/usr/lib/ipxe/snponly.efi'] },
  { name: 'ipxe.efi', package: 'ipxe', paths: ['/boot/ipxe.efi', '/usr/lib/ipxe/ipxe.efi'] },
  {
    name: 'snponly-arm64.efi',
    package: 'ipxe (of Debian 13)',
    paths: ['/usr/lib/ipxe/ipxe-arm64.efi', '/usr/lib/ipxe/arm64/snponly.efi'],
  },
  { name: 'pxelinux.0', package: 'pxelinux', paths: ['/usr/lib/PXELINUX/pxelinux.0'] },
  {
    name: 'ldlinux.c32',
    package: 'syslinux-common',
    paths: ['/usr/lib/syslinux/modules/bios/ldlinux.c32'],
  },
  { name: 'bootx64.efi', package: 'shim-signed', paths: ['/usr/lib/shim/shimx64.efi.signed'] },
  { name: 'mmx64.efi', package: 'shim-helpers-amd64-signed', paths: ['/usr/lib/shim/mmx64.efi.signed'] },
  {
    name: 'grubx64.efi',
    package: 'grub-efi-amd64-signed',
    paths: [`${GRUB}/x86_64-efi-signed/grubnetx64.efi.signed`],
  },
  { name: 'bootaa64.efi', package: 'shim-signed (of arm64)', paths: ['/usr/lib/shim/shimaa64.efi.signed'] },
  {
    name: 'grubaa64.efi',
    package: 'grub-efi-arm64-signed',
    paths: [`${GRUB}/arm64-efi-signed/grubnetaa64.efi.signed`],
  },
];

export interface FoundLoaders {
  readonly found: ServedNames;
  readonly missing: readonly Loader[];
}

export function findLoaders(known: readonly Loader[] = loaders): FoundLoaders {
  const located = known.map((loader) => ({ loader, path: loader.paths.find(isFile) }));
  return {
    found: Object.fromEntries(
      located.flatMap(({ loader, path }) =>
        path === undefined ? [] : [[loader.name, { kind: 'file', path } as const]],
      ),
    ),
    missing: located.filter(({ path }) => path === undefined).map(({ loader }) => loader),
  };
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
