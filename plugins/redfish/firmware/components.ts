// The firmware components of a machine: BIOS, BMC and network adapters.
import { defineFault, type FirmwareSeen, type JsonObject, type Task } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { converse } from '../bmc/converse.ts';
import { objectIn, objectsIn, textIn } from '../bmc/fields.ts';
import { networkAdapters } from '../management/mac-addresses.ts';

const noFirmware = defineFault('FirmwareNotShown', 400, 'The BMC of node {node} shows no firmware versions.');

export interface ComponentsSeen {
  readonly components: readonly FirmwareSeen[];
  /** What could not be read: for each part one line with the reason. */
  readonly unread: readonly string[];
}

/** Throws FirmwareNotShown when the BMC reports the firmware version of no component. */
export async function readComponents(task: Task): Promise<readonly FirmwareSeen[]> {
  const { components } = await componentsSeen(task);
  if (components.length === 0) throw noFirmware({ node: task.node.uuid });
  return components;
}

export const componentsSeen = (task: Task): Promise<ComponentsSeen> =>
  converse(task, { operation: 'Reading firmware versions', length: 4 }, async (bmc) => {
    const bios = textIn((await bmc.system())['BiosVersion']);
    const components = [
      ...(bios === undefined ? [] : [{ component: 'bios', current_version: bios }]),
      ...(await bmcComponent(bmc)),
      ...(await networkAdapters(bmc)).flatMap(networkComponent),
    ];
    return { components, unread: bmc.unread };
  });

async function bmcComponent(bmc: Bmc): Promise<readonly FirmwareSeen[]> {
  const manager = (await bmc.optional('its Manager', () => bmc.manager())) ?? {};
  const version = textIn(manager['FirmwareVersion']);
  const model = textIn(manager['Model']);
  return version === undefined
    ? []
    : [{ component: 'bmc', current_version: version, ...(model !== undefined && { model }) }];
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
