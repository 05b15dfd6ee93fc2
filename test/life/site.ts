// What a case of `npm run life` gets: the daemon on the provisioning network, machines, and the images that they boot.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DaemonProcess, type Environment } from '../fakes/daemon-process.ts';
import type { FirmwareKind } from './rig/firmware.ts';
import { Machine } from './rig/machine.ts';
import { BRIDGE, HOST, RANGE } from './rig/network.ts';
import { type Boot, servingDaemon, StandInDhcp } from './rig/stand-in-dhcp.ts';

export interface Image {
  readonly kernel: string;
  readonly ramdisk: string;
}

export interface Images {
  /** With the agent. */
  readonly agent: Image;
  /** Reports how the machine booted, and switches it off. */
  readonly tiny: Image;
}

/** What a site starts, it ends when it is disposed of. */
export interface Site extends AsyncDisposable {
  readonly images: Images;
  /** Where consoles and timelines of this case are kept. */
  readonly folder: string;
  startDaemon(environment: Environment): Promise<DaemonProcess>;
  /** Connects a machine that nobody has seen before. */
  installMachine(firmware: FirmwareKind, memoryMebibytes: number): Promise<Machine>;
  /** Returns the options of a daemon that serves what machines boot. */
  serve(boot: Boot): Promise<Environment>;
  /** What each machine of this case wrote to its console last. */
  lastWords(): readonly string[];
}

const API_PORT = 6385;
export const API_URL = `http://${HOST}:${API_PORT}`;

const environment: Environment = {
  IRONIC_API__HOST_IP: HOST,
  IRONIC_API__PORT: String(API_PORT),
  IRONIC_DEFAULT__MY_IP: HOST,
  IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'ipmi',
  // ipmi_sim needs no pause between two commands
  IRONIC_IPMI__MIN_COMMAND_INTERVAL: '1',
  IRONIC_CONDUCTOR__CHECK_PROVISION_STATE_INTERVAL: '5',
  IRONIC_CONDUCTOR__INSPECT_WAIT_TIMEOUT: '300',
};

const OWN_DHCP: Environment = {
  IRONIC_DHCP_SERVER__SUBNET: `10.77.0.0/24 range=${RANGE.first}-${RANGE.last} interface=${BRIDGE}`,
};

/** `nextNumber` numbers the machines of a run. */
export function createSite(images: Images, folder: string, nextNumber: () => number): Site {
  mkdirSync(folder, { recursive: true });
  const machines: Machine[] = [];
  const started = new AsyncDisposableStack();
  return {
    images,
    folder,
    async startDaemon(more) {
      const sockets = 'IRONIC_DHCP_SERVER__SUBNET' in more ? [`dhcp-${BRIDGE}`] : [];
      return started.use(await DaemonProcess.start({ ...environment, ...more }, sockets));
    },
    async installMachine(firmware, memoryMebibytes) {
      const number = nextNumber();
      const place = join(folder, `machine-${number}`);
      const machine = await Machine.install({ number, firmware, memoryMebibytes, folder: place });
      machines.push(machine);
      return started.use(machine);
    },
    async serve(boot) {
      const files = servingDaemon(boot, join(folder, 'scripts'));
      if (boot.loader === undefined) return { ...files, ...OWN_DHCP };
      started.use(await StandInDhcp.start(boot.loader, folder));
      return files;
    },
    lastWords: () => machines.map((machine) => machine.lastWords()),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
