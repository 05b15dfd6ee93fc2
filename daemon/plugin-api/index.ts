// "#plugin-api": all that a plugin may import. Semantic versioning covers exactly what is exported here.
export const PLUGIN_API_VERSION = '1.0.0';

export type * from './agent.ts';
export * from './deployment.ts';
export * from './driver-info.ts';
export * from './hooks.ts';
export * from './interfaces.ts';
export * from './machine-parts.ts';
export * from './management.ts';
export type * from './steps.ts';
export type * from './task.ts';
export * from './vendor.ts';
export { canonicalIp, isHostAddress, isLoopback } from '../lib/ip.ts';
export type { Logger } from '../lib/logger.ts';
export { parseBootif, parseMac } from '../lib/mac.ts';
export { bootDevices, type BootDevice } from '../model/boot-devices.ts';
export type { BootMode } from '../model/boot-modes.ts';
export { Fault, fault, reasonOf } from '../model/faults.ts';
export type { Indicator, IndicatorState } from '../model/indicators.ts';
export { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
export type { Node } from '../model/node.ts';
export type { Port } from '../model/port.ts';
export { logicalDiskSchema, type LogicalDiskSchema } from '../model/raid.ts';
export { type StepPhase, stepPhases } from '../model/step-phases.ts';
export { resultOf, type PowerState, type PowerTarget } from '../model/power-states.ts';
export type { VirtualMediaDevice, VirtualMediaDrive } from '../model/virtual-media.ts';
