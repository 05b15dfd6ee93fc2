// Virtual media of the management interface `redfish`.
import {
  driverInfoChoice,
  driverInfoText,
  type PropertySpec,
  type Task,
  type VirtualMediaDevice,
  type VirtualMediaDrive,
} from '#plugin-api';
import { stringsIn } from '../bmc/fields.ts';
import { converse } from '../bmc/converse.ts';
import { eject } from './eject-media.ts';
import { insertMedia } from './insert-media.ts';
import { isInserted, readSlots, readSlotsFor } from './media-slots.ts';

/** Some BMCs have many slots, and after each insertion the slot is read again. */
const LENGTH = 4;

const PROTOCOLS = ['HTTP', 'HTTPS', 'NFS', 'CIFS'];

export const mediaProperties = {
  vmedia_transport_protocol: {
    description:
      'How the BMC fetches images: HTTP, HTTPS, NFS or CIFS, sent as TransferProtocolType. Default: it is sent only to BMCs that ask for it, as the URL says.',
  },
} as const satisfies Readonly<Record<string, PropertySpec>>;

export const listVirtualMedia = (task: Task): Promise<readonly VirtualMediaDrive[]> =>
  converse(task, { operation: 'Reading the virtual media', length: LENGTH }, async (bmc) =>
    (await readSlots(bmc)).map(({ resource }) => {
      const inserted = isInserted(resource);
      const { Image: image } = resource;
      return {
        media_types: stringsIn(resource['MediaTypes']),
        inserted,
        image: inserted && typeof image === 'string' ? image : null,
      };
    }),
  );

/** Throws VirtualMediaRefused. */
export const attachVirtualMedia = (task: Task, device: VirtualMediaDevice, url: string): Promise<void> =>
  converse(task, { operation: `Inserting a ${device}`, length: LENGTH }, (bmc) =>
    insertMedia(bmc, task, { device, url, protocol: protocolOf(task) }),
  );

export const detachVirtualMedia = (task: Task, devices: readonly VirtualMediaDevice[]): Promise<void> =>
  converse(task, { operation: `Ejecting ${devices.join(', ')}`, length: LENGTH }, async (bmc) => {
    for (const slot of await readSlotsFor(bmc, devices))
      if (isInserted(slot.resource)) await eject(bmc, slot);
  });

/** Throws DriverInfoInvalid. */
export function protocolOf({ node }: Task): string | undefined {
  if (driverInfoText(node, 'vmedia_transport_protocol', '') === '') return undefined;
  const upper = {
    ...node,
    driver_info: { protocol: driverInfoText(node, 'vmedia_transport_protocol', '').toUpperCase() },
  };
  return driverInfoChoice(upper, 'protocol', PROTOCOLS, 'HTTP');
}
