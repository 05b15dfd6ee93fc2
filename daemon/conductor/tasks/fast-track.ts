// Fast track: the next flow uses the ramdisk that is already running instead of booting it again.
import type { Node, NodeChanges } from '../../model/records/node.ts';
import { permits } from '../../model/states/provision-states.ts';
import { withoutAgentAndToken } from './agent-traces.ts';
import type { Services } from '../services.ts';

/** Whether the node's agent is kept between flows. Does not check that one is running. */
export function keepsAgent({ config }: Services, node: Node): boolean {
  const { fast_track: ofNode } = node.driver_info;
  const enabled = typeof ofNode === 'boolean' ? ofNode : config.deploy.fast_track;
  return enabled && node.last_error === null && permits(node.provision_state, 'steps') !== 'service';
}

/** Returns the agent state to clear after a successful flow; none if the agent stays. */
export const agentStateToClear = (services: Services, node: Node): NodeChanges =>
  keepsAgent(services, node) ? {} : withoutAgentAndToken(node);

/** Whether the machine is on and its agent, which is kept, sent a heartbeat within [deploy] fast_track_timeout. */
export function isFastTrack(services: Services, node: Node): boolean {
  const { agent_url: url, agent_last_heartbeat: heard } = node.driver_internal_info;
  if (!keepsAgent(services, node) || node.power_state !== 'power on' || typeof url !== 'string') return false;
  if (typeof heard !== 'string') return false;
  return services.clock.age(Date.parse(heard)) <= services.config.deploy.fast_track_timeout * 1000;
}
