// Continues a node's flow (cleaning, deployment or servicing) as soon as its agent has ended a step. The daemon asks for the end
// of the step's command, and the agent answers when the command has ended. Heartbeats also continue flows, but are minutes apart.
import { agentOf } from '../../agent/agent.ts';
import { sleep } from '../../lib/clock.ts';
import { Fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import { classOf, statesOfClass } from '../../model/states/provision-states.ts';
import { continueIfWaiting } from '../flows/heartbeat.ts';
import { phaseOf } from '../flows/phases/step-phases.ts';
import { isWithAgent } from '../flows/steps/flow-record.ts';
import { withTaskIfFree } from '../tasks/run-task.ts';
import type { StopLoop } from '../../lib/periodic.ts';
import { LOCKED_RETRY } from './when-free.ts';
import type { LoopServices } from './services.ts';
import { workLimits } from '../limits.ts';

/** How long the daemon waits for the end of one step: the longest steps, such as erasing large disks, take hours. */

export function followAgentSteps(services: LoopServices): StopLoop {
  const followed = new Map<string, AbortController>();
  const running = new Set<Promise<void>>();
  const follow = (node: Node) => {
    followed.get(node.uuid)?.abort();
    followed.delete(node.uuid);
    if (!waitsForStep(node)) return;
    const stop = new AbortController();
    followed.set(node.uuid, stop);
    const work: Promise<void> = continueAtEnd(services, node, stop.signal).finally(() =>
      running.delete(work),
    );
    running.add(work);
  };
  services.transitions.waiting.add(follow);
  for (const node of services.db.nodes.inStates(statesOfClass('wait'))) follow(node);
  return async () => {
    services.transitions.waiting.delete(follow);
    for (const stop of followed.values()) stop.abort();
    await Promise.all(running);
  };
}

function waitsForStep(node: Node): boolean {
  const phase = classOf(node.provision_state) === 'wait' ? phaseOf(node) : undefined;
  return phase !== undefined && isWithAgent(node, phase.name);
}

/** Continues the flow when the step ends. If the agent does not report the end, its next heartbeat continues the flow instead. */
async function continueAtEnd(services: LoopServices, node: Node, signal: AbortSignal): Promise<void> {
  const { uuid } = node;
  const { config, clock, log } = services;
  try {
    const agent = agentOf({ node, ports: [], settings: config.agent, clock, signal, record: () => {} });
    const command = (await agent.commands()).at(-1);
    if (command === undefined || (await agent.end(command, workLimits.stepSeconds)) === undefined) return;
    while ((await withTaskIfFree(services, uuid, continueIfWaiting)) === undefined)
      await sleep(clock, LOCKED_RETRY, signal);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof Fault)
      log.info({ node: uuid, reason: error.message }, 'cannot follow the step that the agent runs');
    else log.error({ node: uuid, error }, 'following the step that the agent runs failed');
  }
}
