// The firmware components of a machine: BIOS, BMC and network adapters.
import { defineFault, type FirmwareSeen, type JsonObject, type Task } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { converse } from '../bmc/converse.ts';
import { objectIn, objectsIn, pathIn, textIn } from '../bmc/fields.ts';

const noFirmware = defineFault('FirmwareNotShown', 400, 'The BMC of node {node} shows no firmware versions.');

/** Throws FirmwareNotShown when the BMC reports the firmware version of no component. */
export const readComponents = (task: Task): Promise<readonly FirmwareSeen[]> =>
  converse(task, { operation: 'Reading firmware versions', length: 4 }, async (bmc) => {
    const system = await bmc.system();
    const bios = textIn(system['BiosVersion']);
    const found = [
      ...(bios === undefined ? [] : [{ component: 'bios', current_version: bios }]),
      ...(await bmcComponent(bmc)),
      ...(await networkComponents(bmc)),
    ];
    if (found.length === 0) throw noFirmware({ node: task.node.uuid });
    return found;
  });

async function bmcComponent(bmc: Bmc): Promise<readonly FirmwareSeen[]> {
  const manager = (await bmc.manager()) ?? {};
  const version = textIn(manager['FirmwareVersion']);
  const model = textIn(manager['Model']);
  return version === undefined
    ? []
    : [{ component: 'bmc', current_version: version, ...(model !== undefined && { model }) }];
}

async function networkComponents(bmc: Bmc): Promise<readonly FirmwareSeen[]> {
  const chassis = await bmc.chassisPath();
  const path = chassis === undefined ? undefined : pathIn((await bmc.find(chassis))?.['NetworkAdapters']);
  return (await bmc.membersIfAny(path)).flatMap(networkComponent);
}

/** Names the adapter by its serial number if it has one: on some machines the Id of an adapter changes between boots. */
function networkComponent(adapter: JsonObject): readonly FirmwareSeen[] {
  const version = objectsIn(adapter['Controllers'])
    .map((controller) => textIn(objectIn(controller)['FirmwarePackageVersion']))
    .find((text) => text !== undefined);
  const [serial, id] = [textIn(adapter['SerialNumber']), textIn(adapter['Id'])];
  const name = serial ?? id;
  if (version === undefined || name === undefined) return [];
  const [vendor, model] = [textIn(adapter['Manufacturer']), textIn(adapter['Model'])];
  return [
    {
      component: `nic:${name}`,
      current_version: version,
      ...(vendor !== undefined && { vendor }),
      ...(model !== undefined && { model }),
      ...(serial !== undefined && { serial_number: serial }),
    },
  ];
}
