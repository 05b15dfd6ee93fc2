// The nodes whose driver_info names an address as that of the BMC.
import type { Database } from '../../db/database.ts';
import { canonicalIp } from '../../lib/network/ip.ts';
import type { JsonObject } from '../../model/json.ts';
import { bmcHosts } from '../../model/machine/bmc-hosts.ts';
import type { Node } from '../../model/records/node.ts';
import type { FoundBmc } from '../../model/zero-touch/found-bmc.ts';

type Nodes = Pick<Database, 'nodes'>;

/** With more addresses, reading every node is faster than searching each for every address. */
const FEW_ADDRESSES = 16;
const ALL = { limit: Number.MAX_SAFE_INTEGER, sortKey: 'id', descending: false };

/** Returns the nodes that have one of these addresses, with the addresses that each has. */
export function nodesAt(
  { nodes }: Nodes,
  addresses: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  if (addresses.length === 0) return new Map();
  const wanted = new Set(addresses);
  const candidates: readonly Pick<Node, 'uuid' | 'driver_info'>[] =
    addresses.length > FEW_ADDRESSES
      ? nodes.list(['uuid', 'driver_info'], [], ALL)
      : nodes.withDriverInfoText(addresses).flatMap((uuid) => nodes.get(uuid) ?? []);
  const found = candidates.map(
    ({ uuid, driver_info: info }) => [uuid, addressesIn(info).filter((each) => wanted.has(each))] as const,
  );
  return new Map(found.filter(([, own]) => own.length > 0));
}

const addressesIn = (driverInfo: JsonObject): string[] =>
  bmcHosts(driverInfo).map((host) => canonicalIp(host) ?? host);

/** Returns the records with the nodes that they belong to: those that the machines became, or else those that have the addresses. */
export function withNodes(db: Nodes, bmcs: readonly FoundBmc[]): readonly FoundBmc[] {
  const open = bmcs.flatMap(({ node_uuid, address }) => (node_uuid === null ? (address ?? []) : []));
  const byAddress = new Map(
    [...nodesAt(db, open)].flatMap(([node, addresses]) => addresses.map((each) => [each, node])),
  );
  return bmcs.map((bmc) => ({
    ...bmc,
    node_uuid: bmc.node_uuid ?? byAddress.get(bmc.address ?? '') ?? null,
  }));
}
