// Before work uses a ramdisk that was kept from earlier work (fast track), its agent is asked: the machine may have been rebooted or
// unplugged since, and another one may have its address.
import { agentOf } from '../../agent/agent.ts';
import { Fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import { isFastTrack, withoutAgentAndToken } from '../tasks/agent-state.ts';
import type { NodeTask } from '../tasks/task.ts';
import { workLimits } from '../limits.ts';
import type { RamdiskServices } from './services.ts';

/**
 * Forgets the agent of a kept ramdisk unless it can be used, so that the work boots the machine. Does nothing for a node without
 * such a ramdisk, and for a machine that only its agent can reboot.
 */
export async function forgetUnusableRamdisk(task: NodeTask<RamdiskServices>): Promise<void> {
  const { node, services } = task;
  if (!isFastTrack(services, node) || task.driver.power.throughAgent === true) return;
  const reason = await whyUnusable(task);
  if (reason === undefined) return;
  task.log.warn({ reason }, 'the kept ramdisk is not used; the machine boots again');
  services.timeline.record({
    hop: 'agent',
    node: node.uuid,
    text: `its kept ramdisk is not used, and it boots again: ${reason}`,
    failed: true,
  });
  task.store(withoutAgentAndToken(node));
}

/**
 * Returns why the ramdisk of the node cannot be used, as part of a sentence; undefined when its own agent answers and is idle, and
 * when it is about to send its first heartbeat. An agent answers only to the token of its own node.
 */
export async function whyUnusable(task: NodeTask<RamdiskServices>): Promise<string | undefined> {
  const { node, services, signal } = task;
  const { agent_url: url } = node.driver_internal_info;
  if (url === undefined) return undefined;
  if (!isAddressOf(services, node, url)) return `the address of ${url} is no longer that of the machine`;
  const { config, clock } = services;
  // a silent agent costs no more time than a boot would
  const settings = {
    ...config.agent,
    command_timeout: Math.min(config.agent.command_timeout, workLimits.keptAgentSeconds),
    max_command_attempts: 1,
  };
  try {
    const agent = agentOf({ node, ports: [], settings, clock, signal, record: () => {} });
    const running = (await agent.commands()).find(({ status }) => status === 'RUNNING');
    return running && `its agent is still at work on ${running.name}`;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

function isAddressOf({ db, served }: RamdiskServices, { uuid }: Node, url: string): boolean {
  const host = URL.parse(url)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? null;
  return served.mayBeMachine(
    host,
    db.ports.ofNode(uuid).map(({ address }) => address),
  );
}
