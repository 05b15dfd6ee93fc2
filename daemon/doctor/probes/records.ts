// Probes of the stored records: contradictions, missing ports, failures, and work that does not end.
import type { Tables } from '../../db/database.ts';
import type { Node } from '../../model/records/node.ts';
import { isFailure, isUnstable } from '../../model/states/provision-states.ts';
import { givenBmcUrl } from '../bmc-url.ts';
import type { ProbeFinding, Probe, ExaminedSite } from '../probe.ts';

const LATE_HOURS = 3;
const HOUR_MILLISECONDS = 3_600_000;
const MOST_NAMED = 10;

const label = ({ name, uuid }: Pick<Node, 'name' | 'uuid'>) => name ?? uuid;
const nodesIn = ({ nodes }: Tables): readonly Node[] => nodes.where({ sql: 'TRUE', values: [] });
const allNodes = ({ read }: ExaminedSite): readonly Node[] => read(nodesIn) ?? [];

/** Returns the groups of two or more nodes for which `keyOf` returns the same text. */
function sharing(nodes: readonly Node[], keyOf: (node: Node) => string | undefined) {
  const groups = Map.groupBy(nodes, keyOf);
  return [...groups].flatMap(([key, group]) =>
    key === undefined || group.length < 2 ? [] : [{ key, group }],
  );
}

const textIn = (record: Node['driver_info'], key: string): string | undefined => {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/**
 * Returns a text that is equal for two nodes if they stand for the same machine: the address of its BMC, with what distinguishes
 * the machines behind one address (the system in Redfish; port and bridge addresses in IPMI). Undefined for a node without a
 * Redfish or IPMI address.
 */
function bmcOf({ driver_info: info }: Node): string | undefined {
  const redfish = textIn(info, 'redfish_address');
  if (redfish !== undefined)
    return `${givenBmcUrl(redfish)?.origin ?? redfish}${textIn(info, 'redfish_system_id') ?? ''}`;
  const ipmi = textIn(info, 'ipmi_address');
  const part = ['ipmi_port', 'ipmi_target_address', 'ipmi_transit_address'].map((key) => info[key] ?? null);
  return ipmi && (part.every((each) => each === null) ? ipmi : `${ipmi} ${JSON.stringify(part)}`);
}

export const recordProbes: readonly Probe[] = [
  {
    id: 'duplicate-bmc',
    about: 'nodes with the same BMC',
    run: (site) =>
      sharing(allNodes(site), bmcOf).map(({ key, group }) => ({
        severity: 'error',
        saw: `${group.map(label).join(' and ')} have the same BMC ${key}`,
        means: 'an action on one node also acts on the machine of the other',
        fix: `baremetal node show ${label(group[0] as Node)} --fields driver_info; delete or correct one of them`,
      })),
  },
  {
    id: 'duplicate-serial',
    about: 'nodes with the same serial number',
    run: (site) =>
      sharing(
        allNodes(site),
        ({ extra, properties }) => textIn(extra, 'serial_number') ?? textIn(properties, 'serial_number'),
      ).map(({ key, group }) => ({
        severity: 'warning',
        saw: `${group.map(label).join(' and ')} have the serial number ${key}`,
        means: 'one machine is probably enrolled twice',
        fix: `baremetal node delete ${label(group.at(-1) as Node)}`,
      })),
  },
  {
    id: 'boot-port',
    about: 'nodes without a port from which they may boot (pxe_enabled)',
    run(site) {
      const ports = site.read((tables) => tables.ports.where({ sql: 'pxe_enabled = 1', values: [] })) ?? [];
      const able = new Set(ports.map(({ node_uuid }) => node_uuid));
      return allNodes(site)
        .filter(({ uuid, provision_state: state }) => !able.has(uuid) && state !== 'enroll')
        .slice(0, MOST_NAMED)
        .map((node) => ({
          severity: 'warning',
          saw: `${label(node)} has no port from which it may boot`,
          means: 'it cannot boot the ramdisk from the network',
          fix: `baremetal port create MAC --node ${node.uuid}`,
          node: node.uuid,
        }));
    },
  },
  {
    id: 'late-work',
    about: 'work that does not end',
    run: (site) =>
      allNodes(site)
        .filter((node) => isUnstable(node.provision_state) && hoursSince(site, node) >= LATE_HOURS)
        .map((node) => ({
          severity: 'warning',
          saw: `${label(node)} has been in state "${node.provision_state}" for ${hoursSince(site, node)} hours`,
          means: 'nothing seems to happen any more',
          fix: `ironic-edge node timeline ${label(node)}; in a wait state also: baremetal node abort ${label(node)}`,
          node: node.uuid,
        })),
  },
  {
    id: 'failed-nodes',
    about: 'nodes whose last work failed',
    run: (site) =>
      allNodes(site)
        .filter(({ provision_state: state }) => isFailure(state))
        .map((node) => failed(node)),
  },
  {
    id: 'faulty-nodes',
    about: 'nodes in maintenance because of a fault',
    run: (site) =>
      allNodes(site)
        .filter(({ maintenance, fault }) => maintenance && fault !== null)
        .map((node) => ({
          severity: 'warning',
          saw: `${label(node)} has the fault "${node.fault}": ${node.maintenance_reason ?? 'no reason is known'}`,
          means:
            'until its maintenance ends, the daemon postpones due work on the node and refuses some requests',
          fix: `baremetal node show ${label(node)} --fields power_state last_error; ironic-edge doctor --only bmc-reachable`,
          node: node.uuid,
        })),
  },
  {
    id: 'disabled-driver',
    about: 'nodes whose driver is not enabled',
    run: (site) => {
      const { enabled_hardware_types: types, enabled_drivers: drivers } = site.config.DEFAULT;
      return allNodes(site)
        .filter(({ driver }) => !types.includes(driver) && !drivers.includes(driver))
        .slice(0, MOST_NAMED)
        .map((node) => ({
          severity: 'error',
          saw: `${label(node)} has the driver ${node.driver}, which is not enabled`,
          means: 'nothing can be done with it',
          fix: `[DEFAULT] enabled_hardware_types = ${[...types, node.driver].join(',')}`,
          node: node.uuid,
        }));
    },
  },
];

const hoursSince = ({ clock }: ExaminedSite, { provision_updated_at: time }: Node): number =>
  Math.floor((clock.now() - Date.parse(time ?? '')) / HOUR_MILLISECONDS) || 0;

const failed = (node: Node): ProbeFinding => ({
  severity: 'warning',
  saw: `${label(node)} is in state "${node.provision_state}": ${node.last_error ?? 'no error is recorded'}`,
  means: 'the node stays in this state until an operator requests another',
  fix: `ironic-edge node timeline ${label(node)}; repeat what failed, or manage, undeploy or unrescue the node`,
  node: node.uuid,
});
