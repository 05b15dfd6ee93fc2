// The commands about one node that each send a single request to the API.
import {
  encoded,
  put,
  readingRequest,
  type RecordRequest,
  traitRequests,
} from '../../records/record-request.ts';

const deviceRequest = (about: string, persistent: boolean): RecordRequest => ({
  about,
  takes: ['DEVICE'],
  method: 'PUT',
  path: () => 'management/boot_device',
  body: ([boot_device = '']) => ({ boot_device, persistent }),
});

/** The requests, by the words of their commands after `node`. */
export const nodeRequests: Readonly<Record<string, RecordRequest>> = {
  validate: readingRequest('show whether the node has what each interface needs', 'validate'),
  states: readingRequest('show the power and provision states, and the last error', 'states'),
  'history list': readingRequest('list earlier errors and events', 'history?detail=true', 'history'),
  'history get': {
    about: 'show one error or event, by its UUID',
    takes: ['EVENT'],
    method: 'GET',
    path: (given) => `history/${encoded(given)}`,
  },
  children: readingRequest('list the child nodes', 'children', 'children'),
  'maintenance set': {
    about: 'keep the daemon from acting on the machine',
    takes: ['REASON'],
    method: 'PUT',
    path: () => 'maintenance',
    body: ([reason = '']) => ({ reason }),
  },
  'maintenance unset': {
    about: 'let the daemon act on the machine again',
    takes: [],
    method: 'DELETE',
    path: () => 'maintenance',
  },
  'boot-device show': readingRequest('show the device that the machine boots from', 'management/boot_device'),
  'boot-device list': readingRequest(
    'list the devices that the machine can boot from',
    'management/boot_device/supported',
  ),
  'boot-device once': deviceRequest('set the device that the machine boots from next', false),
  'boot-device always': deviceRequest('set the device that the machine boots from each time', true),
  'boot-mode': {
    about: 'set the boot mode, bios or uefi',
    takes: ['MODE'],
    method: 'PUT',
    path: () => 'states/boot_mode',
    body: ([target = '']) => ({ target }),
  },
  'secure-boot on': put('switch Secure Boot on', 'states/secure_boot', { target: true }),
  'secure-boot off': put('switch Secure Boot off', 'states/secure_boot', { target: false }),
  'inject-nmi': put(
    'interrupt the machine, so that its system writes a crash dump',
    'management/inject_nmi',
    {},
  ),
  'console-on': put('start the serial console', 'states/console', { enabled: true }),
  'console-off': put('end the serial console', 'states/console', { enabled: false }),
  'console-show': readingRequest(
    'show whether the serial console is on, and how to reach it',
    'states/console',
  ),
  'indicator list': readingRequest(
    'list the indicators, such as LEDs',
    'management/indicators',
    'indicators',
  ),
  'indicator show': {
    about:
      'show whether an indicator is on; INDICATOR is a name from "indicator list", such as led-0@chassis',
    takes: ['INDICATOR'],
    method: 'GET',
    path: (given) => `management/indicators/${encoded(given)}`,
  },
  'indicator set': {
    about: 'switch an indicator; STATE is on, off or blinking',
    takes: ['INDICATOR', 'STATE'],
    method: 'PUT',
    path: (given) => `management/indicators/${encoded(given)}`,
    body: ([, state = '']) => ({ state }),
  },
  'bios list': readingRequest('list the BIOS settings', 'bios', 'bios'),
  'bios show': {
    about: 'show a BIOS setting, with the values that it may have',
    takes: ['SETTING'],
    method: 'GET',
    path: (given) => `bios/${encoded(given)}`,
    content: ([setting = '']) => setting,
  },
  'firmware list': readingRequest('list the versions of firmware', 'firmware', 'firmware'),
  ...traitRequests,
  'vif list': readingRequest('list the attached VIFs', 'vifs', 'vifs'),
  'vif attach': {
    about: 'attach a VIF, the port of an instance in a network',
    takes: ['VIF'],
    method: 'POST',
    path: () => 'vifs',
    body: ([id = '']) => ({ id }),
  },
  'vif detach': {
    about: 'detach a VIF',
    takes: ['VIF'],
    method: 'DELETE',
    path: (given) => `vifs/${encoded(given)}`,
  },
  'vmedia list': readingRequest('list the virtual drives, and what is in them', 'vmedia'),
  'vmedia attach': {
    about: 'insert an image as virtual medium: TYPE is cdrom, disk or floppy',
    takes: ['TYPE', 'URL'],
    method: 'POST',
    path: () => 'vmedia',
    body: ([device_type = '', image_url = '']) => ({ device_type, image_url }),
  },
  'vmedia detach': { about: 'eject the virtual media', takes: [], method: 'DELETE', path: () => 'vmedia' },
};
