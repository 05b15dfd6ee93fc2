// The `ports` hook: adds, deletes and updates the node's ports according to the interfaces from validate-interfaces.
import { defineHook, type InspectionDraft, type JsonObject, type PortDraft } from '#plugin-api';
import { options } from '../options.ts';
import { type Interfaces, interfacesIn } from './reported-interface.ts';
import { shown } from '../shown.ts';

/** A DHCP client identifier: octets in hexadecimal. */
const CLIENT_ID = /^[0-9a-f]{2}(:[0-9a-f]{2})*$/i;
/** The DHCP option holds at most 255 octets, each written as two digits, separated by colons. */
const LONGEST_CLIENT_ID = 255 * 3 - 1;

export const ports = defineHook({
  dependencies: ['validate-interfaces'],
  call(draft) {
    const all = interfacesIn(draft, 'all_interfaces');
    const valid = interfacesIn(draft, 'valid_interfaces');
    const booted = macsOf(all.filter(([, reported]) => reported.pxe_enabled));
    const clientIds = clientIdsOf(draft, all);

    const added = newPorts(draft, valid, booted);
    // shows later hooks whether this run created the interface's port
    const addedMacs = new Set(added.map(({ address }) => address));
    draft.pluginData['valid_interfaces'] = Object.fromEntries(
      valid.map(([name, reported]) => [name, { ...reported, is_added: addedMacs.has(reported.mac_address) }]),
    );

    const kept = keptMacs(draft, all, valid);
    const setsPxe = options(draft).update_pxe_enabled && booted.size > 0;
    draft.ports = [...draft.ports, ...added]
      .map((port) => ({ port, mac: port.address.toLowerCase() }))
      .filter(({ mac }) => kept?.has(mac) ?? true)
      .map(({ port, mac }) => ({
        ...port,
        pxe_enabled: setsPxe ? booted.has(mac) : port.pxe_enabled,
        extra: { ...port.extra, ...clientIds.get(mac) },
      }));
  },
});

const macsOf = (interfaces: Interfaces) => new Set(interfaces.map(([, { mac_address }]) => mac_address));

/**
 * Returns new ports for those MAC addresses in `valid` that have no port. The conductor skips addresses that another node has.
 */
function newPorts(draft: InspectionDraft, valid: Interfaces, booted: ReadonlySet<string>): PortDraft[] {
  if (options(draft).add_ports === 'disabled') return [];
  const present = new Set(draft.ports.map(({ address }) => address.toLowerCase()));
  return [...macsOf(valid)]
    .filter((mac) => !present.has(mac))
    .map((address) => ({
      address,
      pxe_enabled: booted.size === 0 || booted.has(address),
      extra: {},
      local_link_connection: {},
      physical_network: null,
    }));
}

/** Returns the MAC addresses whose ports are kept; undefined when all are. */
function keptMacs(
  draft: InspectionDraft,
  all: Interfaces,
  valid: Interfaces,
): ReadonlySet<string> | undefined {
  const keepPorts = options(draft).keep_ports;
  if (keepPorts === 'present') return macsOf(all);
  return keepPorts === 'added' ? macsOf(valid) : undefined;
}

/** Returns, by MAC address, the field `client-id` for a port's `extra`. Only InfiniBand interfaces have client identifiers. */
function clientIdsOf(draft: InspectionDraft, all: Interfaces): ReadonlyMap<string, JsonObject> {
  const clientIds = new Map<string, JsonObject>();
  for (const [name, { client_id: clientId, mac_address: mac }] of all) {
    if (typeof clientId === 'string' && clientId.length <= LONGEST_CLIENT_ID && CLIENT_ID.test(clientId)) {
      clientIds.set(mac, { 'client-id': clientId });
    } else if (clientId) {
      draft.warn(`Ignoring the client_id of network interface ${shown(name)}: ${shown(clientId)}`);
    }
  }
  return clientIds;
}
