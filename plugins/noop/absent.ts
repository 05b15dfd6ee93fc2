// The `no-*` interfaces, for machines without the function. Validation by any of them and inspection by `no-inspect` throw
// UnsupportedDriverExtension; the interfaces have no other operations.
import {
  defineInspect,
  defineInterface,
  type Driver,
  type DriverInterface,
  fault,
  type Task,
} from '#plugin-api';

const refusal =
  (type: keyof Driver) =>
  (task: Task): never => {
    throw fault('UnsupportedDriverExtension', { driver: task.node.driver, extension: type });
  };

const absent = (type: keyof Driver): DriverInterface => ({ properties: {}, validate: refusal(type) });

export const noBios = defineInterface(absent('bios'));
/** For machines whose boot is controlled by another server on their network. */
export const noBoot = defineInterface(absent('boot'));
export const noConsole = defineInterface(absent('console'));
export const noDeploy = defineInterface(absent('deploy'));
export const noFirmware = defineInterface(absent('firmware'));
export const noRaid = defineInterface(absent('raid'));
export const noRescue = defineInterface(absent('rescue'));
export const noVendor = defineInterface(absent('vendor'));

export const noInspect = defineInspect({
  ...absent('inspect'),
  inspectHardware: async (task) => refusal('inspect')(task),
});
