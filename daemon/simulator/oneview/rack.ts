// The servers and templates of a simulated OneView appliance.
import type { JsonObject } from '../../model/json.ts';
import { machineMac } from '../rack.ts';
import type { SwitchedMachine, ApplianceServer, Template } from './state.ts';

export const BLADE_TYPE = '/rest/server-hardware-types/6A1C0B5E-22D4-4B7F-9B6B-0C3E7D5A1101';
export const RACK_TYPE = '/rest/server-hardware-types/6A1C0B5E-22D4-4B7F-9B6B-0C3E7D5A1102';
export const GROUP = '/rest/enclosure-groups/4d3c2b1a-0f9e-4c58-9a7d-5566778899aa';
const NETWORK = '/rest/ethernet-networks/11aa22bb-33cc-44dd-8e5f-667788990011';

/** The templates: `good` is for blades, `rack` for rack servers, `uefi` for blades with UEFI. oneview refuses the others. */
export const TEMPLATES = {
  good: '/rest/server-profile-templates/a0000000-0000-4000-8000-000000000001',
  virtualMac: '/rest/server-profile-templates/b0000000-0000-4000-8000-000000000002',
  unmanagedBoot: '/rest/server-profile-templates/c0000000-0000-4000-8000-000000000003',
  otherType: '/rest/server-profile-templates/d0000000-0000-4000-8000-000000000004',
  uefi: '/rest/server-profile-templates/e0000000-0000-4000-8000-000000000005',
  rack: '/rest/server-profile-templates/f0000000-0000-4000-8000-000000000006',
} as const;

const connections = {
  connections: [
    {
      id: 1,
      name: 'prov',
      functionType: 'Ethernet',
      portId: 'Flb 1:1-a',
      networkUri: NETWORK,
      boot: { priority: 'Primary' },
    },
  ],
};

const template = (name: keyof typeof TEMPLATES, more: JsonObject = {}): [string, Template] => [
  TEMPLATES[name],
  {
    uri: TEMPLATES[name],
    body: {
      name: `template ${name}`,
      serverHardwareTypeUri: BLADE_TYPE,
      enclosureGroupUri: GROUP,
      macType: 'Physical',
      wwnType: 'Physical',
      serialNumberType: 'Physical',
      boot: { manageBoot: true, order: ['HardDisk', 'PXE', 'CD', 'USB'] },
      connectionSettings: connections,
      ...more,
    },
  },
];

export const templates = (): Map<string, Template> =>
  new Map([
    template('good'),
    template('virtualMac', { macType: 'Virtual' }),
    template('unmanagedBoot', { boot: { manageBoot: false, order: [] } }),
    template('otherType', { serverHardwareTypeUri: RACK_TYPE }),
    template('uefi', {
      bootMode: { manageMode: true, mode: 'UEFIOptimized' },
      boot: { manageBoot: true, order: ['HardDisk'] },
    }),
    template('rack', { serverHardwareTypeUri: RACK_TYPE, enclosureGroupUri: null }),
  ]);

export const serverUri = (number: number): string =>
  `/rest/server-hardware/37333036-3831-4753-4831-${String(number).padStart(12, '0')}`;

/** The MAC address with which the server boots. */
export const serverMac = (number: number): string => machineMac('5b', number);

interface Kind {
  readonly isRack?: boolean;
  readonly machine?: SwitchedMachine;
}

export function newServer(number: number, { isRack = false, machine }: Kind = {}): ApplianceServer {
  const mac = serverMac(number);
  return {
    uri: serverUri(number),
    name: isRack ? `Rack server ${number}` : `Encl1, bay ${number}`,
    type: isRack ? RACK_TYPE : BLADE_TYPE,
    group: isRack ? null : GROUP,
    portMap: isRack ? null : portMapOf(mac),
    macs: [mac],
    machine,
    state: 'NoProfileApplied',
    powerState: 'Off',
    profile: null,
    lock: undefined,
    bootOnce: undefined,
    iloKeys: new Set(),
    iloTrouble: undefined,
  };
}

/** Two adapters with one port each. The second port's address differs from the first one's in the first octet. */
const portMapOf = (mac: string): JsonObject => ({
  deviceSlots: [adapter(1, mac), adapter(2, mac.replace('52:', '56:'))],
});

const adapter = (slotNumber: number, mac: string): JsonObject => ({
  location: 'Flb',
  slotNumber,
  physicalPorts: [
    {
      type: 'Ethernet',
      portNumber: 1,
      mac: mac.replace('00:5', '00:6').toUpperCase(),
      virtualPorts: [{ portFunction: 'a', mac: mac.toUpperCase() }],
    },
  ],
});
