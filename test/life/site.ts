// What a case of `npm run life` gets: the daemon on the provisioning network, machines, and the images that they boot.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DaemonProcess, type Environment } from '../fakes/daemon/daemon-process.ts';
import type { FirmwareKind } from './rig/firmware.ts';
import type { ProgramFile } from './rig/iscsistart.ts';
import { Machine, type MachineDescription } from './rig/machine.ts';
import { bmcAddressOf, BRIDGE, HOST, IPV6, ipv6BmcAddressOf, RANGE, withoutIpv4 } from './rig/network.ts';
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
  /** The files of the program that attaches the volume from which the machine has booted. */
  readonly iscsistart: readonly ProgramFile[];
  /** An image of Debian as for a cloud; undefined unless a case that boots it is picked. */
  readonly cloudImage?: string;
  /** What the whole way needs; undefined unless it is picked. */
  readonly wholeWay?: {
    /** The archive of the host's file system. */
    readonly archive: string;
    /** The Debian package of the daemon. */
    readonly deb: string;
    /** The Unix socket of the mirror. */
    readonly mirror: string;
  };
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
  /** Like `startDaemon`, at a site where neither this host nor the machines have an IPv4 address, until the site is disposed of. */
  startDaemonWithoutIpv4(environment?: Environment): Promise<DaemonProcess>;
  /** Connects a new machine: switched off, its disk blank, unknown to the daemon. With 0 GiB it has no disk. */
  addMachine(firmware: FirmwareKind, memoryMebibytes: number, diskGibibytes?: number): Promise<Machine>;
  /** Like `addMachine`, with a BMC that has no user yet. */
  addNewMachine(firmware: FirmwareKind, memoryMebibytes: number): Promise<Machine>;
  /** Like `addMachine`, with a BMC that has an IPv6 address only. */
  addIpv6Machine(firmware: FirmwareKind, memoryMebibytes: number): Promise<Machine>;
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

const optionsFor = (
  { agent, reporting, reportingArm64, cloudImage }: Images,
  folder: string,
): Environment => ({
  IRONIC_API__HOST_IP: HOST,
  IRONIC_API__PORT: '6385',
  IRONIC_DEFAULT__MY_IP: HOST,
  IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'ipmi,redfish',
  IRONIC_DEFAULT__ENABLED_BOOT_INTERFACES: 'ipxe,pxe,http-ipxe,http,redfish-virtual-media,redfish-https',
  IRONIC_DHCP_SERVER__SUBNET: `10.77.0.0/24 range=${RANGE.first}-${RANGE.last} interface=${BRIDGE}`,
  IRONIC_TFTP_SERVER__ENABLED: 'true',
  IRONIC_BOOT_HTTP__PORT: '8080',
  // the site's web server runs on this host too
  IRONIC_CONDUCTOR__IMAGE_SERVER_NETWORKS: HOST,
  IRONIC_PXE__KERNEL_APPEND_PARAMS: 'console=ttyS0',
  IRONIC_REDFISH__KERNEL_APPEND_PARAMS: 'console=ttyS0',
  IRONIC_CONDUCTOR__FILE_URL_ALLOWED_PATHS: [
    ...[agent, reporting, reportingArm64].flatMap(({ kernel, ramdisk }) => [
      dirname(kernel),
      dirname(ramdisk),
    ]),
    ...(cloudImage === undefined ? [] : [dirname(cloudImage)]),
    folder,
  ].join(','),
  IRONIC_CONDUCTOR__CHECK_PROVISION_STATE_INTERVAL: '5',
});

const WITHOUT_IPV4: Environment = {
  IRONIC_API__HOST_IP: IPV6.host,
  IRONIC_DEFAULT__MY_IP: IPV6.host,
  IRONIC_DHCP_SERVER__SUBNET: `${IPV6.network} range=${IPV6.range.first}-${IPV6.range.last} interface=${BRIDGE}`,
  IRONIC_CONDUCTOR__IMAGE_SERVER_NETWORKS: IPV6.host,
};

type NewMachine = Omit<MachineDescription, 'number' | 'folder' | 'bmcAddress'>;

const DISK_GIBIBYTES = 8;

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
  const connected = async (description: NewMachine, addressOf = bmcAddressOf) => {
    const place = numbered();
    const machine = await Machine.add({ ...place, ...description, bmcAddress: addressOf(place.number) });
    machines.push(machine);
    return started.use(machine);
  };
  const daemonWith = async (environment: Environment, dhcp: 'dhcp' | 'dhcp6') =>
    started.use(await DaemonProcess.start(environment, [`${dhcp}-${BRIDGE}`, `ra-${BRIDGE}`]));
  return {
    images,
    folder,
    rows: [],
    startDaemon: (more = {}) => daemonWith({ ...options, ...more }, 'dhcp'),
    startDaemonWithoutIpv4(more = {}) {
      started.use(withoutIpv4());
      return daemonWith({ ...options, ...WITHOUT_IPV4, ...more }, 'dhcp6');
    },
    addMachine: (firmware, memoryMebibytes, diskGibibytes = DISK_GIBIBYTES) =>
      connected({ firmware, memoryMebibytes, diskGibibytes }),
    addNewMachine: (firmware, memoryMebibytes) =>
      connected({ firmware, memoryMebibytes, diskGibibytes: DISK_GIBIBYTES, hasBlankBmc: true }),
    addIpv6Machine: (firmware, memoryMebibytes) =>
      connected({ firmware, memoryMebibytes, diskGibibytes: DISK_GIBIBYTES }, ipv6BmcAddressOf),
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
