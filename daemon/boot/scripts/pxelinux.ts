// pxelinux configurations, which pxelinux.0 looks for by the MAC address of the card that it booted from.
import type { NetworkBootFiles } from './ipxe.ts';

export const PXELINUX_UNKNOWN = 'pxelinux.cfg/default';
/** The names begin with the hardware type, in hexadecimal: 1 is Ethernet, 32 InfiniBand. */
export const pxelinuxConfigNames = (mac: string): readonly string[] =>
  ['01', '20'].map((type) => `pxelinux.cfg/${type}-${mac.replaceAll(':', '-')}`);

/** The paths of kernel and ramdisk begin with a slash: both are on the server that pxelinux came from. */
export const pxelinuxConfig = (title: string, { kernel, ramdisk, commandLine }: NetworkBootFiles): string =>
  [
    'default boot',
    'prompt 0',
    `say ironic-edge: ${title}`,
    'label boot',
    `  kernel ${kernel}`,
    ...(ramdisk === null ? [] : [`  initrd ${ramdisk}`]),
    `  append ${commandLine}`,
    // adds BOOTIF=01-...
    '  ipappend 2',
    '',
  ].join('\n');
