// Checks the steps that a provision request names, directly or through a runbook.
import type { Services } from '../../conductor/services.ts';
import { fault } from '../../model/faults.ts';
import {
  type DeployStep,
  type NamedStep,
  type RequestedStep,
  requestedStepFields,
  stepName,
} from '../../model/steps/step-lists.ts';
import { withNumber } from './written-steps.ts';
import { parseUuidOrThrow } from '../../http/parameter-kinds.ts';
import { validatorFor } from '../../model/records/field-validator.ts';

const validate = validatorFor(requestedStepFields, 'create', []);

/** Throws InvalidSchema, StepNotAllowed, and InvalidUuid or NodeNotFound for child nodes. */
export function checkedRequestedSteps(
  services: Services,
  name: 'clean_steps' | 'service_steps',
  given: readonly unknown[],
): readonly RequestedStep[] {
  const steps = validate(name, { [name]: given })[name] as readonly RequestedStep[];
  refuseDisallowed(services, name, steps);
  return steps.map((step) => {
    const { limit_child_node_execution: children } = step;
    return withNumber(
      { ...step, ...(children && { limit_child_node_execution: knownNodes(services, children) }) },
      'order',
    );
  });
}

function knownNodes({ db }: Services, uuids: readonly string[]): readonly string[] {
  return uuids.map((given) => {
    const uuid = parseUuidOrThrow(given);
    if (db.nodes.get(uuid) === undefined) throw fault('NodeNotFound', { node: given });
    return uuid;
  });
}

/** Throws InvalidSchema or StepNotAllowed. */
export function checkedDeploySteps(services: Services, given: readonly unknown[]): readonly DeployStep[] {
  const steps = validate('deploy_steps', { deploy_steps: given })['deploy_steps'] as readonly DeployStep[];
  refuseDisallowed(services, 'deploy_steps', steps);
  return steps.map((step) => withNumber(step, 'priority'));
}

/** Throws StepNotAllowed. */
export function refuseDisallowed(
  { config }: Services,
  name: keyof typeof requestedStepFields,
  steps: readonly NamedStep[],
): void {
  const disallowed = config.api[`disallow_${name}`];
  const step = steps.map(stepName).find((each) => disallowed.includes(each));
  if (step !== undefined) throw fault('StepNotAllowed', { step, name });
}
