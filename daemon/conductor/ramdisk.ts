// Serves booted ramdisks: looks up their node, matches their inspection report, issues tokens, accepts heartbeats.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { callbackRule, refusedHost } from '../lib/callback-networks.ts';
import { isHostAddress } from '../lib/ip.ts';
import { fault } from '../model/faults.ts';
import type { Node } from '../model/node.ts';
import { permits, statesThat } from '../model/provision-states.ts';
import { MASK } from '../model/secrets.ts';
import { keepsAgent } from './fast-track.ts';
import { failRescue, finishRescue } from './phases/rescue.ts';
import { phaseOf } from './phases/step-phases.ts';
import { startTaskIfFree, withTaskIfFree } from './run-task.ts';
import { now, type Services } from './services.ts';
import { heardOfAgent } from './steps/heard-of-agent.ts';
import type { NodeTask } from './task.ts';

/** What identifies a machine; all given values must agree. Addresses are in canonical spelling. */
export interface MachineIdentity {
  readonly uuid: string | undefined;
  readonly macs: readonly string[];
  readonly bmcAddresses: readonly string[];
}

export function refuseWhenDisabled({ config }: Services): void {
  if (!config.api.enable_ramdisk_endpoints) throw fault('RamdiskEndpointsDisabled', {});
}

/** Returns the node for a lookup, or undefined. The reason is only logged: clients always get the same 404. */
export function findForLookup(services: Services, { uuid, macs }: MachineIdentity): Node | undefined {
  const owners = uuid === undefined ? services.db.ports.nodesWithAddress(macs) : [uuid];
  const node = owners.length === 1 ? services.db.nodes.get(owners[0] ?? '') : undefined;
  const allowed = node !== undefined && isLookedUp(services, node);
  if (node !== undefined && (allowed || !services.config.api.restrict_lookup)) return node;
  services.log.warn(
    { uuid, macs, owners, state: node?.provision_state },
    'lookup matched no node that expects a ramdisk',
  );
  return undefined;
}

function isLookedUp(services: Services, node: Node): boolean {
  const permission = permits(node.provision_state, 'lookup');
  return permission === true || (permission === 'fast-track' && keepsAgent(services, node));
}

export type Inspected =
  | { readonly kind: 'waiting'; readonly node: Node }
  /** The report gives no UUID, and no node has any of its addresses. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'near miss' };

/** Finds the node in `inspect wait` that the report belongs to. If there is none, logs why. */
export function findInspected(services: Services, identity: MachineIdentity): Inspected {
  const waiting = statesThat('inspectionReport');
  const byMac = services.db.ports.nodesWithAddress(identity.macs);
  const usable = identity.bmcAddresses.filter(isHostAddress);
  const byBmc = usable.length === 0 ? [] : services.db.nodes.withBmcAddress(waiting, usable);
  const match = matchMachine(identity.uuid, byMac, byBmc);
  const node = match.node === undefined ? undefined : services.db.nodes.get(match.node);
  if (node !== undefined && waiting.includes(node.provision_state)) return { kind: 'waiting', node };
  const reason = match.node === undefined ? match.miss : 'the node is not waiting for inspection data';
  services.log.warn(
    { ...identity, nodesByMac: byMac, nodesByBmc: byBmc, state: node?.provision_state, reason },
    'inspection data matched no waiting node',
  );
  const unknown = identity.uuid === undefined && byMac.length === 0 && byBmc.length === 0;
  return unknown ? { kind: 'unknown' } : { kind: 'near miss' };
}

type Match = { readonly node: string } | { readonly node: undefined; readonly miss: string };

/** Returns the only node that all given values identify, or why there is none. The lists hold node UUIDs. */
export function matchMachine(
  uuid: string | undefined,
  byMac: readonly string[],
  byBmc: readonly string[],
): Match {
  const contradiction = contradictionIn(uuid, byMac, byBmc);
  if (contradiction !== undefined) return { node: undefined, miss: contradiction };
  const node = uuid ?? byMac[0] ?? byBmc[0];
  return node === undefined ? { node, miss: 'neither a MAC nor a BMC address is known' } : { node };
}

function contradictionIn(
  uuid: string | undefined,
  byMac: readonly string[],
  byBmc: readonly string[],
): string | undefined {
  if (byMac.length > 1) return 'its MAC addresses belong to several nodes';
  if (uuid !== undefined && !(byMac.length === 0 || byMac.includes(uuid)))
    return 'UUID and MAC addresses disagree';
  const known = uuid ?? byMac[0];
  if (known === undefined)
    return byBmc.length > 1
      ? 'several nodes have its BMC address, and its MAC addresses are unknown'
      : undefined;
  return byBmc.length === 0 || byBmc.includes(known) ? undefined : 'its BMC address belongs to another node';
}

