// Lists the clean steps that a node offers, without contacting the machine.
import type { Node } from '../../model/records/node.ts';
import { inRunningOrder, type AvailableStep } from '../../model/steps/planned-steps.ts';
import { agentSteps, withLastAgent } from './steps/flow-record.ts';
import { asksAgent, availableSteps } from './steps/available-steps.ts';
import type { FlowServices } from './services.ts';
import { NodeTask } from '../tasks/task.ts';

/** Returns the steps in running order; undefined as long as the steps of the node's agent are unknown. */
export function cleanSteps(services: FlowServices, node: Node): readonly AvailableStep[] | undefined {
  const task = new NodeTask({ services, caller: null }, withLastAgent(node, 'clean'));
  if (asksAgent(task, 'clean') && agentSteps(task.node, 'clean') === undefined) return undefined;
  return inRunningOrder('clean', availableSteps(task, 'clean'));
}
