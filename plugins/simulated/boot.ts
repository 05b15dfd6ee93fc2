// Sets what a simulated machine boots: the ramdisk over HTTP, or its disk.
import { defineBoot, type KernelParameters, type Task } from '#plugin-api';
import { changeBoot, simulatedProperties, validateConnection } from './redfish.ts';

export const simulatedBoot = defineBoot({
  properties: simulatedProperties,
  validate: validateConnection,
  async prepareRamdisk(task, parameters) {
    const url = `http://boot.invalid/ramdisk?${new URLSearchParams(words(parameters)).toString()}`;
    // firmware that accepts no URL from its BMC gets the URL over DHCP
    await task.boot.dhcp.update([
      { name: 'bootfile-name', value: url },
      { name: 'vendor-class', value: 'HTTPClient' },
    ]);
    await changeBoot(task, {
      BootSourceOverrideTarget: 'UefiHttp',
      BootSourceOverrideEnabled: 'Continuous',
      HttpBootUri: url,
    });
  },
  cleanUpRamdisk: bootDisk,
  prepareInstance: bootDisk,
  cleanUpInstance: async () => {},
});

const words = (parameters: KernelParameters) =>
  Object.entries(parameters).map(([name, value]): [string, string] => [name, value ?? '']);

async function bootDisk(task: Task): Promise<void> {
  await task.boot.dhcp.clean();
  await changeBoot(task, { BootSourceOverrideTarget: 'Hdd', BootSourceOverrideEnabled: 'Continuous' });
}
