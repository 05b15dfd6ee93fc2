// Virtual media of the management interface `redfish`.
import {
  driverInfoChoice,
  driverInfoText,
  fault,
  type PropertySpec,
  type Task,
  type VirtualMediaDevice,
  type VirtualMediaDrive,
} from '#plugin-api';
import { stringsIn } from '../../bmc/fields.ts';
import { converse } from '../../bmc/converse.ts';
import { eject } from './eject-media.ts';
import { insertMedia } from './insert-media.ts';
import { isInserted, readSlots, readSlotsFor } from './media-slots.ts';

/**
 * The time limit of a conversation as a multiple of `read_timeout`: some BMCs have many slots, and each insertion is followed by
 * a reading.
 */
const READ_TIMEOUTS = 4;

const PROTOCOLS = ['HTTP', 'HTTPS', 'NFS', 'CIFS'];

export const mediaProperties = {
  vmedia_transport_protocol: {
    description:
      'The protocol with which the BMC fetches images, sent to it as TransferProtocolType: HTTP, HTTPS, NFS or CIFS. Not set: only a BMC that requires the property gets it, with HTTPS for an https URL and HTTP for any other.',
  },
} as const satisfies Readonly<Record<string, PropertySpec>>;

export const listVirtualMedia = (task: Task): Promise<readonly VirtualMediaDrive[]> =>
  converse(task, { operation: 'Reading the virtual media', length: READ_TIMEOUTS }, async (bmc) =>
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

/** Throws InvalidParameter when the BMC has no such drive, and VirtualMediaRefused when no drive accepts the image. */
export const attachVirtualMedia = (task: Task, device: VirtualMediaDevice, url: string): Promise<void> =>
  converse(task, { operation: `Inserting a ${device}`, length: READ_TIMEOUTS }, (bmc) =>
    insertMedia(bmc, task, { device, url, protocol: protocolOf(task) }),
  );

/** Throws InvalidParameter when the BMC has no slot, or none of the slots for the devices can be read. */
export const detachVirtualMedia = (task: Task, devices: readonly VirtualMediaDevice[]): Promise<void> =>
  converse(task, { operation: `Ejecting ${devices.join(', ')}`, length: READ_TIMEOUTS }, async (bmc) => {
    const slots = await readSlotsFor(bmc, devices);
    if (slots.length === 0 && bmc.unread.length > 0)
      throw fault('InvalidParameter', {
        name: 'virtual media',
        reason: `it is unknown whether a ${devices.join(' or ')} is inserted; ${bmc.unread.join('; ')}`,
      });
    for (const slot of slots) if (isInserted(slot.resource)) await eject(bmc, slot);
  });

/** Returns the protocol in capitals; undefined when the operator has chosen none. Throws DriverInfoInvalid. */
export function protocolOf({ node }: Task): string | undefined {
  const name = 'vmedia_transport_protocol';
  const given = driverInfoText(node, name, '').toUpperCase();
  if (given === '') return undefined;
  return driverInfoChoice({ ...node, driver_info: { [name]: given } }, name, PROTOCOLS, 'HTTP');
}
