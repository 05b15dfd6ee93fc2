// What a node's record says of the agent in its ramdisk: whether the agent is alive, whether it is kept between flows (inspection,
// cleaning, deployment and the like), and the changes that remove the agent's data.
import { changeInfo, keysUntil } from '../../model/internal-info.ts';
import { hasFastTrack } from '../../model/machine/fast-track.ts';
import type { Node, NodeChanges } from '../../model/records/node.ts';
import { permissionIn } from '../../model/states/provision-states.ts';
import type { TaskServices } from './services.ts';

/** Whether the node's agent is kept between flows (fast track). Does not check whether an agent is running. */
export function keepsAgent(services: TaskServices, node: Node): boolean {
  if (!hasFastTrack(node, services.config.deploy.fast_track)) return false;
  if (permissionIn(node.provision_state, 'steps') === 'service') return false;
  // without its agent, a machine that only the agent can reboot is lost after a failure
  return node.last_error === null || services.compose(node).power.throughAgent === true;
}

/**
 * Whether the node keeps its agent, the machine is on, and the agent is alive or about to send its first heartbeat, which comes
 * some seconds after its lookup or its inspection report.
 */
export const isFastTrack = (services: TaskServices, node: Node): boolean =>
  node.power_state === 'power on' &&
  keepsAgent(services, node) &&
  (isAgentAlive(services, node) || isAgentStarting(services, node));

/** Whether the node's agent sent a heartbeat within [deploy] fast_track_timeout. */
export function isAgentAlive(services: TaskServices, node: Node): boolean {
  const { agent_url: url, agent_last_heartbeat: heard } = node.driver_internal_info;
  return url !== undefined && isRecent(services, heard);
}

/** Agents send their first heartbeat a few seconds after the lookup. One that is later has died. */
const FIRST_HEARTBEAT_SECONDS = 60;

/**
 * Whether the node's ramdisk sent a lookup or an inspection report within the last minute, and its agent has not sent a heartbeat
 * yet.
 */
function isAgentStarting(services: TaskServices, node: Node): boolean {
  const { agent_url: url, agent_last_lookup: seen } = node.driver_internal_info;
  return url === undefined && isRecent(services, seen, FIRST_HEARTBEAT_SECONDS);
}

function isRecent(
  { clock, config }: TaskServices,
  time: string | undefined,
  seconds: number = config.deploy.fast_track_timeout,
): boolean {
  return time !== undefined && clock.age(Date.parse(time)) <= seconds * 1000;
}

/** Returns changes for a reboot or power-off, which ends the agent. A token that is in the boot media stays valid. */
export function withoutAgent(node: Node): NodeChanges {
  const keepsToken = node.driver_internal_info.agent_secret_token_pregenerated === true;
  return changeInfo(node, {}, keepsToken ? keysUntil('agent') : keysUntil('agent', 'token'));
}

/** Returns changes for the beginning or end of a flow: they remove the agent's state and any token. */
export const withoutAgentAndToken = (node: Node): NodeChanges =>
  changeInfo(node, {}, keysUntil('agent', 'token'));

/**
 * Returns changes for work that was interrupted: nobody knows what its agent was doing, so that the next work boots the machine. An
 * agent that alone can reboot its machine stays known.
 */
export function withoutInterruptedAgent(services: TaskServices, node: Node): NodeChanges {
  try {
    if (services.compose(node).power.throughAgent === true) return {};
  } catch {
    // the driver cannot be composed now, for example because its plugin is missing
  }
  return withoutAgentAndToken(node);
}

/** Returns changes for the beginning or end of a flow: none if the node keeps its agent between flows. */
export const agentStateToClear = (services: TaskServices, node: Node): NodeChanges =>
  keepsAgent(services, node) ? {} : withoutAgentAndToken(node);
