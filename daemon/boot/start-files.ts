// The files that every machine may fetch: boot loaders, their start scripts, and the ramdisk of unknown machines.
import type { FoundLoaders } from './loaders.ts';
import { type KernelBoot, scriptsOf } from './network-boots.ts';
import { GRUB_START, GRUB_UNKNOWN, grubStart } from './scripts/grub.ts';
import { startScript, UNKNOWN_SCRIPT } from './scripts/ipxe.ts';
import { PXELINUX_UNKNOWN } from './scripts/pxelinux.ts';
import type { ServedFiles, ServedNames } from './served-files.ts';

/** The name of the script that every iPXE client loads first. */
export const IPXE_START = 'boot.ipxe';

export function publishStartFiles(files: ServedFiles, { found }: FoundLoaders, httpUrl: string): void {
  files.publish('loaders', {
    ...found,
    [IPXE_START]: { kind: 'bytes', bytes: Buffer.from(startScript(httpUrl)) },
    [GRUB_START]: { kind: 'bytes', bytes: Buffer.from(grubStart) },
  });
}

/** Publishes what machines without a node boot. If `boot` is undefined, they boot nothing. */
export function publishUnknownBoot(files: ServedFiles, boot: KernelBoot | undefined, httpUrl: string): void {
  if (boot === undefined) return files.withdraw('unknown machines');
  const [kernel, ramdisk] = ['unknown/kernel', 'unknown/ramdisk'];
  const { ipxe, grub, pxelinux } = scriptsOf(boot, { kernel, ramdisk }, httpUrl);
  const names: ServedNames = {
    [kernel]: { kind: 'file', path: boot.kernel },
    ...(boot.ramdisk !== null && { [ramdisk]: { kind: 'file', path: boot.ramdisk } }),
    [UNKNOWN_SCRIPT]: ipxe,
    [GRUB_UNKNOWN]: grub,
    [PXELINUX_UNKNOWN]: pxelinux,
  };
  files.publish('unknown machines', names);
}
