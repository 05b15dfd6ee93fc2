// Fast track: a ramdisk that runs already is used for what comes next, without booting it anew.
import type { Node, NodeChanges } from '../model/node.ts';
import { permits } from '../model/provision-states.ts';
import { withoutAgentAndToken } from './agent-traces.ts';
import type { Services } from './services.ts';

/** Whether an agent of the node is kept between flows; it may not be there. */
export function keepsAgent({ config }: Services, node: Node): boolean {
  const { fast_track: ofNode } = node.driver_info;
  const enabled = typeof ofNode === 'boolean' ? ofNode : config.deploy.fast_track;
  return enabled && node.last_error === null && permits(node.provision_state, 'steps') !== 'service';
}

/** What is forgotten of an agent whose flow has ended well: nothing, when it is kept. */
export const withoutUnkeptAgent = (services: Services, node: Node): NodeChanges =>
  keepsAgent(services, node) ? {} : withoutAgentAndToken(node);

/** Whether the agent was heard of lately, on a machine that is on. */
export function isFastTrack(services: Services, node: Node): boolean {
  const { agent_url: url, agent_last_heartbeat: heard } = node.driver_internal_info;
  if (!keepsAgent(services, node) || node.power_state !== 'power on' || typeof url !== 'string') return false;
  if (typeof heard !== 'string') return false;
  return services.clock.age(Date.parse(heard)) <= services.config.deploy.fast_track_timeout * 1000;
}
