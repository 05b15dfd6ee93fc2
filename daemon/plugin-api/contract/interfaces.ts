// The members of each interface type, a row for each. From the rows come the checks of what plugins export and return, which are
// needed at run time because a plugin may be plain JavaScript, and the calls of a rehearsal.
import { bootDevices } from '../../model/machine/boot-devices.ts';
import { bootModes } from '../../model/machine/boot-modes.ts';
import { byInterfaceType, type InterfaceType } from '../../model/machine/interface-types.ts';
import { sensorHealths, sensorUnits } from '../../model/machine/sensors.ts';
import { isJsonObject } from '../../model/json.ts';
import { powerStates, powerTargets } from '../../model/states/power-states.ts';
import type { Driver } from '../driver.ts';
import type { DriverInterface } from '../interfaces/driver-interface.ts';
import { isInterval } from './intervals.ts';
import { type All, type Members, type MembersOf, operation, optional, value, work } from './members.ts';
import {
  anything,
  flag,
  json,
  jsonObject,
  like,
  listOf,
  number,
  object,
  oneOf,
  orNull,
  type Shape,
  text,
} from './shapes.ts';
import { bootSystem, kernelParameters, seconds } from './task.ts';

const prepared = optional(operation([], oneOf('ready', 'wait')));
const bootDevice = oneOf(...bootDevices);
const bootMode = oneOf(...bootModes);
const bootDeviceSetting = object({
  boot_device: oneOf(...bootDevices, null),
  persistent: orNull(flag),
});
const biosSetting = object({ name: text, value: orNull(text) });
const firmware = object({ component: text, current_version: text });
const sensor = object({
  type: text,
  id: text,
  reading: orNull(number),
  unit: oneOf(...sensorUnits, null),
  health: oneOf(...sensorHealths, null),
  fields: json,
});
const indicator = like(
  { component: 'chassis', name: 'led', readonly: false, states: ['off', 'on'] },
  object({ component: text, name: text, readonly: flag, states: listOf(text) }),
);
const machineIdentity = object({
  serialNumbers: listOf(text),
  uuids: listOf(text),
  macs: listOf(text),
  product: orNull(text),
});
const indicatorState = like('on', text);
const drive = like('cdrom', text);
const vif = object({ id: text });
const bytes: Shape = {
  expected: 'a Uint8Array',
  admits: (report) => report instanceof Uint8Array,
  sample: new TextEncoder().encode('{"inventory":{}}'),
};
const outcome = oneOf('done', 'wait', 'wait for agent', 'reboot', 'reboot and repeat');

/** The members common to all interface types. */
export const commonMembers: All<DriverInterface> = {
  properties: value({ expected: 'an object', admits: isJsonObject, sample: {} }),
  validate: operation([]),
  validateMachine: work(),
  steps: optional(value(anything, { run: outcome, check: outcome, report: outcome })),
  offersAgentSteps: optional(
    value({
      expected: 'true, or a list of clean, deploy and service',
      admits: (phases) => phases === true || listOf(oneOf('clean', 'deploy', 'service')).admits(phases),
      sample: true,
    }),
  ),
  agentStepEnded: work(object({ interface: like('raid', text), step: text }), jsonObject),
  periodic: optional(value(anything, {})),
};

const bios: MembersOf<Driver['bios']> = {
  readSettings: optional(operation([], listOf(biosSetting))),
};

const boot: MembersOf<Driver['boot']> = {
  validateInspection: work(),
  validateRescue: work(),
  prepareRamdisk: work(kernelParameters),
  cleanUpRamdisk: work(),
  prepareInstance: work(),
  cleanUpInstance: work(),
  systems: optional(value(listOf(oneOf('kernel', 'iso', 'volume')))),
  servesFiles: optional(value(oneOf(true))),
  bootSystem: work(bootSystem, flag),
  checkSystem: work(bootSystem),
};

const consoleMembers: MembersOf<Driver['console']> = {
  startConsole: work(),
  stopConsole: work(),
  getConsole: optional(operation([], json)),
  serialProgram: optional(
    operation(
      [],
      object({
        command: text,
        arguments: listOf(text),
        secret: text,
        connectedBy: text,
        withheld: text,
        port: orNull(number),
      }),
    ),
  ),
};

const deploy: MembersOf<Driver['deploy']> = {
  prepare: work(),
  cleanUp: work(),
  tearDown: work(),
  takeOver: work(),
  instanceSystem: optional(operation([], json)),
  bootsVolumes: optional(value(oneOf(true))),
  prepareCleaning: prepared,
  tearDownCleaning: work(),
  prepareService: prepared,
  tearDownService: work(),
};

const firmwareMembers: MembersOf<Driver['firmware']> = {
  readComponents: optional(operation([], listOf(firmware))),
};

