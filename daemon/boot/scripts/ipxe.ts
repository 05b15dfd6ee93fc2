// iPXE scripts: the one that every iPXE client starts with, and those that boot a node's ramdisk or instance.

/**
 * What a script boots. `kernel` and `ramdisk` are URLs for iPXE, and paths for GRUB and pxelinux. No field contains anything that
 * the boot loader interprets.
 */
export interface NetworkBootFiles {
  readonly kernel: string;
  /** Null: the kernel boots without a ramdisk. */
  readonly ramdisk: string | null;
  readonly commandLine: string;
}

const FOLDER = 'ipxe';
/** Where `startScript` looks for the script of a network card. */
export const ipxeScriptName = (mac: string): string => `${FOLDER}/${mac.replaceAll(':', '-')}`;

/** The name of the script for machines without a node. */
export const UNKNOWN_SCRIPT = `${FOLDER}/unknown`;

const ATTEMPTS = 10;

/**
 * The first script: looks for the script of each network card, beginning with the card that booted, and then for the
 * script of unknown machines. ROMs that lack `inc`, such as those from before August 2013, skip all cards except the card that
 * booted and the first card.
 */
export const startScript = (baseUrl: string): string => `#!ipxe
set base ${baseUrl}
chain --autofree \${base}/${FOLDER}/\${mac:hexhyp} && exit ||
set card:int32 0 ||
:next
isset \${net\${card}/mac} || goto unknown
chain --autofree \${base}/${FOLDER}/\${net\${card}/mac:hexhyp} && exit ||
inc card || goto unknown
goto next
:unknown
chain --autofree \${base}/${UNKNOWN_SCRIPT} && exit ||
echo ironic-edge has no node with a network card of this machine, or that node is not to boot from the network.
echo This machine: \${manufacturer} \${product}, serial \${serial}, MAC address \${mac}
echo Trying the next boot device.
sleep 5
exit 1
`;

/** Returns a script that boots a kernel from the network. */
export function ipxeScript(title: string, { kernel, ramdisk, commandLine }: NetworkBootFiles): string {
  const initrd = ramdisk === null ? [] : [`initrd ${ramdisk} || goto retry`];
  // UEFI kernels find the ramdisk by its name
  const named = ramdisk === null ? '' : ` initrd=${ramdisk.split('/').at(-1)}`;
  return persistent(title, [
    'imgfree',
    `kernel ${kernel} ${commandLine} BOOTIF=01-\${mac:hexhyp}${named} || goto retry`,
    ...initrd,
    'boot || goto retry',
  ]);
}

/** Returns a script that boots a CD image. iPXE reads the image over HTTP, block by block as the firmware asks for the blocks. */
export const ipxeIsoScript = (title: string, iso: string): string =>
  persistent(title, [`sanboot --no-describe ${iso} || goto retry`]);

/**
 * Returns a script that runs `commands`. When one of them fails, as when the server does not answer, the script runs all of them
 * again, at most ATTEMPTS times, and then switches the machine off.
 */
const persistent = (title: string, commands: readonly string[]): string =>
  [
    '#!ipxe',
    `echo ironic-edge: ${title}`,
    'set attempt:int32 0',
    ':boot',
    ...commands,
    ':retry',
    `iseq \${attempt} ${ATTEMPTS} && goto failed ||`,
    'inc attempt || goto failed',
    'echo The boot failed; trying again.',
    'sleep ${attempt}',
    'goto boot',
    ':failed',
    'echo The boot failed. Switching off in 30 seconds.',
    'sleep 30',
    'poweroff || exit 1',
    '',
  ].join('\n');
