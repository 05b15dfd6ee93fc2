// The members of each interface type, for checks at run time, because a plugin may be plain JavaScript. The compiler
// keeps this table in step with the types of #plugin-api.
import { bootDevices } from '../../model/machine/boot-devices.ts';
import { bootModes } from '../../model/machine/boot-modes.ts';
import { byInterfaceType, type InterfaceType } from '../../model/machine/interface-types.ts';
import { sensorHealths, sensorUnits } from '../../model/machine/sensors.ts';
import { isJsonObject } from '../../model/json.ts';
import { powerStates, powerTargets } from '../../model/states/power-states.ts';
import type { Driver, DriverInterface } from '../../plugin-api/index.ts';
import { isInterval } from '../intervals.ts';
import { anything, flag, json, listOf, numberOrNull, object, oneOf, type Shape, text } from './shapes.ts';

interface Member<Required extends boolean = boolean> {
  /** `operation`: a function, which may be async; `value`: not a function. */
  readonly kind: 'operation' | 'value';
  readonly required: Required;
  /** The shape of the value, or of what the function returns or resolves to. */
  readonly shape: Shape;
}

export type Members = Readonly<Record<string, Member>>;

type All<I> = {
  readonly [K in keyof I]-?: Member<Pick<I, K> extends Required<Pick<I, K>> ? true : false>;
};
type MembersOf<I> = Omit<All<I>, keyof DriverInterface>;

const operation = (shape: Shape): Member<true> => ({ kind: 'operation', required: true, shape });
const value = (shape: Shape): Member<true> => ({ kind: 'value', required: true, shape });
const optional = (member: Member): Member<false> => ({ ...member, required: false });
const work = optional(operation(anything));

const prepared = optional(operation(oneOf('ready', 'wait')));
const bootDeviceSetting = object({
  boot_device: oneOf(...bootDevices, null),
  persistent: oneOf(true, false, null),
});
const biosSetting = object({ name: text, value: text.orNull });
const firmware = object({ component: text, current_version: text });
const sensor = object({
  type: text,
  id: text,
  reading: numberOrNull,
  unit: oneOf(...sensorUnits, null),
  health: oneOf(...sensorHealths, null),
  fields: json,
});
const indicator = object({ component: text, name: text, readonly: flag, states: listOf(text) });

/** The members common to all interface types. */
export const commonMembers: All<DriverInterface> = {
  properties: value({ expected: 'an object', admits: isJsonObject }),
  validate: operation(anything),
  validateMachine: work,
  steps: optional(value(anything)),
  offersAgentSteps: optional(
    value({
      expected: 'true, or a list of clean, deploy and service',
      admits: (phases) => phases === true || listOf(oneOf('clean', 'deploy', 'service')).admits(phases),
    }),
  ),
  agentStepEnded: work,
  periodic: optional(value(anything)),
};

const bios: MembersOf<Driver['bios']> = {
  readSettings: optional(operation(listOf(biosSetting))),
};

const boot: MembersOf<Driver['boot']> = {
  validateInspection: work,
  prepareRamdisk: work,
  cleanUpRamdisk: work,
  prepareInstance: work,
  cleanUpInstance: work,
  systems: optional(value(listOf(oneOf('kernel', 'iso')))),
  servesFiles: optional(value(oneOf(true))),
  bootSystem: work,
};

const consoleMembers: MembersOf<Driver['console']> = {
  startConsole: work,
  stopConsole: work,
  getConsole: optional(operation(json)),
  serialProgram: optional(
    operation(
      object({
        command: text,
        arguments: listOf(text),
        secret: text,
        connectedBy: text,
        withheld: text,
        port: numberOrNull,
      }),
    ),
  ),
};

const deploy: MembersOf<Driver['deploy']> = {
  prepare: work,
  cleanUp: work,
  tearDown: work,
  takeOver: work,
  instanceSystem: optional(operation(json)),
  prepareCleaning: prepared,
  tearDownCleaning: work,
  prepareService: prepared,
  tearDownService: work,
};

