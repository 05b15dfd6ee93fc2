// An in-memory task that sleeps without delay and records the calls that an interface makes.
import { fileURLToPath } from 'node:url';
import { BmcConversations } from '../../daemon/conductor/bmcs/bmc-conversations.ts';
import { createConfigDrives } from '../../daemon/images/config-drive.ts';
import { initialNode } from '../../daemon/model/records/node.ts';
import {
  type FileCopy,
  type Agent,
  type BmcOptions,
  type BootSystem,
  type Dhcp,
  type Driver,
  type DriverChanges,
  type InstanceImage,
  type Logger,
  type NetworkBoot,
  type Node,
  type Port,
  type PowerTarget,
  type PreparedImage,
  type Task,
  type TaskClock,
} from '../../daemon/plugin-api/index.ts';
import { fakeClock, type FakeClock } from './clock.ts';

export interface FakeTask extends Task {
  readonly clock: FakeClock & TaskClock;
  /** One line for each sleep, change, inspected image and copied file, in order; none for conversations with BMCs. */
  readonly done: string[];
  /** The sleeps in milliseconds. */
  readonly sleeps: readonly number[];
  readonly updates: readonly DriverChanges[];
  readonly addedPorts: readonly string[];
  readonly powerTargets: readonly PowerTarget[];
  /** What `images.prepare` and `images.inspect` were called with. */
  readonly preparedImages: readonly InstanceImage[];
  /** The started conversations with BMCs. */
  readonly conversations: readonly { readonly address: string; readonly options: BmcOptions }[];
  readonly served: readonly NetworkBoot[];
  readonly logged: readonly LogLine[];
  /** Aborts the task's signal. */
  abort(): void;
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string | undefined;
}

export interface FakeTaskOptions {
  readonly bootObstacle?: string;
  readonly node?: Partial<Node>;
  readonly ports?: readonly Port[];
  readonly volumes?: Partial<Task['volumes']>;
  readonly configuration?: Task['configuration'];
  readonly driver?: Partial<Driver>;
  readonly agentIsAlive?: boolean;
  readonly ramdiskIsRunning?: boolean;
  readonly ramdiskStaysRunning?: boolean;
  /** What `ramdisk.startInstanceKernel` resolves to after the agent has loaded a kernel; not set: it loads none. */
  readonly kexec?: 'runs' | 'failed';
  /** What `images.prepared` is before `images.prepare` is called; null by default. */
  readonly preparedImage?: PreparedImage;
  /** What `images.copyForStep` resolves to. */
  readonly fileCopy?: FileCopy;
  /** The methods of the agent that the test needs; none by default. */
  readonly agent?: Partial<Agent>;
  /** The errors that `setPower` throws, by target. */
  readonly powerFailures?: Readonly<Record<string, Error>>;
}

/**
 * `sleep` advances the task's clock at once. Conversations with BMCs go through real queues, with the priority of operators'
 * requests and without gaps; a deadline passes when the clock is advanced that far.
 */
