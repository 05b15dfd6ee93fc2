// The vendor interface `redfish`: event subscriptions and the ejection of virtual media.
import { defineVendor, fault, type JsonObject, type VirtualMediaDevice } from '#plugin-api';
import { bmcConnectionOf, connectionProperties } from '../bmc/connection.ts';
import { detachVirtualMedia } from '../management/media/virtual-media.ts';
import {
  allSubscriptions,
  createSubscription,
  deleteSubscription,
  oneSubscription,
  subscriptionIn,
} from './subscriptions.ts';

const devices: Readonly<Record<string, VirtualMediaDevice>> = {
  cd: 'cdrom',
  dvd: 'cdrom',
  usb: 'disk',
  floppy: 'floppy',
};

export const redfishVendor = defineVendor({
  properties: connectionProperties,
  validate(task) {
    bmcConnectionOf(task);
  },
  nodeMethods: {
    eject_vmedia: {
      httpMethods: ['POST'],
      description: 'Ejects virtual media. Argument boot_device: cd, dvd, usb or floppy; without it, all.',
      runs: 'background',
      validate(_, given) {
        ejected(given);
      },
      call: (task, given) => detachVirtualMedia(task, ejected(given)),
    },
    create_subscription: {
      httpMethods: ['POST'],
      description:
        'Subscribes to events. Arguments: Destination (a URL), Protocol, Context, EventTypes, HttpHeaders.',
      runs: 'wait',
      validate(_, given) {
        subscriptionIn(given);
      },
      call: createSubscription,
    },
    delete_subscription: {
      httpMethods: ['DELETE'],
      description: 'Deletes an event subscription. Argument: id.',
      runs: 'wait',
      call: deleteSubscription,
    },
    get_all_subscriptions: {
      httpMethods: ['GET'],
      description: 'Lists the event subscriptions.',
      runs: 'wait',
      sharesNode: true,
      call: (task) => allSubscriptions(task),
    },
    get_subscription: {
      httpMethods: ['GET'],
      description: 'Shows an event subscription. Argument: id.',
      runs: 'wait',
      sharesNode: true,
      call: oneSubscription,
    },
  },
});

function ejected({ boot_device: device }: JsonObject): readonly VirtualMediaDevice[] {
  if (device === undefined || device === null) return ['cdrom', 'disk', 'floppy'];
  const name = typeof device === 'string' ? device.toLowerCase() : '';
  const found = Object.hasOwn(devices, name) ? devices[name] : undefined;
  if (found !== undefined) return [found];
  throw fault('InvalidParameter', {
    name: 'boot_device',
    reason: `${JSON.stringify(device)}; expected one of ${Object.keys(devices).join(', ')}`,
  });
}