/**
 * Resolves to the agent's token: in clear the first time, masked afterwards. Throws NodeLocked when the token must be
 * created but the node is locked; the agent then retries.
 */
export async function issueAgentToken(services: Services, node: Node): Promise<string> {
  if (tokenOf(node) !== undefined) return MASK;
  const token = await withTaskIfFree(services, node.uuid, async (task) => tokenFor(task));
  if (token === undefined) throw fault('NodeLocked', { node: node.uuid, host: services.host });
  return token;
}

/** As `issueAgentToken`, for a node that the caller has locked. */
export function tokenFor(task: NodeTask): string {
  const known = tokenOf(task.node) !== undefined;
  const token = randomBytes(32).toString('base64url');
  task.update({
    driver_internal_info: {
      ...task.node.driver_internal_info,
      ...(!known && { agent_secret_token: token }),
      agent_last_lookup: now(task.services),
    },
  });
  return known ? MASK : token;
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

/** Checks that the heartbeat is from the node's own agent; records it and continues the flow if the state permits. */
export async function acceptHeartbeat(services: Services, node: Node, heartbeat: Heartbeat): Promise<void> {
  refuseForeignAgent(services, node, heartbeat);
  // a new agent soon retries a heartbeat that is refused; a known one can wait until its next heartbeat
  if (node.driver_internal_info['agent_url'] === undefined && services.locks.holderOf(node.uuid) !== null)
    throw fault('NodeLocked', { node: node.uuid, host: services.host });
  const use = permits(node.provision_state, 'heartbeat');
  if (use === undefined || (use === 'fast-track' && !keepsAgent(services, node))) {
    services.log.info(
      { node: node.uuid, state: node.provision_state },
      'heartbeat ignored: this provision state does not use it',
    );
    return;
  }
  await startTaskIfFree(services, node.uuid, (task) => {
    task.update({
      driver_internal_info: {
        ...task.node.driver_internal_info,
        agent_url: heartbeat.callbackUrl,
        agent_last_heartbeat: now(services),
        ...(heartbeat.agentVersion !== undefined && { agent_version: heartbeat.agentVersion }),
        ...(heartbeat.certificate !== undefined && { agent_verify_ca: heartbeat.certificate }),
      },
    });
    return permits(task.node.provision_state, 'heartbeat') === 'act' ? goOnInRamdisk : undefined;
  });
}

/** Continues the work on a node that was waiting for its ramdisk's heartbeat. */
async function goOnInRamdisk(task: NodeTask): Promise<void> {
  const phase = phaseOf(task.node);
  const { maintenance, uuid } = task.node;
  if (!maintenance) return phase === undefined ? finishRescue(task) : heardOfAgent(task, phase);
  if (task.services.config.conductor.allow_provisioning_in_maintenance)
    return task.log.info({}, 'the node is in maintenance: no further work on it is started');
  const reason = `node ${uuid} is in maintenance ([conductor] allow_provisioning_in_maintenance is false)`;
  await (phase === undefined ? failRescue(task, reason) : phase.fail(task, reason));
}

// The token is checked first: before it is known to be valid, no answer may reveal anything about the node
function refuseForeignAgent({ config }: Services, node: Node, heartbeat: Heartbeat): void {
  const { callbackUrl: url } = heartbeat;
  const token = tokenOf(node);
  if (token === undefined || !sameSecret(token, heartbeat.token)) throw fault('AgentTokenInvalid', {});
  const known = node.driver_internal_info;
  if (known['agent_url'] !== undefined && known['agent_url'] !== url)
    throw fault('AgentUrlChanged', { node: node.uuid });
  if (config.agent.require_tls && !url.startsWith('https://'))
    throw fault('TlsRequired', { node: node.uuid, url });
  const reason = refusedHost(url, callbackRule(config.agent.callback_networks));
  if (reason !== undefined) throw fault('AgentAddressRefused', { node: node.uuid, url, reason });
  refuseOtherCertificate(node, heartbeat.certificate);
}

function refuseOtherCertificate(
  { uuid, driver_internal_info: known }: Node,
  given: string | undefined,
): void {
  const certificate = known['agent_verify_ca'];
  if (certificate !== undefined && given !== undefined && certificate !== given)
    throw fault('AgentCertificateChanged', { node: uuid });
}

function sameSecret(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}
