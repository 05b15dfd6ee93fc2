// "#plugin-api/redfish": what plugins for a vendor's Redfish BMCs build on.
export type { Bmc } from './bmc/bmc.ts';
export { converse } from './bmc/converse.ts';
export { allStorages } from './bmc/storages.ts';
export { numberIn, objectIn, pathIn, pathsIn, targetIn, textIn } from './bmc/fields.ts';
export { type BmcAnswer, refusalOf } from './bmc/redfish-client.ts';
export { isBelow } from './quirks/quirks.ts';
export { plannedVolumes } from './raid/raid.ts';
export { type Controller, isRaid, readControllers } from './raid/volumes.ts';
export { hasRamdisk, isSilent, isUnfinished, type Reboot, rebootOnce } from './steps/reboot.ts';
export { readTask, taskOf } from './steps/redfish-task.ts';
export { storedState } from './steps/stored-state.ts';
