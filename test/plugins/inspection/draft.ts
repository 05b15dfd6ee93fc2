// Makes drafts for inspection hooks: the inventory, which is deep-frozen, and the node and ports that hooks may change.
import type { InspectionDraft, Json, JsonObject, PortDraft } from '#plugin-api';
import { initialNode } from '../../../daemon/model/records/node.ts';
import { nodeDraftOf } from '../../../daemon/plugin-host/contract/node-draft.ts';
import { hookConfiguration, inspectionReports } from '../../fakes/inspection-hooks.ts';

export interface RecordedDraft extends InspectionDraft {
  readonly warnings: string[];
}

export function draftOf(options: {
  readonly inventory?: Json;
  readonly pluginData?: JsonObject;
  readonly properties?: JsonObject;
  readonly ports?: readonly PortDraft[];
  readonly previousInventory?: JsonObject;
  readonly inspector?: Readonly<Record<string, unknown>>;
}): RecordedDraft {
  const warnings: string[] = [];
  return {
    inventory: deepFrozen(options.inventory ?? {}) as JsonObject,
    previousInventory: options.previousInventory,
    pluginData: { ...options.pluginData },
    node: nodeDraftOf(
      initialNode({ uuid: '1be26c0b-03f2-4d2e-ae87-c02d7f33c123', properties: { ...options.properties } }),
    ),
    ports: [...(options.ports ?? [])],
    configuration: hookConfiguration(options.inspector),
    warn: (message) => void warnings.push(message),
    warnings,
  };
}

export function deepFrozen<T extends Json>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFrozen(part);
    Object.freeze(value);
  }
  return value;
}

/** Returns the draft for the ramdisk report of this name in `test/fixtures/inspection`. */
export function draftOfFixture(
  name: string,
  inspector: Readonly<Record<string, unknown>> = {},
): RecordedDraft {
  const { inventory, ...pluginData } = inspectionReports()[name] ?? {};
  return draftOf({ inventory: inventory ?? null, pluginData, inspector });
}

export function port(address: string, changes: Partial<PortDraft> = {}): PortDraft {
  return {
    uuid: `00000000-0000-4000-8000-${address.replaceAll(':', '').toLowerCase()}`,
    address,
    pxe_enabled: true,
    extra: {},
    local_link_connection: {},
    physical_network: null,
    ...changes,
  };
}

export const CLIENT_ID = 'ff:00:00:00:00:00:02:00:00:02:c9:00:7c:fe:90:03:00:29:26:52';

/** Interfaces of every kind, usable and not. */
export const interfaces: readonly JsonObject[] = [
  { name: 'lo', mac_address: '00:00:00:00:00:00', ipv4_address: '127.0.0.1' },
  {
    name: 'eno1',
    mac_address: '3C:EC:EF:10:20:30',
    ipv4_address: '192.0.2.50',
    ipv6_address: 'fe80::1%eno1',
  },
  { name: 'eno2', mac_address: '3C:EC:EF:10:20:31', ipv4_address: null, ipv6_address: null },
  { name: 'ens1f0', mac_address: 'b8:59:9f:aa:00:10', ipv4_address: null, ipv6_address: '2001:db8:5::10' },
  { name: 'ib0', mac_address: '7c:fe:90:29:26:52', client_id: CLIENT_ID },
  { name: null, mac_address: '3c:ec:ef:10:20:32' },
  { name: 'bad0', mac_address: 'banana' },
  { name: 'bad1', mac_address: '' },
];

export const inventoryOf = (pxeInterface: Json, list: Json = interfaces): JsonObject => ({
  interfaces: list,
  boot: { pxe_interface: pxeInterface },
});
