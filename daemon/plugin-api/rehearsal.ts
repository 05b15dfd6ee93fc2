// "#plugin-api/rehearsal": a task in memory for a plugin's tests. Sleeping takes no time, and nothing is stored.
import { fault } from '../model/faults.ts';
import { initialNode, type Node } from '../model/records/node.ts';
import type { Agent } from './agent.ts';
import type { BmcConversation, BmcOptions } from './bmc.ts';
import type { Dhcp } from './boot/dhcp.ts';
import type { Driver } from './driver.ts';
import type { Images, PreparedImage } from './images.ts';
import { defineInterface, type DriverInterface } from './interfaces/driver-interface.ts';
import { defineInspect } from './interfaces/inspect.ts';
import { defineManagement } from './interfaces/management.ts';
import { definePower } from './interfaces/power.ts';
import type { BootServices, Configuration, DriverChanges, Ramdisk, Task, TaskClock } from './task.ts';

export interface Rehearsal extends Task {
  /** What the task was asked to do or change, in order: `update health`, `set power on`, `add ports ...`. */
  readonly done: readonly string[];
  /** Aborts the task, as stopping the daemon does. */
  abort(reason: Error): void;
}

export interface RehearsalOptions {
  readonly node?: Partial<Node>;
  readonly configuration?: Configuration;
  /** Interfaces of the node. Each type that is left out gets a stand-in, which accepts every node and changes nothing. */
  readonly driver?: Partial<Driver>;
  /** Makes `bmc` throw BmcFailure without calling `converse`. */
  readonly bmcsAreSilent?: true;
}

export function rehearsalTask(options: RehearsalOptions = {}): Rehearsal {
  const stop = new AbortController();
  const done: string[] = [];
  const log = silentLog();
  const { configuration = {}, driver, bmcsAreSilent } = options;
  let node = initialNode({ driver: 'rehearsal', ...options.node });
  return {
    done,
    get node() {
      return node;
    },
    ports: [],
    driver: { ...standIns, ...driver },
    log,
    signal: stop.signal,
    configuration,
    clock: quickClock(stop.signal),
    ramdisk: silentRamdisk(() => node, done),
    boot: rehearsedBoot(done),
    configDrive: {
      async check() {},
      image: async () => null,
    },
    images: rehearsedImages(done),
    async update(changes: DriverChanges) {
      done.push(`update ${Object.keys(changes).join(' ')}`);
      node = { ...node, ...changes };
    },
    async setMaintenance(reason) {
      done.push(`set maintenance: ${reason}`);
      node = { ...node, maintenance: true, maintenance_reason: reason };
    },
    async clearMaintenance() {
      done.push('clear maintenance');
      node = { ...node, maintenance: false, maintenance_reason: null, fault: null };
    },
    async addNote(text) {
      done.push(`add note: ${text}`);
    },
    async requestProvision(verb) {
      done.push(`request ${verb}`);
    },
    async renewEventUrl() {
      done.push('renew the URL for events');
      return 'https://192.0.2.1/v1/bmc_events/node/token';
    },
    async addPorts(addresses) {
      done.push(`add ports ${addresses.join(' ')}`);
    },
    async setPower(target) {
      done.push(`set ${target}`);
    },
    bmc: rehearsedBmc(() => node, stop.signal, bmcsAreSilent === true),
    abort: (reason) => stop.abort(reason),
  };
}

function rehearsedImages(done: string[]): Images {
  let prepared: PreparedImage | null = null;
  return {
    get prepared() {
      return prepared;
    },
    async prepare({ source }) {
      done.push(`prepare image ${source}`);
      prepared = { url: 'http://daemon.test/image', sha256: '0'.repeat(64), bytes: 1_048_576, format: 'raw' };
      return prepared;
    },
    async inspect({ source }) {
      done.push(`inspect image ${source}`);
      return 'raw';
    },
    async copyForStep(source) {
      done.push(`copy ${source}`);
      return { path: '/dev/null', bytes: 0, url: 'http://daemon.test/file' };
    },
  };
}