const inspectProgress: Shape = {
  expected: '"waiting", or an object whose report is a Uint8Array or undefined',
  admits: (progress) => progress === 'waiting' || (isJsonObject(progress) && isReport(progress['report'])),
  sample: 'waiting',
};
const isReport = (report: unknown) => report === undefined || report instanceof Uint8Array;

const inspect: MembersOf<Driver['inspect']> = {
  hooks: optional(value(object({ section: text, option: text }))),
  inspectHardware: operation([], {
    expected: '"manageable", "inspect wait", or { inventory, pluginData } with objects of JSON',
    admits: (result) => result === 'manageable' || result === 'inspect wait' || isInspectionReport(result),
    sample: 'manageable',
  }),
  abort: work(),
  finish: work(),
  passOn: work(bytes),
  poll: optional(
    value(
      {
        expected: 'an object with an interval and the function check',
        admits: (poll) =>
          isJsonObject(poll) && isInterval(poll['interval']) && typeof poll['check'] === 'function',
        sample: undefined,
      },
      { check: inspectProgress },
    ),
  ),
};

const management: MembersOf<Driver['management']> = {
  supportedBootDevices: operation([], listOf(bootDevice)),
  getBootDevice: operation([], bootDeviceSetting),
  setBootDevice: operation([bootDevice, flag]),
  getBootMode: optional(operation([], oneOf(...bootModes, null))),
  setBootMode: work(like('uefi', bootMode)),
  getSecureBoot: optional(operation([], oneOf(true, false, null))),
  setSecureBoot: work(flag),
  injectNmi: work(),
  listIndicators: optional(operation([], listOf(indicator))),
  getIndicatorState: optional(operation([indicator], text)),
  setIndicatorState: work(indicator, indicatorState),
  listVirtualMedia: optional(operation([], listOf(object({ media_types: listOf(text), inserted: flag })))),
  attachVirtualMedia: work(drive, like('http://192.0.2.1/image.iso', text)),
  detachVirtualMedia: work(listOf(drive)),
  login: optional(value(object({ username: text, password: text }))),
  checkPassword: optional(operation([like('secret', text), like('admin', text)], flag)),
  setPassword: work(like('secret', text)),
  makeUser: work(like('admin', text), like('secret', text)),
  identify: optional(operation([], machineIdentity)),
  getMacAddresses: optional(operation([], listOf(text))),
  subscribe: work(),
  unsubscribe: work(),
  readEvents: optional(
    operation([like({ Events: [{ Message: 'A fan has failed.' }] }, jsonObject)], listOf(text)),
  ),
  readSensors: optional(operation([], listOf(sensor))),
};

const isInspectionReport = (result: unknown): boolean =>
  isJsonObject(result) &&
  isJsonObject(result['inventory']) &&
  (result['pluginData'] === undefined || isJsonObject(result['pluginData'])) &&
  json.admits(result);

const network: MembersOf<Driver['network']> = {
  recordsVifs: optional(value(oneOf(true))),
  listVifs: optional(operation([], listOf(vif))),
  attachVif: work(vif),
  detachVif: work(text),
};

const condition: Shape = {
  expected:
    'an object with no fields but health, boot_mode and secure_boot, each absent or of its type in the contract',
  admits: (found) =>
    isJsonObject(found) &&
    Object.entries(found).every(([name, field]) => conditionFields[name]?.admits(field) === true),
  sample: {},
};
const conditionFields: Readonly<Record<string, Shape>> = {
  health: oneOf(...sensorHealths, null),
  boot_mode: bootMode,
  secure_boot: flag,
};

const power: MembersOf<Driver['power']> = {
  supportedTargets: value(listOf(oneOf(...powerTargets))),
  supportsPowerSync: value(flag),
  throughAgent: optional(value(oneOf(true))),
  getPowerState: operation([], oneOf(...powerStates, null)),
  readCondition: optional(operation([], condition)),
  setPowerState: operation([oneOf(...powerTargets), seconds]),
};

const raid: MembersOf<Driver['raid']> = {
  logicalDisk: optional(value(json)),
};

const rescue: MembersOf<Driver['rescue']> = {
  rescue: prepared,
  finish: work(),
  unrescue: work(),
  cleanUp: work(),
};

const storage: MembersOf<Driver['storage']> = {
  instanceSystem: optional(operation([], json)),
};

const vendor: MembersOf<Driver['vendor']> = {
  nodeMethods: optional(value(anything, { call: json })),
  driverMethods: optional(value(anything, { call: json })),
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
  storage,
  vendor,
};

/** All members of each interface type, the common ones first. */
export const contract = byInterfaceType((type): Members => ({ ...commonMembers, ...own[type] }));
