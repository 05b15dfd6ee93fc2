// The members of a task, a row for each. From the rows come what a plugin may read and call, the checks of what a plugin in a
// process of its own passes, the objects in that process, and the task of a rehearsal.
import { bootModes } from '../../model/machine/boot-modes.ts';
import { bootProtocols } from '../../model/machine/boot-protocols.ts';
import { isJsonObject } from '../../model/json.ts';
import { powerTargets } from '../../model/states/power-states.ts';
import { provisionVerbs } from '../../model/states/verbs.ts';
import { stepPhases } from '../../model/steps/step-phases.ts';
import type { BmcOptions } from '../bmc.ts';
import type { BootSystem, DriverChanges, Task } from '../task.ts';
import {
  anything,
  either,
  flag,
  jsonObject,
  like,
  listOf,
  number,
  object,
  oneOf,
  orNothing,
  orNull,
  type Shape,
  text,
} from './shapes.ts';

/** A value. `sample`: the value in a rehearsal. */
interface Value<T = unknown> {
  readonly kind: 'value';
  readonly sample: T | undefined;
}

/** A function that a plugin in a process of its own has in that process: it never asks the daemon. */
interface Local {
  readonly kind: 'local';
}

type AnyFunction = (...given: never[]) => unknown;
export type ShapesOf<Given extends readonly unknown[]> = { readonly [I in keyof Given]: Shape };
type ResultOf<F extends AnyFunction> = Awaited<ReturnType<F>>;

/** A function that runs in the daemon. */
interface Call<F extends AnyFunction = AnyFunction> {
  readonly kind: 'call';
  readonly given: ShapesOf<Parameters<F>>;
  /** What a rehearsal notes; absent for a function that changes nothing. */
  readonly does: ((...given: Parameters<F>) => string) | undefined;
  /** What the function resolves to in a rehearsal. */
  readonly sample: ResultOf<F> | undefined;
}

export type TaskRow = Value | Local | Call;

export interface TaskRows {
  readonly [name: string]: TaskRow | TaskRows;
}

export const isRow = (one: TaskRow | TaskRows): one is TaskRow => typeof one['kind'] === 'string';

/** The compiler refuses rows that lack a member of T, or an argument of a function. */
type RowsOf<T> = {
  readonly [K in keyof T]-?: T[K] extends AnyFunction
    ? Call<T[K]> | Local
    : Value<T[K]> | (T[K] extends object ? RowsOf<T[K]> : never);
};

const value = <T>(sample?: T): Value<T> => ({ kind: 'value', sample });
const local: Local = { kind: 'local' };
/** A function that resolves to nothing; `does`: see Call. */
const act = <F extends (...given: never[]) => Promise<void>>(
  given: ShapesOf<Parameters<F>>,
  does?: (...given: Parameters<F>) => string,
): Call<F> => ({ kind: 'call', given, does, sample: undefined });
/** A function that resolves to a value, in a rehearsal to `sample`. */
const call = <F extends AnyFunction>(
  given: ShapesOf<Parameters<F>>,
  does: ((...given: Parameters<F>) => string) | undefined,
  sample: ResultOf<F>,
): Call<F> => ({ kind: 'call', given, does, sample });
/** A function that a rehearsal has its own code for. */
const special = <F extends AnyFunction>(given: ShapesOf<Parameters<F>>): Call<F> => ({
  kind: 'call',
  given,
  does: undefined,
  sample: undefined,
});

const DAY_MILLISECONDS = 86_400_000;
const duration: Shape = {
  expected: `a number of milliseconds from 0 to ${DAY_MILLISECONDS}`,
  admits: (given) => Number.isFinite(given) && Number(given) >= 0 && Number(given) <= DAY_MILLISECONDS,
  sample: 1000,
};
export const seconds: Shape = {
  expected: 'a number of seconds',
  admits: (given) => Number.isFinite(given) && Number(given) >= 0,
  sample: 60,
};
const atLeastOne: Shape = {
  expected: 'an integer of at least 1',
  admits: (given) => Number.isSafeInteger(given) && Number(given) >= 1,
  sample: 1,
};

/** The node fields that an interface may change. */
export const driverChanges: Readonly<Record<keyof DriverChanges, Shape>> = {
  boot_mode: orNothing(oneOf(...bootModes, null)),
  driver_info: orNothing(jsonObject),
  driver_internal_info: orNothing(jsonObject),
  health: orNothing(orNull(text)),
  instance_info: orNothing(jsonObject),
  properties: orNothing(jsonObject),
  raid_config: orNothing(jsonObject),
  secure_boot: orNothing(oneOf(true, false, null)),
};
export const kernelParameters: Shape = {
  expected: 'an object whose values are strings or null',
  admits: (given) =>
    isJsonObject(given) && Object.values<unknown>(given).every((one) => orNull(text).admits(one)),
  sample: {},
};
const url = like('http://192.0.2.1/image', text);
const bootFile = object({
  name: text,
  content: like({ text: 'example' }, jsonObject),
  parameter: text,
  urlOf: oneOf('file', 'folder'),
});
const kernelSystem = {
  kind: oneOf('kernel'),
  kernel: url,
  ramdisk: orNull(url),
  parameters: kernelParameters,
  files: orNothing(listOf(bootFile)),
};
const isoSystem = { kind: oneOf('iso'), iso: url };
const volumeSystem = {
  kind: oneOf('volume'),
  initiator: like('iqn.2026-01.example:machine', text),
  login: orNull(object({ username: text, password: text })),
  volumes: listOf(listOf(object({ portal: text, target: text, lun: number }))),
};
/** A system to boot, with further members. */
const systemWith = (more: Readonly<Record<string, Shape>>): Shape =>
  either(
    object({ ...more, ...kernelSystem }),
    either(object({ ...more, ...isoSystem }), object({ ...more, ...volumeSystem })),
  );
