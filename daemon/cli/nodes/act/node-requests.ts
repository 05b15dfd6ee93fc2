// The commands about one node that are one request to the API.
import type { JsonObject } from '../../../model/json.ts';
import { jsonIn } from '../../records/assignments.ts';

export interface NodeRequest {
  readonly about: string;
  /** The arguments after the node. */
  readonly takes: readonly string[];
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the node. */
  readonly path: (given: readonly string[]) => string;
  readonly body?: (given: readonly string[]) => JsonObject;
  /** Where the reply has a list that is shown as a table: its key. */
  readonly list?: string;
}

const read = (about: string, path: string, list?: string): NodeRequest => ({
  about,
  takes: [],
  method: 'GET',
  path: () => path,
  ...(list !== undefined && { list }),
});

const put = (about: string, path: string, body: JsonObject): NodeRequest => ({
  about,
  takes: [],
  method: 'PUT',
  path: () => path,
  body: () => body,
});

const encoded = ([first = '']: readonly string[]) => encodeURIComponent(first);
const deviceRequest = (about: string, persistent: boolean): NodeRequest => ({
  about,
  takes: ['DEVICE'],
  method: 'PUT',
  path: () => 'management/boot_device',
  body: ([boot_device = '']) => ({ boot_device, persistent }),
});

/** By the words of the command after `node`. */
export const nodeRequests: Readonly<Record<string, NodeRequest>> = {
  validate: read('tell for each interface whether the node has what it needs', 'validate'),
  states: read('show the power and provision states, and the last error', 'states'),
  history: read('list earlier errors and events', 'history?detail=true', 'history'),
  children: read('list the child nodes', 'children', 'children'),
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
  'boot-device show': read('show from what the machine boots', 'management/boot_device'),
  'boot-device list': read('list from what it can boot', 'management/boot_device/supported'),
  'boot-device once': deviceRequest('set from what it boots the next time', false),
  'boot-device always': deviceRequest('set from what it boots', true),
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
  'bios list': read('list the BIOS settings', 'bios', 'bios'),
  'firmware list': read('list the versions of firmware', 'firmware', 'firmware'),
  'trait list': read('list the traits', 'traits', 'traits'),
  'trait add': {
    about: 'add a trait',
    takes: ['TRAIT'],
    method: 'PUT',
    path: (given) => `traits/${encoded(given)}`,
  },
  'trait remove': {
    about: 'remove a trait',
    takes: ['TRAIT'],
    method: 'DELETE',
    path: (given) => `traits/${encoded(given)}`,
  },
  'vif list': read('list the attached VIFs', 'vifs', 'vifs'),
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
  'vmedia attach': {
    about: 'insert an image as virtual medium: TYPE is cdrom, disk or floppy',
    takes: ['TYPE', 'URL'],
    method: 'POST',
    path: () => 'vmedia',
    body: ([device_type = '', image_url = '']) => ({ device_type, image_url }),
  },
  'vmedia detach': { about: 'eject the virtual media', takes: [], method: 'DELETE', path: () => 'vmedia' },
  'passthru list': read("list the vendor methods of the node's driver", 'vendor_passthru/methods'),
  'passthru call': {
    about: 'call a vendor method, with a JSON object as its arguments',
    takes: ['METHOD', 'JSON'],
    method: 'POST',
    path: (given) => `vendor_passthru?method=${encoded(given)}`,
    body: ([, json = '']) => jsonIn(json) as JsonObject,
  },
};
