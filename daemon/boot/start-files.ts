// The files that every machine may fetch: boot loaders, their start scripts, and the ramdisk of unknown machines.
import { createHash } from 'node:crypto';
import type { FoundLoaders } from './loaders.ts';
import { type KernelBoot, scriptsOf } from './network-boots.ts';
import { GRUB_START, GRUB_UNKNOWN, grubStart } from './scripts/grub.ts';
import { startScript, UNKNOWN_SCRIPT } from './scripts/ipxe.ts';
import { PXELINUX_UNKNOWN } from './scripts/pxelinux.ts';
import type { ServedFiles, ServedNames } from './served-files.ts';

/** The name of the script that every iPXE client loads first. */
const IPXE_START = 'boot.ipxe';

export function publishStartFiles(files: ServedFiles, { found }: FoundLoaders, httpUrl: string): void {
  files.publish('loaders', {
    ...found,
    [IPXE_START]: { kind: 'bytes', bytes: Buffer.from(startScript(httpUrl)) },
    [GRUB_START]: { kind: 'bytes', bytes: Buffer.from(grubStart) },
  });
}

/**
 * Publishes what machines without a node boot. If `boot` is undefined, they boot nothing. `before` is what they booted until now: a
 * machine that has its script already still gets these files.
 */
export function publishUnknownBoot(
  files: ServedFiles,
  boot: KernelBoot | undefined,
  httpUrl: string,
  before?: KernelBoot,
): void {
  if (boot === undefined) return files.withdraw('unknown machines');
  const { kernel, ramdisk } = unknownNames(boot);
  const { ipxe, grub, pxelinux } = scriptsOf(boot, { kernel, ramdisk }, httpUrl);
  files.publish('unknown machines', {
    ...(before !== undefined && unknownFiles(before)),
    ...unknownFiles(boot),
    [UNKNOWN_SCRIPT]: ipxe,
    [GRUB_UNKNOWN]: grub,
    [PXELINUX_UNKNOWN]: pxelinux,
  });
}

/** Each image has names of its own, so that no machine gets the kernel of one and the ramdisk of another. */
function unknownNames({ kernel, ramdisk }: KernelBoot) {
  const key = createHash('sha256')
    .update(JSON.stringify([kernel, ramdisk]))
    .digest('hex')
    .slice(0, 8);
  return { kernel: `unknown/${key}/kernel`, ramdisk: `unknown/${key}/ramdisk` };
}

function unknownFiles(boot: KernelBoot): ServedNames {
  const { kernel, ramdisk } = unknownNames(boot);
  return {
    [kernel]: { kind: 'file', path: boot.kernel },
    ...(boot.ramdisk !== null && { [ramdisk]: { kind: 'file', path: boot.ramdisk } }),
  };
}
