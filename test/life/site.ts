// What a case of `npm run life` gets: the daemon on the provisioning network, machines, and the images that they boot.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DaemonProcess, type Environment } from '../fakes/daemon/daemon-process.ts';
import type { FirmwareKind } from './rig/firmware.ts';
import { Machine } from './rig/machine.ts';
import { BRIDGE, HOST, RANGE } from './rig/network.ts';
import { RedfishMachine, type RedfishMachineDescription } from './rig/redfish-machine.ts';
import { Virtualization } from './rig/virtualization.ts';
import type { PhaseRow } from './who-works.ts';

export interface Image {
  readonly kernel: string;
  readonly ramdisk: string;
}

export interface Images {
  /** The image with the agent. */
  readonly agent: Image;
  /** An image that reports how the machine booted, then switches the machine off. */
  readonly reporting: Image;
  /** The same for arm64. */
  readonly reportingArm64: Image;
  /** The boot loaders of Debian 13, by the names under which machines request them. */
  readonly loaders: Readonly<Record<string, string>>;
}

/** Disposing of a site ends everything that it has started. */
export interface Site extends AsyncDisposable {
  readonly images: Images;
  /** Where consoles and timelines of this case are kept. */
  readonly folder: string;
  /** The phases of the machine's life so far. */
  readonly rows: PhaseRow[];
  /** A daemon that serves DHCP, TFTP and HTTP itself; `environment` is added to its options. */
  startDaemon(environment?: Environment): Promise<DaemonProcess>;
  /** Connects a new machine: switched off, its disk blank, unknown to the daemon. */
  addMachine(firmware: FirmwareKind, memoryMebibytes: number): Promise<Machine>;
  /** Like `addMachine`, with a Redfish BMC. */
  addRedfishMachine(
    firmware: RedfishMachineDescription['firmware'],
    memoryMebibytes: number,
  ): Promise<RedfishMachine>;
  /** Hides a file of this host from the processes of the rig. */
  hide(file: string): void;
  /** What each machine of this case wrote to its console last. */
  lastWords(): readonly string[];
}

const optionsFor = ({ agent, reporting, reportingArm64 }: Images, folder: string): Environment => ({
  IRONIC_API__HOST_IP: HOST,
  IRONIC_API__PORT: '6385',
  IRONIC_DEFAULT__MY_IP: HOST,
  IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'ipmi,redfish',
  IRONIC_DEFAULT__ENABLED_BOOT_INTERFACES: 'ipxe,pxe,http-ipxe,http,redfish-virtual-media,redfish-https',
  IRONIC_DHCP_SERVER__SUBNET: `10.77.0.0/24 range=${RANGE.first}-${RANGE.last} interface=${BRIDGE}`,
  IRONIC_TFTP_SERVER__ENABLED: 'true',
  IRONIC_BOOT_HTTP__PORT: '8080',
  IRONIC_PXE__KERNEL_APPEND_PARAMS: 'console=ttyS0',
  IRONIC_REDFISH__KERNEL_APPEND_PARAMS: 'console=ttyS0',
  IRONIC_CONDUCTOR__FILE_URL_ALLOWED_PATHS: [
    ...[agent, reporting, reportingArm64].flatMap(({ kernel, ramdisk }) => [
      dirname(kernel),
      dirname(ramdisk),
    ]),
    folder,
  ].join(','),
  IRONIC_CONDUCTOR__CHECK_PROVISION_STATE_INTERVAL: '5',
});

/** `nextNumber` numbers the machines of a run. */
export function createSite(images: Images, folder: string, nextNumber: () => number): Site {
  mkdirSync(folder, { recursive: true });
  const options = optionsFor(images, folder);
  const machines: (Machine | RedfishMachine)[] = [];
  const started = new AsyncDisposableStack();
  const numbered = () => {
    const number = nextNumber();
    return { number, folder: join(folder, `machine-${number}`) };
  };
  return {
    images,
    folder,
    rows: [],
    startDaemon: async (more = {}) =>
      started.use(await DaemonProcess.start({ ...options, ...more }, [`dhcp-${BRIDGE}`, `ra-${BRIDGE}`])),
    async addMachine(firmware, memoryMebibytes) {
      const machine = await Machine.add({ ...numbered(), firmware, memoryMebibytes });
      machines.push(machine);
      return started.use(machine);
    },
    async addRedfishMachine(firmware, memoryMebibytes) {
      const virtualization = started.use(await Virtualization.start(join(folder, 'virtualization')));
      const description = { ...numbered(), firmware, memoryMebibytes };
      const machine = await RedfishMachine.add(description, virtualization);
      machines.push(machine);
      return started.use(machine);
    },
    hide(file) {
      execFileSync('mount', ['--bind', '/dev/null', file]);
      started.defer(() => void execFileSync('umount', [file]));
    },
    lastWords: () => machines.map((machine) => machine.console.lastLines),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** The URL of a file with its checksum, as an operator sets it. */
export const reference = (file: string): string => `${pathToFileURL(file).href}#sha256=${sha256Of(file)}`;

export const sha256Of = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex');
