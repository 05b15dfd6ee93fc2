// What a simulated machine boots: the ramdisk, by HTTP boot, until it is told to boot its disk.
import { defineBoot, type KernelParameters, type Task } from '#plugin-api';
import { changeBoot, properties, validateConnection } from './redfish.ts';

export const simulatedBoot = defineBoot({
  properties,
  validate: validateConnection,
  prepareRamdisk: (task, parameters) =>
    changeBoot(task, {
      BootSourceOverrideTarget: 'UefiHttp',
      BootSourceOverrideEnabled: 'Continuous',
      HttpBootUri: `http://boot.invalid/ramdisk?${new URLSearchParams(words(parameters)).toString()}`,
    }),
  cleanUpRamdisk: bootDisk,
  prepareInstance: bootDisk,
  cleanUpInstance: async () => {},
});

const words = (parameters: KernelParameters) =>
  Object.entries(parameters).map(([name, value]): [string, string] => [name, value ?? '']);

function bootDisk(task: Task): Promise<void> {
  return changeBoot(task, { BootSourceOverrideTarget: 'Hdd', BootSourceOverrideEnabled: 'Continuous' });
}
