// What a booted ramdisk asks of the conductor: who am I, here I am.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { isHostAddress } from '../lib/ip.ts';
import { fault } from '../model/faults.ts';
import type { Node } from '../model/node.ts';
import { permits, statesThat } from '../model/provision-states.ts';
import { MASK } from '../model/secrets.ts';
import { withTaskIfFree } from './run-task.ts';
import { now, type Services } from './services.ts';

/** What identifies a machine: all given parts must agree. Addresses are in canonical spelling. */
export interface MachineIdentity {
  readonly uuid: string | undefined;
  readonly macs: readonly string[];
  readonly bmcAddresses: readonly string[];
}

/** A node for lookup, or undefined; the reason is for the log only, callers always see the same 404. */
export function findForLookup(services: Services, { uuid, macs }: MachineIdentity): Node | undefined {
  const owners = uuid === undefined ? services.db.ports.nodesWithAddress(macs) : [uuid];
  const node = owners.length === 1 ? services.db.nodes.get(owners[0] ?? '') : undefined;
  const allowed = node !== undefined && permits(node.provision_state, 'lookup') === true;
  if (node !== undefined && (allowed || !services.config.api.restrict_lookup)) return node;
  services.log.warn(
    { uuid, macs, owners, state: node?.provision_state },
    'lookup matched no node that expects a ramdisk',
  );
  return undefined;
}

/** The node in `inspect wait` that the report belongs to, or undefined; near misses are logged. */
export function findInspected(services: Services, identity: MachineIdentity): Node | undefined {
  const { uuid, macs, bmcAddresses } = identity;
  const miss = (reason: string, near: object = {}) => {
    services.log.warn({ ...identity, ...near }, `inspection data matched no waiting node: ${reason}`);
    return undefined;
  };
  const byMac = services.db.ports.nodesWithAddress(macs);
  const usable = bmcAddresses.filter(isHostAddress);
  const byBmc =
    usable.length === 0 ? [] : services.db.nodes.withBmcAddress(statesThat('inspectionReport'), usable);
  if (byMac.length > 1) return miss('its MAC addresses belong to several nodes', { nodes: byMac });
  const found = uuid ?? byMac[0] ?? byBmc[0];
  if (found === undefined) return miss('neither a MAC nor a BMC address is known');
  if (byMac[0] !== undefined && byMac[0] !== found)
    return miss('UUID and MAC addresses disagree', { nodes: byMac });
  if (byBmc.length > 0 && !byBmc.includes(found))
    return miss('its BMC address belongs to another node', { nodes: byBmc });
  if (uuid === undefined && byMac.length === 0 && byBmc.length > 1)
    return miss('several nodes have its BMC address', { nodes: byBmc });
  const node = services.db.nodes.get(found);
  if (node?.provision_state !== 'inspect wait')
    return miss('the node does not wait for it', { state: node?.provision_state });
  return node;
}

/**
 * The agent's token: in clear the first time, masked ever after. Throws NodeLocked when one must be made and the node is
 * locked; the agent asks again.
 */
export async function issueAgentToken(services: Services, node: Node): Promise<string> {
  if (tokenOf(node) !== undefined) return MASK;
  const token = randomBytes(32).toString('base64url');
  const stored = await withTaskIfFree(services, node.uuid, async (task) => {
    const known = tokenOf(task.node) !== undefined;
    task.update({
      driver_internal_info: {
        ...task.node.driver_internal_info,
        ...(!known && { agent_secret_token: token }),
        agent_last_lookup: now(services),
      },
    });
    return known ? MASK : token;
  });
  if (stored === undefined) throw fault('NodeLocked', { node: node.uuid, host: services.host });
  return stored;
}

function tokenOf(node: Node): string | undefined {
  const token = node.driver_internal_info['agent_secret_token'];
  return typeof token === 'string' ? token : undefined;
}

export interface Heartbeat {
  readonly callbackUrl: string;
  readonly token: string;
  readonly agentVersion: string | undefined;
  readonly certificate: string | undefined;
}

/** Checks that the heartbeat is the node's own agent, and records it where the state asks for that. */
export async function acceptHeartbeat(services: Services, node: Node, heartbeat: Heartbeat): Promise<void> {
  refuseForeignAgent(services, node, heartbeat);
  const use = permits(node.provision_state, 'heartbeat');
  if (use !== 'act' && use !== 'record') {
    services.log.info(
      { node: node.uuid, state: node.provision_state },
      'heartbeat noted; the state has no use for it',
    );
    return;
  }
  const recorded = await withTaskIfFree(services, node.uuid, async (task) => {
    task.update({
      driver_internal_info: {
        ...task.node.driver_internal_info,
        agent_url: heartbeat.callbackUrl,
        agent_last_heartbeat: now(services),
        ...(heartbeat.agentVersion !== undefined && { agent_version: heartbeat.agentVersion }),
        ...(heartbeat.certificate !== undefined && { agent_verify_ca: heartbeat.certificate }),
      },
    });
    return true;
  });
  const firstContact = node.driver_internal_info['agent_url'] === undefined;
  if (recorded === undefined && firstContact)
    throw fault('NodeLocked', { node: node.uuid, host: services.host });
}

function refuseForeignAgent(services: Services, node: Node, heartbeat: Heartbeat): void {
  const known = node.driver_internal_info;
  if (known['agent_url'] !== undefined && known['agent_url'] !== heartbeat.callbackUrl) {
    throw fault('AgentUrlChanged', { node: node.uuid });
  }
  const token = tokenOf(node);
  if (token === undefined || !sameSecret(token, heartbeat.token)) throw fault('AgentTokenInvalid', {});
  if (services.config.agent.require_tls && !heartbeat.callbackUrl.startsWith('https://')) {
    throw fault('TlsRequired', { node: node.uuid, url: heartbeat.callbackUrl });
  }
  const certificate = known['agent_verify_ca'];
  if (
    certificate !== undefined &&
    heartbeat.certificate !== undefined &&
    certificate !== heartbeat.certificate
  ) {
    throw fault('AgentCertificateChanged', { node: node.uuid });
  }
}

function sameSecret(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}
