// "#plugin-api/redfish": what plugins for BMCs of a vendor build on.
export type { Bmc } from './bmc/bmc.ts';
export { converse } from './bmc/converse.ts';
export { numberIn, objectIn, pathIn, targetIn, textIn } from './bmc/fields.ts';
export { refusalOf } from './bmc/redfish-client.ts';
export { isBelow } from './quirks/quirks.ts';
export { isSilent } from './steps/reboot.ts';
export { readTask, taskOf } from './steps/redfish-task.ts';
export { storedState } from './steps/stored-state.ts';