export const bootSystem = systemWith({});
const networkBoot = systemWith({
  protocol: oneOf(...bootProtocols),
  bootMode: oneOf(...bootModes),
  title: text,
});
const cdBoot = systemWith({ title: text, agentToken: flag });
const dhcpOption = object({
  name: text,
  value: orNull(text),
  client: orNothing(oneOf('ipxe', 'firmware')),
});
const conversationMembers: Readonly<Record<Exclude<keyof BmcOptions, 'state'> | 'id' | 'stateKey', Shape>> = {
  id: { expected: 'a number', admits: Number.isSafeInteger, sample: 1 },
  deadline: duration,
  minimumGap: orNothing(duration),
  gapAfterSilence: orNothing(duration),
  parallel: orNothing(atLeastOne),
  credentials: orNothing(listOf(text)),
  stateKey: orNothing(text),
};
const phase = oneOf(...stepPhases);

/** What a rehearsal notes of a system. */
function bootedText(system: BootSystem): string {
  if (system.kind === 'kernel') return `${system.kernel} ${system.ramdisk ?? ''}`;
  return system.kind === 'iso' ? system.iso : `volume ${system.volumes[0]?.[0]?.target ?? ''}`;
}

export const taskRows = {
  node: value(),
  ports: value([]),
  volumes: { connectors: value([]), targets: value([]) },
  driver: value(),
  log: { debug: local, info: local, warn: local, error: local, child: local },
  signal: value(),
  configuration: value(),
  clock: { now: local, monotonic: local, sleep: local, after: local },
  ramdisk: {
    agent: {
      start: special([text, jsonObject]),
      run: special([text, jsonObject]),
      end: special([jsonObject, seconds]),
      commands: special([]),
      startStep: special([phase, jsonObject]),
      getSteps: special([phase]),
    },
    parameters: value({}),
    isAlive: value(false),
    isRunning: value(false),
    staysRunning: value(false),
    saveLogs: act([orNull(text), flag], (label) => `save logs ${label ?? ''}`.trim()),
    loadInstanceKernel: call([], () => 'load the kernel of the instance if the node asks for kexec', false),
    startInstanceKernel: call([], undefined, 'not loaded'),
  },
  boot: {
    obstacle: value(null),
    unknownObstacle: value(null),
    dhcp: {
      update: act([listOf(dhcpOption)], (options) =>
        `update dhcp ${options.map(({ name, value: set }) => `${name}=${set}`).join(' ')}`.trim(),
      ),
      clean: act([], () => 'clean dhcp'),
      ipAddresses: call([], undefined, []),
    },
    check: act([bootSystem, oneOf('network', 'cd')]),
    serve: act([networkBoot], (boot) => {
      return `serve ${boot.protocol} ${bootedText(boot)}`;
    }),
    serveCd: call([cdBoot], ({ title }) => `serve CD ${title}`, 'http://192.0.2.1/boot.iso'),
    withdraw: act([], () => 'withdraw the network boot'),
  },
  configDrive: { check: act([]), image: call([], undefined, null) },
  images: {
    prepared: value(null),
    check: act([jsonObject]),
    prepare: call([jsonObject], ({ source }) => `prepare image ${source}`, {
      url: 'http://daemon.test/image',
      sha256: '0'.repeat(64),
      bytes: 1_048_576,
      format: 'raw',
    }),
    inspect: call([jsonObject], ({ source }) => `inspect image ${source}`, 'raw'),
    copyForStep: call([text], (source) => `copy ${source}`, {
      path: '/dev/null',
      bytes: 0,
      url: 'http://daemon.test/file',
    }),
  },
  update: act([object(driverChanges)], (given) => `update ${Object.keys(given).join(' ')}`),
  setMaintenance: act([text], (reason) => `set maintenance: ${reason}`),
  clearMaintenance: act([], () => 'clear maintenance'),
  addNote: act([text], (note) => `add note: ${note}`),
  requestProvision: act(
    [oneOf(...provisionVerbs), orNothing(object({ endsMaintenance: flag }))],
    (verb) => `request ${verb}`,
  ),
  renewEventUrl: call([], () => 'renew the URL for events', 'https://192.0.2.1/v1/bmc_events/node/token'),
  addPorts: act([listOf(text)], (addresses) => `add ports ${addresses.join(' ')}`),
  setPower: act([oneOf(...powerTargets)], (target) => `set ${target}`),
  // a process keeps the functions of the options, and `converse`, and sends numbers in their place
  bmc: special([text, object(conversationMembers), anything]),
} satisfies RowsOf<Task>;
