// A management interface that stores what is set and returns it; it counts changes of boot mode and Secure Boot, and NMIs.
import {
  type BootDevice,
  type BootMode,
  defineManagement,
  type Indicator,
  type IndicatorState,
  type VirtualMediaDrive,
} from '#plugin-api';
import { count, failIfAsked, recall, remember } from './memory.ts';

const indicators: readonly Indicator[] = [
  { component: 'chassis', name: 'uid', readonly: false, states: ['off', 'on', 'blinking'] },
  { component: 'power', name: 'psu@1', readonly: true, states: ['off', 'on'] },
];

export const ableManagement = defineManagement({
  properties: {},
  validate(task) {
    failIfAsked(task, 'validate');
  },
  supportedBootDevices: async () => ['pxe', 'disk'],
  getBootDevice: async (task) => ({
    boot_device: recall(task, 'device', null) as BootDevice | null,
    persistent: recall(task, 'persistent', null) as boolean | null,
  }),
  async setBootDevice(task, device, persistent) {
    await remember(task, { device, persistent });
  },
  async getBootMode(task) {
    failIfAsked(task, 'getBootMode');
    return recall(task, 'mode', 'bios') as BootMode;
  },
  async setBootMode(task, mode) {
    failIfAsked(task, 'setBootMode');
    await count(task, 'modeChanges');
    await remember(task, { mode });
  },
  getSecureBoot: async (task) => recall(task, 'secure', false) as boolean,
  async setSecureBoot(task, secure) {
    failIfAsked(task, 'setSecureBoot');
    await count(task, 'secureChanges');
    await remember(task, { secure });
  },
  login: { username: 'able_username', password: 'able_password' },
  checkPassword: async () => true,
  setPassword: async () => {},
  makeUser: async () => {},
  identify: async () => ({
    serialNumbers: [' able1', 'Default string', 'ABLE1'],
    uuids: ['00000000-0000-0000-0000-000000000000', '00112233-4455-6677-8899-AABBCCDDEEFF'],
    macs: ['52:54:00:00:00:01', '52:54:00:00:00:01'],
    product: null,
  }),
  async injectNmi(task) {
    await count(task, 'interrupts');
  },
  listIndicators: async () => indicators,
  getIndicatorState: async (task, { name }) => recall(task, name, 'off') as IndicatorState,
  async setIndicatorState(task, { name }, state) {
    await remember(task, { [name]: state });
  },
  async readSensors(task) {
    failIfAsked(task, 'readSensors');
    const celsius = 20 + Number(recall(task, 'warmth', 0));
    return [
      {
        type: 'Temperature',
        id: 'Inlet@1',
        reading: celsius,
        unit: 'celsius',
        health: 'Warning',
        fields: { reading_celsius: celsius, health: 'Warning' },
      },
      { type: 'Fan', id: 'Fan1', reading: null, unit: 'rpm', health: null, fields: {} },
      { type: 'Fan', id: 'Fan1', reading: 1, unit: 'rpm', health: null, fields: {} },
    ];
  },
  async listVirtualMedia(task) {
    const image = recall(task, 'cdrom', null) as string | null;
    return [{ media_types: ['CD', 'DVD'], inserted: image !== null, image }] satisfies VirtualMediaDrive[];
  },
  async attachVirtualMedia(task, device, imageUrl) {
    failIfAsked(task, 'attachVirtualMedia');
    await remember(task, { [device]: imageUrl });
  },
  async detachVirtualMedia(task, devices) {
    failIfAsked(task, 'detachVirtualMedia');
    await remember(task, {
      detached: devices,
      ...Object.fromEntries(devices.map((device) => [device, null])),
    });
  },
});
