// The changes that end a flow of steps in a node's record.
import { changeInfo, keysUntil } from '../internal-info.ts';
import type { Node, NodeChanges } from '../records/node.ts';
import type { StepPhase } from './step-phases.ts';

/** The node field that shows the running step; verification has none. */
export const shownIn = {
  verify: undefined,
  clean: 'clean_step',
  deploy: 'deploy_step',
  service: 'service_step',
} as const;

/** The changes at the end of a flow. They do not change what the node's record says of a prepared ramdisk. */
export const clearFlow = (node: Node, phase: StepPhase): NodeChanges => ({
  ...changeInfo(node, {}, keysUntil(`${phase} flow`, 'step')),
  ...clearShownStep(phase),
});

/** The changes at the end of a flow whose ramdisk is torn down. */
export const clearFlowAndRamdisk = (node: Node, phase: StepPhase): NodeChanges => ({
  ...changeInfo(node, {}, keysUntil(`${phase} flow`, 'step', 'ramdisk')),
  ...clearShownStep(phase),
});

function clearShownStep(phase: StepPhase): NodeChanges {
  const field = shownIn[phase];
  return field === undefined ? {} : { [field]: {} };
}
