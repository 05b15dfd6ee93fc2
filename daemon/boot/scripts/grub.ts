// GRUB configurations. The signed GRUB first reads a configuration that is the same for all machines, and that configuration loads
// the one of the network card that the machine booted from.
import { grubWords } from '../../model/machine/kernel-parameters.ts';
import type { NetworkBootFiles } from './ipxe.ts';

/** The configuration that Debian's signed network GRUB reads first. */
export const GRUB_START = 'grub/grub.cfg';
export const GRUB_UNKNOWN = 'grub/unknown.cfg';
/** GRUB has the card's MAC address in `$net_default_mac`, in lower case with colons. */
export const grubConfigName = (mac: string): string => `grub/${mac}.cfg`;

/** Further names of the same configuration. Ironic uses them, and a GRUB that is not Debian's may look for them. */
export const grubAliases = (mac: string): readonly string[] => [
  `${mac}.conf`,
  `grub.cfg-01-${mac.replaceAll(':', '-')}`,
];

// GRUB cannot ask a server whether a file exists, so each configuration that boots something sets this variable to 1
const FOUND = 'ironic_edge_found';

export const grubStart = `source /grub/$net_default_mac.cfg
if [ "$${FOUND}" != 1 ]; then
  source /${GRUB_UNKNOWN}
fi
if [ "$${FOUND}" != 1 ]; then
  echo "ironic-edge has no node with a network card of this machine, or that node is not to boot from the network."
  sleep 5
  exit 1
fi
`;

/** The paths of kernel and ramdisk begin with a slash: both are on the server that GRUB came from. */
export const grubConfig = (title: string, { kernel, ramdisk, commandLine }: NetworkBootFiles): string =>
  [
    `set ${FOUND}=1`,
    'set default=boot',
    'set timeout=0',
    `menuentry "ironic-edge: ${title}" --id boot {`,
    `  linux ${kernel} ${grubWords(commandLine)} BOOTIF=$net_default_mac`,
    ...(ramdisk === null ? [] : [`  initrd ${ramdisk}`]),
    '}',
    '',
  ].join('\n');
