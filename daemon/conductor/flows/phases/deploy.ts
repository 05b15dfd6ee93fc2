// available -> deploying -> active: deploys an instance, or rebuilds one.
import { memberCondition } from '../../../db/tables/table.ts';
import { type DeployPlan, planDeployment } from '../../../model/steps/deploy-plan.ts';
import { Fault, fault, reasonOf } from '../../../model/faults.ts';
import { changeInfo } from '../../../model/internal-info.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Node } from '../../../model/records/node.ts';
import { next } from '../../../model/states/provision-states.ts';
import { type DeployStep, type DeployTemplate, stepName } from '../../../model/steps/step-lists.ts';
import { clearFlow } from '../../../model/steps/clear-flow.ts';
import { cleanUpAfter } from '../../tasks/clean-up.ts';
import type { RequestedImage } from '../../images/instance-request.ts';
import { checkNamedImage } from '../../images/catalogue.ts';
import { imageToDeploy } from '../../tasks/named-image.ts';
import { startNodeConsole } from '../../hardware/console.ts';
import { isFastTrack, agentStateToClear } from '../../tasks/agent-state.ts';
import { cacheHardwareState } from '../../hardware/cache-hardware-state.ts';
import { agentSteps, currentStep, recordDeployRequest, requestedDeploySteps } from '../steps/flow-record.ts';
import { asksAgent, availableSteps } from '../steps/available-steps.ts';
import type { Phase } from '../steps/phase.ts';
import { endlessWaits } from '../steps/ramdisk-flow.ts';
import { learnAgentSteps } from '../steps/agent-steps.ts';
import { enterFlow, planAndRun } from '../steps/run-flow.ts';
import type { FlowServices, FlowTask, FlowWork } from '../services.ts';
import { canPowerOff, changePower } from '../../hardware/change-power.ts';
import { forgetUnusableRamdisk } from '../../ramdisk/kept-ramdisk.ts';
import { saveRamdiskLogs } from '../../ramdisk/ramdisk-logs.ts';
import { NodeTask } from '../../tasks/task.ts';

const END = 'deployment_end';

export const deployment: Phase = {
  name: 'deploy',
  flow: () => 'deployment',
  plansOnWithAgent: true,
  plan: (task) =>
    deployPlan(task, requestedDeploySteps(task.node)).steps.map(({ chosenBy: _by, ...step }) => step),
  async finish(task) {
    endRecord(task);
    const changes = await cacheHardwareState(task);
    await startNodeConsole(task);
    return { event: 'done', changes };
  },
  async fail(task, reason) {
    const error = task.recordError({ event: `Deployment failed: ${reason}`, eventType: END });
    // a timeout and a failing step may both report the same failure
    if (next(task.node.provision_state, 'fail') !== undefined) task.transition('fail', { error });
    await clearUp(task);
  },
  abort(task) {
    const step = currentStep(task.node, 'deploy');
    const event = `Deployment was aborted by request${step ? ` at step ${stepName(step)}` : ''}.`;
    const error = task.recordError({ event, eventType: END });
    const isWaiting = next(task.node.provision_state, 'abort') !== undefined;
    task.transition(isWaiting ? 'abort' : 'fail', { error });
    return clearUp;
  },
};

/**
 * Plans the deployment from what is known of the node now. Throws StepsInvalid for invalid steps and templates. Throws Invalid if
 * the traits in `instance_info` are not a list of strings, or if the node lacks one of them.
 */
export function deployPlan(task: FlowTask, requested: readonly DeployStep[]): DeployPlan {
  const plan = draftDeployment(task, requested);
  if (plan.problems.length === 0) return plan;
  const problems = plan.problems.join('; ');
  throw fault('StepsInvalid', { phase: 'deploy', node: task.node.uuid, problems });
}

/**
 * Returns the problems of the deploy templates that the node's traits enable. They make a deployment fail only if the instance
 * requires the trait of the template.
 */
export function templateProblems(task: FlowTask): readonly string[] {
  const { db } = task.services;
  const enabled = db.deployTemplates.where(memberCondition('name', task.node.traits));
  return enabled.flatMap((template) => draftDeployment(task, [], [template]).problems);
}

/** Plans the deployment and lists the problems of steps and templates. Throws Invalid for traits as `deployPlan` does. */
export function draftDeployment(
  task: FlowTask,
  requested: readonly DeployStep[],
  templates: readonly DeployTemplate[] = matchingTemplates(task.services, task.node),
): DeployPlan {
  const { node, services } = task;
  const plan = planDeployment(availableSteps(task, 'deploy'), {
    requested,
    templates,
    disallowed: services.config.api.disallow_deploy_steps,
  });
  const inRamdisk = asksAgent(task, 'deploy');
  // an unknown step may still turn out to be one of the agent's
  const missing = inRamdisk && agentSteps(node, 'deploy') === undefined ? [] : plan.unknown;
  const unknown = missing.map((step) => `${step.chosenBy}: the node has no deploy step ${stepName(step)}`);
  const endless = inRamdisk ? [] : endlessWaits(plan.steps);
  const none = plan.steps.length === 0 ? ['the plan has no steps'] : [];
  return { ...plan, problems: [...unknown, ...plan.problems, ...endless, ...none] };
}