const firmwareMembers: MembersOf<Driver['firmware']> = {
  readComponents: optional(operation(listOf(firmware))),
};

const inspect: MembersOf<Driver['inspect']> = {
  hooks: optional(value(object({ section: text, option: text }))),
  inspectHardware: operation({
    expected: '"manageable", "inspect wait", or { inventory, pluginData } with objects of JSON',
    admits: (result) => result === 'manageable' || result === 'inspect wait' || isInspectionReport(result),
  }),
  abort: work,
  finish: work,
  passOn: work,
  poll: optional(
    value({
      expected: 'an object with an interval and the function check',
      admits: (poll) =>
        isJsonObject(poll) && isInterval(poll['interval']) && typeof poll['check'] === 'function',
    }),
  ),
};

const management: MembersOf<Driver['management']> = {
  supportedBootDevices: operation(listOf(oneOf(...bootDevices))),
  getBootDevice: operation(bootDeviceSetting),
  setBootDevice: operation(anything),
  getBootMode: optional(operation(oneOf(...bootModes, null))),
  setBootMode: work,
  getSecureBoot: optional(operation(oneOf(true, false, null))),
  setSecureBoot: work,
  injectNmi: work,
  listIndicators: optional(operation(listOf(indicator))),
  getIndicatorState: optional(operation(text)),
  setIndicatorState: work,
  listVirtualMedia: optional(operation(listOf(object({ media_types: listOf(text), inserted: flag })))),
  attachVirtualMedia: work,
  detachVirtualMedia: work,
  getMacAddresses: optional(operation(listOf(text))),
  subscribe: work,
  unsubscribe: work,
  readEvents: optional(operation(listOf(text))),
  readSensors: optional(operation(listOf(sensor))),
};

const isInspectionReport = (result: unknown): boolean =>
  isJsonObject(result) &&
  isJsonObject(result['inventory']) &&
  (result['pluginData'] === undefined || isJsonObject(result['pluginData'])) &&
  json.admits(result);

const network: MembersOf<Driver['network']> = {
  recordsVifs: optional(value(oneOf(true))),
  listVifs: optional(operation(listOf(object({ id: text })))),
  attachVif: work,
  detachVif: work,
};

const condition: Shape = {
  expected:
    'an object with no fields but health, boot_mode and secure_boot, each absent or of its type in the contract',
  admits: (found) =>
    isJsonObject(found) &&
    Object.entries(found).every(([name, field]) => conditionFields[name]?.admits(field) === true),
};
const conditionFields: Readonly<Record<string, Shape>> = {
  health: oneOf(...sensorHealths, null),
  boot_mode: oneOf(...bootModes),
  secure_boot: flag,
};

const power: MembersOf<Driver['power']> = {
  supportedTargets: value(listOf(oneOf(...powerTargets))),
  supportsPowerSync: value(flag),
  throughAgent: optional(value(oneOf(true))),
  getPowerState: operation(oneOf(...powerStates, null)),
  readCondition: optional(operation(condition)),
  setPowerState: operation(anything),
};

const raid: MembersOf<Driver['raid']> = {
  logicalDisk: optional(value(json)),
};

const rescue: MembersOf<Driver['rescue']> = { rescue: prepared, finish: work, unrescue: work, cleanUp: work };

const vendor: MembersOf<Driver['vendor']> = {
  nodeMethods: optional(value(anything)),
  driverMethods: optional(value(anything)),
};

/** The members of each interface type beyond the common ones. */
const own: Readonly<Record<InterfaceType, Members>> = {
  bios,
  boot,
  console: consoleMembers,
  deploy,
  firmware: firmwareMembers,
  inspect,
  management,
  network,
  power,
  raid,
  rescue,
  storage: {},
  vendor,
};

/** All members of each interface type, the common ones first. */
export const contract = byInterfaceType((type): Members => ({ ...commonMembers, ...own[type] }));