/** A state is kept for one conversation only: plugins must not rely on more. */
const rehearsedBmc =
  (node: () => Node, stopping: AbortSignal, isSilent: boolean): Task['bmc'] =>
  async <T, State>(
    address: string,
    { deadline, state: kind }: BmcOptions<State>,
    converse: (conversation: BmcConversation<State>) => Promise<T>,
  ) => {
    stopping.throwIfAborted();
    if (isSilent)
      throw fault('BmcFailure', {
        operation: 'A rehearsal',
        node: node().uuid,
        address,
        reason: 'no BMC answers',
      });
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(deadline)]);
    const state = (await kind?.create(signal)) as State;
    try {
      return await converse({ signal, state });
    } finally {
      await kind?.dispose?.(state, signal);
    }
  };

const rehearsedBoot = (done: string[]): BootServices => ({
  obstacle: null,
  dhcp: rehearsedDhcp(done),
  async serve(boot) {
    const images = boot.kind === 'iso' ? boot.iso : `${boot.kernel} ${boot.ramdisk ?? ''}`;
    done.push(`serve ${boot.protocol} ${images}`);
  },
  async serveCd({ title }) {
    done.push(`serve CD ${title}`);
    return 'http://192.0.2.1/boot.iso';
  },
  async withdraw() {
    done.push('withdraw the network boot');
  },
});

const rehearsedDhcp = (done: string[]): Dhcp => ({
  async update(options) {
    done.push(`update dhcp ${options.map(({ name, value }) => `${name}=${value}`).join(' ')}`.trim());
  },
  async clean() {
    done.push('clean dhcp');
  },
  ipAddresses: async () => [],
});

/** The clock of a rehearsal: its timers run in real time, but `sleep` resolves at once. */
function quickClock(signal: AbortSignal): TaskClock {
  const begun = Date.now();
  let slept = 0;
  return {
    now: () => begun + slept,
    monotonic: () => slept,
    async sleep(milliseconds) {
      signal.throwIfAborted();
      slept += milliseconds;
      await new Promise(setImmediate);
      signal.throwIfAborted();
    },
    after(milliseconds, action) {
      const timer = setTimeout(action, milliseconds).unref();
      return () => clearTimeout(timer);
    },
  };
}

// a rehearsed machine never runs a ramdisk
function silentRamdisk(node: () => Node, done: string[]): Ramdisk {
  const silent = async (): Promise<never> => {
    throw fault('AgentUnreachable', {
      node: node().uuid,
      url: 'no address',
      reason: 'no ramdisk has sent a heartbeat',
    });
  };
  const agent: Agent = {
    start: silent,
    run: silent,
    end: silent,
    commands: silent,
    startStep: silent,
    getSteps: silent,
  };
  return {
    agent,
    parameters: {},
    isAlive: false,
    isRunning: false,
    staysRunning: false,
    async saveLogs(label) {
      done.push(`save logs ${label ?? ''}`.trim());
    },
  };
}

const silentLog = (): Task['log'] => ({ debug() {}, info() {}, warn() {}, error() {}, child: silentLog });

const base: DriverInterface = { properties: {}, validate() {} };
const plain = defineInterface(base);

const standIns: Driver = {
  bios: plain,
  boot: plain,
  console: plain,
  deploy: plain,
  firmware: plain,
  inspect: defineInspect({ ...base, inspectHardware: async () => 'manageable' }),
  management: defineManagement({
    ...base,
    supportedBootDevices: async () => ['pxe', 'disk'],
    getBootDevice: async () => ({ boot_device: null, persistent: null }),
    async setBootDevice() {},
  }),
  network: plain,
  power: definePower({
    ...base,
    supportedTargets: ['power on', 'power off', 'rebooting'],
    supportsPowerSync: true,
    getPowerState: async (task) => task.node.power_state,
    async setPowerState() {},
  }),
  raid: plain,
  rescue: plain,
  storage: plain,
  vendor: plain,
};