/** Returns the templates whose names are traits that the instance requires. Throws Invalid for traits as `deployPlan` does. */
function matchingTemplates({ db }: FlowServices, node: Node): readonly DeployTemplate[] {
  const { traits = [] } = node.instance_info;
  if (!Array.isArray(traits) || !traits.every((trait) => typeof trait === 'string')) {
    throw fault('Invalid', { reason: `instance_info/traits of node ${node.uuid} is not a list of strings.` });
  }
  const missing = traits.filter((trait) => !node.traits.includes(trait));
  if (missing.length > 0) {
    throw fault('Invalid', {
      reason: `Node ${node.uuid} lacks traits that its instance_info requires: ${missing.join(', ')}. Its traits are ${node.traits.join(', ') || 'none'}.`,
    });
  }
  return traits.length === 0 ? [] : db.deployTemplates.where(memberCondition('name', traits));
}

export interface Deployment extends AskedInstance {
  readonly verb: string;
  readonly deploySteps: readonly DeployStep[];
}

interface AskedInstance {
  readonly configdrive: string | JsonObject | null;
  readonly image: RequestedImage | null;
  readonly instanceInfo?: JsonObject;
}

/** Checks the request and moves to `deploying`. */
export async function beginDeployment(task: FlowTask, request: Deployment): Promise<FlowWork> {
  const node = withInstance(task.node, request);
  // the interfaces validate the node as the request would change it
  const judged = new NodeTask(task, node);
  await nameDeployFailure(task, request.verb, async () => {
    await validateForDeployment(judged, request.verb);
    await judged.driver.power.validateMachine?.(judged.view);
    await judged.driver.deploy.validateMachine?.(judged.view);
    deployPlan(judged, request.deploySteps);
    await refuseAgentSteps(judged, request.deploySteps);
  });
  const isRebuild = request.verb === 'rebuild';
  const recorded = recordDeployRequest(
    { ...node, ...agentStateToClear(task.services, task.node) },
    request.deploySteps,
  );
  const deployed_image = imageToDeploy(task.services, node, isRebuild);
  task.transition(isRebuild ? 'rebuild' : 'deploy', {
    startsWork: true,
    changes: {
      ...recorded,
      ...changeInfo({ ...node, ...recorded }, { deployed_image }),
      ...(node !== task.node && { instance_info: node.instance_info }),
    },
  });
  return deploy;
}

/** An instance on a volume is deployed without the ramdisk. Throws StepsInvalid for steps that only its agent could have. */
async function refuseAgentSteps(task: FlowTask, requested: readonly DeployStep[]): Promise<void> {
  const { deploy: ofDeploy, storage } = task.driver;
  if (ofDeploy.bootsVolumes !== true || ((await storage.instanceSystem?.(task.view)) ?? null) === null)
    return;
  const { unknown } = draftDeployment(task, requested);
  if (unknown.length === 0) return;
  const problems = unknown.map(
    (step) =>
      `${step.chosenBy}: ${stepName(step)} is no step of the node's driver, and no ramdisk with an agent runs when an instance boots from a volume`,
  );
  throw fault('StepsInvalid', { phase: 'deploy', node: task.node.uuid, problems: problems.join('; ') });
}

/** What instance_info says of one image, and would be wrong for another. */
const OF_AN_IMAGE = new Set([
  'image_source',
  'image_checksum',
  'image_os_hash_algo',
  'image_os_hash_value',
  'image_disk_format',
  'image_type',
  'kernel',
  'ramdisk',
]);

/** Returns the node with the instance that is asked for; `node` itself if the request says nothing of it. */
export function withInstance(node: Node, { configdrive, image, instanceInfo = {} }: AskedInstance): Node {
  if (configdrive === null && image === null && Object.keys(instanceInfo).length === 0) return node;
  const kept = Object.entries(node.instance_info).filter(
    ([name]) => image === null || !OF_AN_IMAGE.has(name),
  );
  return {
    ...node,
    instance_info: {
      ...Object.fromEntries(kept),
      ...instanceInfo,
      ...(image !== null && { image_source: image.source }),
      ...(image?.checksum != null && { image_checksum: image.checksum }),
      ...(configdrive !== null && { configdrive }),
    },
  };
}

/** Throws NodeProtected, or the error of an interface that finds the node unfit. */
export async function validateForDeployment(task: FlowTask, verb: string): Promise<void> {
  if (verb === 'rebuild' && task.node.protected) throw fault('NodeProtected', { node: task.node.uuid });
  checkNamedImage(task.services, task.node);
  await task.driver.power.validate(task.view);
  await task.driver.storage.validate(task.view);
  await task.driver.deploy.validate(task.view);
}

async function nameDeployFailure(task: FlowTask, verb: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'NodeProtected') throw error;
    const action = verb === 'rebuild' ? 'rebuild' : 'deploy';
    throw fault('InstanceDeployFailure', { action, node: task.node.uuid, reason: reasonOf(error) });
  }
}

const deploy: FlowWork = (task) =>
  enterFlow(task, deployment, async () => {
    await forgetUnusableRamdisk(task);
    await task.driver.deploy.prepare?.(task.view);
    if (isFastTrack(task.services, task.node) && asksAgent(task, 'deploy'))
      await learnAgentSteps(task, 'deploy');
    await planAndRun(task, deployment);
  });

/** Cleans up after a failed or aborted deployment. The reason is already in `last_error`; the record of the flow is removed. */
const clearUp: FlowWork = (task) =>
  cleanUpAfter(task, 'the deployment', END, async () => {
    const { deploy: options } = task.services.config;
    await saveRamdiskLogs(task, null, true);
    endRecord(task);
    await task.driver.deploy.cleanUp?.(task.view);
    if (options.power_off_after_deploy_failure && asksAgent(task, 'deploy') && canPowerOff(task))
      await changePower(task, 'power off');
  });

function endRecord(task: FlowTask): void {
  task.store(clearFlow({ ...task.node, ...agentStateToClear(task.services, task.node) }, 'deploy'));
}
