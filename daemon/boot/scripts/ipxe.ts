// iPXE scripts: the one that every iPXE client starts with, and those that boot a node's ramdisk or instance.
import { type IscsiBoot, iscsiUrl } from '../../model/instance/iscsi-boot.ts';

/**
 * What a script boots. `kernel` and `ramdisk` are URLs for iPXE, and paths for GRUB and pxelinux, without anything that the boot
 * loader interprets. `commandLine` is what the function of that name returns.
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

const FIRST_DRIVE = 0x80;

/**
 * Returns a script that boots from the first of some iSCSI volumes and leaves a table of the ways to it for the system (iBFT). The
 * login is written in hexadecimal digits, because iPXE interprets some characters. The machine asks for the file `failure` after
 * its first failure. It never stays off: when the storage answers again, the machine boots.
 */
export function ipxeVolumeScript(
  title: string,
  { initiator, login, volumes }: IscsiBoot,
  failure: string,
): string {
  const drives = volumes.map((paths, index) => ({
    drive: `--drive 0x${(FIRST_DRIVE + index).toString(16)}`,
    urls: paths.map(iscsiUrl).join(' '),
  }));
  return persistent(
    title,
    [
      'imgfree',
      `set initiator-iqn ${initiator}`,
      ...Object.entries(login ?? {}).map(([name, value]) => `set ${name}:hex ${hexOf(value)}`),
      // a volume of the attempt before would still be attached
      ...drives.map(({ drive }) => `sanunhook ${drive} ||`),
      // the table (iBFT) has room for two ways; both describe the volume with the system, and further volumes are left out of it
      ...drives.map(
        ({ drive, urls }, index) =>
          `sanhook ${index === 0 ? '' : '--no-describe '}${drive} ${urls} || goto retry`,
      ),
      `sanboot --no-describe --drive 0x${FIRST_DRIVE.toString(16)} || goto retry`,
    ],
    {
      failed: [`iseq \${attempt} 0 && imgfetch ${failure} ||`],
      end: ['echo The boot failed. Booting again in 30 seconds.', 'sleep 30', 'reboot || exit 1'],
    },
  );
}

const hexOf = (text: string): string =>
  Buffer.from(text)
    .toString('hex')
    .replace(/..(?=.)/g, '$&:');

/** Further commands of a script: after each failure, and when no attempt is left. */
interface Failing {
  readonly failed: readonly string[];
  readonly end: readonly string[];
}

const switchingOff: Failing = {
  failed: [],
  end: ['echo The boot failed. Switching off in 30 seconds.', 'sleep 30', 'poweroff || exit 1'],
};

/**
 * Returns a script that runs `commands`. When one of them fails, as when the server does not answer, the script runs all of them
 * again, at most ATTEMPTS times, and then switches the machine off or does what `end` says.
 */
const persistent = (
  title: string,
  commands: readonly string[],
  { failed, end }: Failing = switchingOff,
): string =>
  [
    '#!ipxe',
    `echo ironic-edge: ${title}`,
    'set attempt:int32 0',
    ':boot',
    ...commands,
    ':retry',
    ...failed,
    `iseq \${attempt} ${ATTEMPTS} && goto failed ||`,
    'inc attempt || goto failed',
    'echo The boot failed; trying again.',
    'sleep ${attempt}',
    'goto boot',
    ':failed',
    ...end,
    '',
  ].join('\n');
