// A booted ramdisk looks its node up, and gets the token that its agent sends with each later request.
import { randomBytes } from 'node:crypto';
import { fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import { permissionIn } from '../../model/states/provision-states.ts';
import { MASK } from '../../model/secrets.ts';
import { now } from '../../lib/clock.ts';
import { isAgentAlive, keepsAgent, withoutAgentAndToken } from '../tasks/agent-state.ts';
import { withTaskIfFree } from '../tasks/run-task.ts';
import type { NodeTask } from '../tasks/task.ts';
import type { RamdiskServices } from './services.ts';

/**
 * What identifies the machine of a ramdisk; addresses are in canonical spelling. For an inspection report, all given values must agree; for a
 * lookup, MAC addresses count only if there is no UUID, and BMC addresses never.
 */
export interface RamdiskIdentity {
  readonly uuid: string | undefined;
  readonly macs: readonly string[];
  readonly bmcAddresses: readonly string[];
}

export function refuseWhenDisabled({ config }: RamdiskServices): void {
  if (!config.api.enable_ramdisk_endpoints) throw fault('RamdiskEndpointsDisabled', {});
}

/**
 * Whether the ramdisk at the address may be that of the node: the daemon's DHCP server has leased the address to one of the node's
 * network cards, or does not lease such addresses. `macs`: the cards of a node without ports. Logs a refusal.
 */
export function isAtItsAddress(
  services: RamdiskServices,
  node: Node,
  { address, macs = [] }: { readonly address: string | null; readonly macs?: readonly string[] },
): boolean {
  const ports = services.db.ports.ofNode(node.uuid).map((port) => port.address);
  const cards = ports.length > 0 ? ports : macs;
  if (services.served.mayBeMachine(address, cards)) return true;
  services.log.warn(
    { node: node.uuid, client: address, macs: cards },
    "a ramdisk is refused: the DHCP server has not leased its address to a network card of the node; if the ramdisk is the node's, create a port for the card that it boots from",
  );
  return false;
}

/**
 * Returns the node that a ramdisk looks up from the address. If undefined, the reason is only logged: clients always get the same
 * 404.
 */
export function findForLookup(
  services: RamdiskServices,
  { uuid, macs }: RamdiskIdentity,
  address: string | null,
): Node | undefined {
  const owners = uuid === undefined ? services.db.ports.nodesWithAddress(macs) : [uuid];
  const node = owners.length === 1 ? services.db.nodes.get(owners[0] ?? '') : undefined;
  if (node !== undefined && isLookedUp(services, node))
    return hasTokenOfMedium(node) || isAtItsAddress(services, node, { address }) ? node : undefined;
  services.log.warn(
    { uuid, macs, owners, state: node?.provision_state },
    'lookup matched no node that expects a ramdisk',
  );
  return undefined;
}

/** With a token from its boot medium, which no lookup tells anybody, an agent proves itself from any address. */
const hasTokenOfMedium = ({ driver_internal_info: info }: Node): boolean =>
  info.agent_secret_token_pregenerated === true;

function isLookedUp(services: RamdiskServices, node: Node): boolean {
  if (services.db.quarantine.of(node.uuid) !== undefined) return false;
  if (!services.config.api.restrict_lookup) return true;
  const permission = permissionIn(node.provision_state, 'lookup');
  return permission === true || (permission === 'fast-track' && keepsAgent(services, node));
}

/**
 * Resolves to the agent's token: in clear when it is created, masked afterwards. A new token replaces the token of an abandoned
 * agent. Throws NodeLocked when a token must be created but the node is locked; the agent then retries.
 */
export async function issueAgentToken(services: RamdiskServices, node: Node): Promise<string> {
  if (tokenOf(node) !== undefined && !isAbandoned(services, node)) return MASK;
  const token = await withTaskIfFree(services, node.uuid, async (task) => {
    if (isAbandoned(services, task.node)) task.store(withoutAgentAndToken(task.node));
    return tokenFor(task);
  });
  if (token === undefined) throw fault('NodeLocked', { node: node.uuid, host: services.host });
  return token;
}

/**
 * Whether the agent of an idle node has neither looked the node up nor sent a heartbeat for [deploy] fast_track_timeout. No work
 * uses such an agent any more, and the machine may have been rebooted by hand, so that its new agent needs a token.
 */
function isAbandoned(services: RamdiskServices, node: Node): boolean {
  if (permissionIn(node.provision_state, 'lookup') !== 'fast-track' || isAgentAlive(services, node))
    return false;
  const { agent_last_lookup: seen } = node.driver_internal_info;
  const limit = services.config.deploy.fast_track_timeout * 1000;
  return seen !== undefined && services.clock.age(Date.parse(seen)) > limit;
}

/**
 * Records the lookup, and returns the agent's token: in clear if it is created now, masked if there is one already. The caller has
 * locked the node.
 */
export function tokenFor(task: NodeTask): string {
  const known = tokenOf(task.node) !== undefined;
  const token = randomBytes(32).toString('base64url');
  task.store({
    driver_internal_info: {
      ...task.node.driver_internal_info,
      ...(!known && { agent_secret_token: token }),
      agent_last_lookup: now(task.services),
    },
  });
  return known ? MASK : token;
}

/** Undefined before the ramdisk's first lookup, unless the token is in the boot media. */
export const tokenOf = ({ driver_internal_info: info }: Node): string | undefined => info.agent_secret_token;