export function fakeTask(options: FakeTaskOptions = {}): FakeTask {
  const clock = fakeClock();
  const stop = new AbortController();
  const done: string[] = [];
  const sleeps: number[] = [];
  const updates: DriverChanges[] = [];
  const addedPorts: string[] = [];
  const powerTargets: PowerTarget[] = [];
  const conversations: { address: string; options: BmcOptions }[] = [];
  const served: NetworkBoot[] = [];
  const logged: LogLine[] = [];
  const preparedImages: InstanceImage[] = [];
  let prepared = options.preparedImage ?? null;
  const log = fakeLogger(logged);
  const bmcs = new BmcConversations({ clock, log });
  const drives = createConfigDrives({ fetch: async (url) => fileURLToPath(url), check: async () => {} });
  let node = fakeNode(options.node);
  return {
    clock: Object.assign(clock, {
      async sleep(milliseconds: number) {
        stop.signal.throwIfAborted();
        sleeps.push(milliseconds);
        done.push(`sleep ${milliseconds}`);
        await clock.advance(milliseconds);
      },
    }),
    done,
    sleeps,
    updates,
    addedPorts,
    powerTargets,
    conversations,
    served,
    preparedImages,
    logged,
    get node() {
      return node;
    },
    ports: options.ports ?? [],
    volumes: { connectors: [], targets: [], ...options.volumes },
    driver: { power: {}, deploy: {}, storage: {}, ...options.driver } as Driver,
    ramdisk: {
      agent: (options.agent ?? {}) as Agent,
      parameters: { 'ipa-api-url': 'http://10.0.0.1:6385' },
      isAlive: options.agentIsAlive ?? false,
      isRunning: options.ramdiskIsRunning ?? false,
      staysRunning: options.ramdiskStaysRunning ?? false,
      async saveLogs(label, failed) {
        done.push(`save logs of ${label ?? 'deployment'}${failed ? ' that failed' : ''}`);
      },
      async loadInstanceKernel() {
        return options.kexec !== undefined;
      },
      async startInstanceKernel() {
        if (options.kexec !== undefined) done.push('start the kernel of the instance');
        return options.kexec ?? 'not loaded';
      },
    },
    boot: {
      obstacle: options.bootObstacle ?? null,
      unknownObstacle: null,
      dhcp: fakeDhcp(done),
      async check() {},
      async serve(boot) {
        served.push(boot);
        done.push(`serve ${boot.protocol} ${bootedText(boot)}`);
      },
      async serveCd(cd) {
        done.push(`serve CD ${cd.kind === 'iso' ? cd.iso : JSON.stringify(cd.parameters)}`);
        return 'http://192.0.2.9/secret/1/boot.iso';
      },
      async withdraw() {
        done.push('withdraw the network boot');
      },
    },
    configDrive: {
      check: () => drives.check(node),
      image: () => drives.image(node, stop.signal),
    },
    images: {
      get prepared() {
        return prepared;
      },
      async check() {},
      async prepare(image) {
        preparedImages.push(image);
        done.push('prepare the image');
        prepared = {
          url: 'http://10.0.0.1:8080/secret/x/image',
          sha256: 'e'.repeat(64),
          bytes: 4,
          format: 'raw',
        };
        return prepared;
      },
      async inspect(image) {
        preparedImages.push(image);
        done.push('inspect the image');
        return 'qcow2';
      },
      async copyForStep(source) {
        done.push(`copy ${source}`);
        return options.fileCopy ?? { path: '/dev/null', bytes: 0, url: 'http://10.0.0.1:8080/secret/x/file' };
      },
    },
    log,
    signal: stop.signal,
    configuration: options.configuration ?? {},
    async update(changes) {
      updates.push(changes);
      done.push('update');
      node = { ...node, ...changes };
    },
    async setMaintenance(reason) {
      done.push(`set maintenance: ${reason}`);
      node = { ...node, maintenance: true, maintenance_reason: reason };
    },
    async clearMaintenance() {
      done.push('clear maintenance');
      node = { ...node, maintenance: false, maintenance_reason: null };
    },
    async addNote(text) {
      done.push(`note: ${text}`);
    },
    async requestProvision(verb) {
      done.push(`request ${verb}`);
    },
    async renewEventUrl() {
      done.push('renew the URL for events');
      return `https://192.0.2.9/v1/bmc_events/${node.uuid}/token${done.length}`;
    },
    async addPorts(addresses) {
      addedPorts.push(...addresses);
      done.push(`add ports ${addresses.join(' ')}`);
    },
    async setPower(target) {
      powerTargets.push(target);
      done.push(`set ${target}`);
      const failure = options.powerFailures?.[target];
      if (failure !== undefined) throw failure;
    },
    bmc(address, bmcOptions, converse) {
      conversations.push({ address, options: bmcOptions as BmcOptions });
      const context = { minimumGap: 0, node: node.uuid, urgent: true, signal: stop.signal };
      return bmcs.converse(address, { ...bmcOptions, ...context }, converse);
    },
    abort: () => stop.abort(),
  };
}

function bootedText(system: BootSystem): string {
  if (system.kind === 'volume') return `${system.volumes.length} volumes`;
  return system.kind === 'iso' ? system.iso : `${system.kernel} ${system.ramdisk ?? ''}`;
}

/** A fake task with the method `store` that the tasks of DHCP providers have. */
export function dhcpTask(options: FakeTaskOptions = {}) {
  const task = fakeTask(options);
  return Object.assign(task, { store: (changes: DriverChanges) => void task.update(changes) });
}

const fakeDhcp = (done: string[]): Dhcp => ({
  async update(options) {
    done.push(`update dhcp ${options.map(({ name, value }) => `${name}=${value}`).join(' ')}`.trim());
  },
  async clean() {
    done.push('clean dhcp');
  },
  ipAddresses: async () => [],
});

/** A newly created node with `fields` changed. */
export const fakeNode = (fields: Partial<Node> = {}): Node =>
  initialNode({ uuid: '11111111-2222-4333-8444-555555555555', driver: 'fake-hardware', ...fields });

/** A logger that adds each line to `lines`. */
export function fakeLogger(lines: LogLine[] = []): Logger {
  const write = (level: LogLine['level']) => (fields: object, message?: string) =>
    void lines.push({ level, fields, message });
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => fakeLogger(lines),
  };
}

/** A management interface that adds to `devices` each device that is set: `pxe`, or `disk persistently`. */
export function notingBootDevices(devices: string[]): Driver['management'] {
  return {
    properties: {},
    validate() {},
    supportedBootDevices: async () => ['pxe', 'disk'],
    getBootDevice: async () => ({ boot_device: null, persistent: null }),
    setBootDevice: async (_task, device, persistent) =>
      void devices.push(`${device}${persistent ? ' persistently' : ''}`),
  };
}
