// The steps of the flow that runs on a node, and which of them runs.
import { plannedSteps, stepIndex } from '../../../conductor/flows/steps/flow-record.ts';
import type { Node } from '../../../model/records/node.ts';
import { permissionIn } from '../../../model/states/provision-states.ts';
import { stepName } from '../../../model/steps/step-lists.ts';

export interface NodePlan {
  /** `name`: `deploy.erase_devices`; `work`: the name of its times, `clean deploy.erase_devices`. Empty until steps are planned. */
  readonly steps: readonly { readonly name: string; readonly work: string }[];
  /** The place of the running step in `steps`. */
  readonly index: number;
}

export function nodePlanOf(node: Node): NodePlan {
  const phase = permissionIn(node.provision_state, 'steps');
  if (phase === undefined) return { steps: [], index: 0 };
  const names = plannedSteps(node, phase).map(stepName);
  return {
    steps: names.map((name) => ({ name, work: `${phase} ${name}` })),
    index: stepIndex(node, phase),
  };
}
