// Checks the arguments with which a plugin in a process of its own calls the functions of a task.
import { bootModes } from '../../model/machine/boot-modes.ts';
import { bootProtocols } from '../../model/machine/boot-protocols.ts';
import { isJsonObject } from '../../model/json.ts';
import { powerTargets } from '../../model/states/power-states.ts';
import { provisionVerbs } from '../../model/states/verbs.ts';
import { stepPhases } from '../../model/steps/step-phases.ts';
import type {
  Agent,
  BmcOptions,
  BootServices,
  ConfigDrive,
  Dhcp,
  DriverChanges,
  Images,
  Ramdisk,
  Task,
} from '../../plugin-api/index.ts';
import { describeValue, flag, json, listOf, oneOf, type Shape, text } from './shapes.ts';

const DAY_MILLISECONDS = 86_400_000;

const jsonObject: Shape = {
  expected: `an object, ${json.expected}`,
  admits: (value) => isJsonObject(value) && json.admits(value),
};
const optional = (shape: Shape): Shape => ({
  expected: `${shape.expected}, or nothing`,
  admits: (value) => value === undefined || shape.admits(value),
});
const members = (shapes: Readonly<Record<string, Shape>>): Shape => ({
  expected: `an object with ${Object.entries(shapes)
    .map(([name, shape]) => `${name} (${shape.expected})`)
    .join(', ')}`,
  admits: (value) =>
    isJsonObject(value) && Object.entries(shapes).every(([name, shape]) => shape.admits(value[name])),
});
const duration: Shape = {
  expected: `a number of milliseconds from 0 to ${DAY_MILLISECONDS}`,
  admits: (value) => Number.isFinite(value) && Number(value) >= 0 && Number(value) <= DAY_MILLISECONDS,
};

const seconds: Shape = {
  expected: 'a number of seconds',
  admits: (value) => Number.isFinite(value) && Number(value) >= 0,
};
const atLeastOne: Shape = {
  expected: 'an integer of at least 1',
  admits: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
};

const changes: Readonly<Record<keyof DriverChanges, Shape>> = {
  driver_info: optional(jsonObject),
  driver_internal_info: optional(jsonObject),
  properties: optional(jsonObject),
  instance_info: optional(jsonObject),
  boot_mode: optional(oneOf(...bootModes, null)),
  secure_boot: optional(oneOf(true, false, null)),
  raid_config: optional(jsonObject),
  health: optional(text.orNull),
};
const kernelParameters: Shape = {
  expected: 'an object whose values are strings or null',
  admits: (value) =>
    isJsonObject(value) && Object.values<unknown>(value).every((one) => text.orNull.admits(one)),
};
const bootFile = members({
  name: text,
  content: jsonObject,
  parameter: text,
  urlOf: oneOf('file', 'folder'),
});
const kernelSystem = {
  kind: oneOf('kernel'),
  kernel: text,
  ramdisk: text.orNull,
  parameters: kernelParameters,
  files: optional(listOf(bootFile)),
};
const isoSystem = { kind: oneOf('iso'), iso: text };
const booted = { protocol: oneOf(...bootProtocols), bootMode: oneOf(...bootModes), title: text };
const either = (one: Shape, other: Shape): Shape => ({
  expected: `${one.expected}; or ${other.expected}`,
  admits: (value) => one.admits(value) || other.admits(value),
});
const networkBoot = either(members({ ...booted, ...kernelSystem }), members({ ...booted, ...isoSystem }));
const onCd = { title: text, agentToken: flag };
const cdBoot = either(members({ ...onCd, ...kernelSystem }), members({ ...onCd, ...isoSystem }));
const dhcpOption = members({
  name: text,
  value: text.orNull,
  client: optional(oneOf('ipxe', 'firmware')),
});
const conversationMembers: Readonly<Record<Exclude<keyof BmcOptions, 'state'> | 'id' | 'stateKey', Shape>> = {
  id: { expected: 'a number', admits: Number.isSafeInteger },
  deadline: duration,
  minimumGap: optional(duration),
  gapAfterSilence: optional(duration),
  parallel: optional(atLeastOne),
  credentials: optional(listOf(text)),
  stateKey: optional(text),
};
const conversation = members(conversationMembers);
const phase = oneOf(...stepPhases);

type FunctionsOf<T> = {
  [K in keyof T & string]: T[K] extends (...rest: never[]) => unknown ? K : never;
}[keyof T & string];
/** The functions of a task that run in the daemon; the compiler refuses a table that lacks one. */
type PlaceOfFunction =
  | FunctionsOf<Task>
  | `images.${FunctionsOf<Images>}`
  | `configDrive.${FunctionsOf<ConfigDrive>}`
  | `ramdisk.${FunctionsOf<Ramdisk>}`
  | `ramdisk.agent.${FunctionsOf<Agent>}`
  | `boot.${FunctionsOf<BootServices>}`
  | `boot.dhcp.${FunctionsOf<Dhcp>}`;

const shapes: Readonly<Record<PlaceOfFunction, readonly Shape[]>> = {
  update: [members(changes)],
  setMaintenance: [text],
  clearMaintenance: [],
  addNote: [text],
  requestProvision: [oneOf(...provisionVerbs), optional(members({ endsMaintenance: flag }))],
  renewEventUrl: [],
  addPorts: [listOf(text)],
  setPower: [oneOf(...powerTargets)],
  bmc: [text, conversation],
  'images.prepare': [jsonObject],
  'images.inspect': [jsonObject],
  'images.copyForStep': [text],
  'configDrive.check': [],
  'configDrive.image': [],
  'ramdisk.saveLogs': [text.orNull, flag],
  'ramdisk.agent.start': [text, jsonObject],
  'ramdisk.agent.run': [text, jsonObject],
  'ramdisk.agent.end': [jsonObject, seconds],
  'ramdisk.agent.commands': [],
  'ramdisk.agent.startStep': [phase, jsonObject],
  'ramdisk.agent.getSteps': [phase],
  'boot.serve': [networkBoot],
  'boot.serveCd': [cdBoot],
  'boot.withdraw': [],
  'boot.dhcp.update': [listOf(dhcpOption)],
  'boot.dhcp.clean': [],
  'boot.dhcp.ipAddresses': [],
};

/** Throws a TypeError for arguments that do not fit, and an Error for a function that no task has. */
export function refuseUnfitArguments(place: string, given: readonly unknown[]): void {
  const wanted = Object.hasOwn(shapes, place) ? shapes[place as PlaceOfFunction] : undefined;
  if (wanted === undefined) throw new Error(`a task has no function ${place}`);
  const at = wanted.findIndex((shape, index) => !shape.admits(given[index]));
  if (at < 0) return;
  throw new TypeError(
    `task.${place} was called with ${describeValue(given[at])}; expected ${wanted[at]?.expected}`,
  );
}
