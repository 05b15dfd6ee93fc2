// Finds the node that an inspection report belongs to.
import { isHostAddress } from '../../lib/network/ip.ts';
import type { Node } from '../../model/records/node.ts';
import { statesThat } from '../../model/states/provision-states.ts';
import { nodesAt } from '../finding/nodes-at.ts';
import { isAtItsAddress, type RamdiskIdentity } from '../ramdisk/lookup.ts';
import type { InspectionServices } from './services.ts';

export type Inspected =
  | { readonly kind: 'waiting'; readonly node: Node }
  /**
   * The report gives no UUID, no port has any of its MAC addresses, no waiting node has any of its BMC addresses, and no node without
   * ports names one in its driver_info. `twins`: the nodes with ports that name one, if discovery is enabled.
   */
  | { readonly kind: 'unknown'; readonly twins: readonly string[] }
  /**
   * The report gives a UUID, or some of its addresses are known, but it identifies no node that waits for a report, or does not
   * come from the node's address.
   */
  | { readonly kind: 'near miss' };

/**
 * Finds the node in `inspect wait` that the report belongs to. If there is none, logs why. `address`: where the report came from;
 * null for a Unix socket.
 */
export function findInspected(
  services: InspectionServices,
  identity: RamdiskIdentity,
  address: string | null,
): Inspected {
  const waiting = statesThat('inspectionReport');
  const byMac = services.db.ports.nodesWithAddress(identity.macs);
  const usable = identity.bmcAddresses.filter(isHostAddress);
  const byBmc = usable.length === 0 ? [] : services.db.nodes.withBmcAddress(waiting, usable);
  const match = matchMachine(identity.uuid, byMac, byBmc);
  const node = match.node === undefined ? undefined : services.db.nodes.get(match.node);
  if (node !== undefined && waiting.includes(node.provision_state))
    return atItsAddress(services, node, { address, macs: identity.macs });
  const reason = match.node === undefined ? match.miss : missOf(node);
  services.log.warn(
    { ...identity, nodesByMac: byMac, nodesByBmc: byBmc, state: node?.provision_state, reason },
    'inspection data matched no waiting node',
  );
  const unknown = identity.uuid === undefined && byMac.length === 0 && byBmc.length === 0;
  return unknown ? unknownMachine(services, usable) : { kind: 'near miss' };
}

/**
 * A machine without a port. A node without ports that has the address of its BMC is the node of this machine: the report makes no
 * second one, and does not change that node either, because anybody could have sent it.
 */
function unknownMachine(services: InspectionServices, bmcAddresses: readonly string[]): Inspected {
  if (!services.config.auto_discovery.enabled) return { kind: 'unknown', twins: [] };
  const { withPorts: twins = [], without: own = [] } = Object.groupBy(
    [...nodesAt(services.db, bmcAddresses).keys()],
    (node) => (services.db.ports.ofNode(node).length > 0 ? 'withPorts' : 'without'),
  );
  for (const node of own)
    services.timeline.record({
      hop: 'inspection',
      node,
      text: 'a machine whose BMC has the address of this node sent an inspection report, but the node does not wait for one: inspect the node',
      failed: true,
    });
  return own.length > 0 ? { kind: 'near miss' } : { kind: 'unknown', twins };
}

function atItsAddress(...question: Parameters<typeof isAtItsAddress>): Inspected {
  const [, node] = question;
  return isAtItsAddress(...question) ? { kind: 'waiting', node } : { kind: 'near miss' };
}

type Match = { readonly node: string } | { readonly node: undefined; readonly miss: string };

/**
 * Returns the one node that `uuid` and both lists agree on, or why there is none. `byMac` and `byBmc`: the UUIDs of the nodes
 * that have the machine's MAC and BMC addresses. An empty list contradicts nothing.
 */
function matchMachine(uuid: string | undefined, byMac: readonly string[], byBmc: readonly string[]): Match {
  const contradiction = contradictionIn(uuid, byMac, byBmc);
  if (contradiction !== undefined) return { node: undefined, miss: contradiction };
  const node = uuid ?? byMac[0] ?? byBmc[0];
  return node === undefined ? { node, miss: 'no node is known by its MAC or BMC addresses' } : { node };
}

function contradictionIn(
  uuid: string | undefined,
  byMac: readonly string[],
  byBmc: readonly string[],
): string | undefined {
  if (byMac.length > 1) return 'its MAC addresses belong to several nodes';
  if (uuid !== undefined && !(byMac.length === 0 || byMac.includes(uuid)))
    return 'its MAC addresses belong to another node than its UUID';
  const known = uuid ?? byMac[0];
  if (known === undefined)
    return byBmc.length > 1
      ? 'several nodes have its BMC address, and its MAC addresses are unknown'
      : undefined;
  return byBmc.length === 0 || byBmc.includes(known) ? undefined : 'its BMC address belongs to another node';
}

const missOf = (node: Node | undefined): string =>
  node === undefined ? 'no node has this UUID' : 'the node is not waiting for inspection data';
