// The conditions for a port to be a member of its portgroup.
import { fault } from '../../../model/faults.ts';
import type { Port, PortChanges } from '../../../model/records/port.ts';
import type { Portgroup } from '../../../model/records/portgroup.ts';
import { now } from '../../../lib/clock.ts';
import { findReferencedPortgroup } from '../referenced-records.ts';
import type { RecordServices } from '../services.ts';

/**
 * Returns the port to store: a port without a physical network takes its portgroup's, unless the request names the field. A
 * portgroup without a network and without other ports takes the network of the port, and is stored. `given`: the fields that the
 * request names. Throws when the port cannot be a member.
 */
export function fitPortgroup(services: RecordServices, port: Port, given: PortChanges): Port {
  if (port.portgroup_uuid === null) return port;
  const portgroup = findReferencedPortgroup(services, port.portgroup_uuid);
  const others = services.db.ports.inPortgroup(portgroup.uuid).filter(({ uuid }) => uuid !== port.uuid);
  const follows = given.physical_network === undefined && port.physical_network === null;
  const member = follows ? { ...port, physical_network: portgroup.physical_network } : port;
  refuseUnfit(member, portgroup, others);
  if (others.length === 0 && portgroup.physical_network === null && member.physical_network !== null) {
    const { physical_network } = member;
    services.db.portgroups.update(portgroup.uuid, { physical_network, updated_at: now(services) });
  }
  return member;
}

/** Throws InvalidParameter or InvalidState when the port cannot be a member. `others`: the portgroup's other ports. */
function refuseUnfit(port: Port, portgroup: Portgroup, others: readonly Port[]): void {
  if (portgroup.node_uuid !== port.node_uuid) {
    throw fault('InvalidParameter', {
      name: 'portgroup_uuid',
      reason: `portgroup ${portgroup.uuid} belongs to node ${portgroup.node_uuid}, the port to node ${port.node_uuid}`,
    });
  }
  refuseStandalone(portgroup, [port]);
  const network = portgroup.physical_network ?? others[0]?.physical_network;
  if (network === undefined || network === port.physical_network) return;
  throw fault('InvalidState', {
    reason: `Port ${port.uuid} has ${networkText(port.physical_network)}, but portgroup ${portgroup.uuid} has ${networkText(network)}: all ports of a portgroup are on the same one.`,
  });
}

const networkText = (network: string | null): string =>
  network === null ? 'no physical network' : `physical network ${network}`;

/** Throws InvalidState when a port has pxe_enabled=true but the portgroup does not support standalone ports. */
export function refuseStandalone(portgroup: Portgroup, ports: readonly Port[]): void {
  const standalone = ports.filter((port) => port.pxe_enabled);
  if (portgroup.standalone_ports_supported || standalone.length === 0) return;
  throw fault('InvalidState', {
    reason: `Portgroup ${portgroup.uuid} does not support standalone ports and so can not have ports with pxe_enabled=true: ${standalone.map(({ uuid }) => uuid).join(', ')}. Set pxe_enabled=false on them first.`,
  });
}
