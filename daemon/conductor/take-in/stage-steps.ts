// What leads a new machine from each stage to the next: verbs and runbooks that operators have too, so that an operator can go on by
// hand wherever a machine stops.
import type { HardwareClass } from '../../model/hardware/hardware-class.ts';
import type { Node } from '../../model/records/node.ts';
import { stateFacts } from '../../model/states/provision-states.ts';
import { type ProvisionVerb, verbOf, verbsBefore } from '../../model/states/verbs.ts';
import { disksWithData } from '../../model/zero-touch/disk-contents.ts';
import type { FoundBmc } from '../../model/zero-touch/found-bmc.ts';
import type { Stage } from '../../model/zero-touch/stages.ts';
import { cleansAutomatically } from '../flows/phases/clean.ts';
import { provision, verbAlone, type ProvisionRequest } from '../flows/provision.ts';
import { makeBmcLogin } from '../hardware/bmc-login/make-login.ts';
import { classOfNode } from '../inspection/hardware.ts';
import type { TakeInServices } from './services.ts';
import { Stopped } from './stopped.ts';

export interface StageStep {
  readonly bmc: FoundBmc;
  readonly node: Node;
  readonly hardwareClass: HardwareClass | undefined;
  /** What has failed is tried again. */
  readonly retry: boolean;
}

/** Returns the stage that the machine has reached; undefined while work runs in the background. Throws Stopped or a fault. */
type Take = (services: TakeInServices, step: StageStep) => Stage | undefined | Promise<Stage | undefined>;

/** From each stage to the next. */
export const stageSteps: Readonly<Record<Exclude<Stage, 'seen' | 'available'>, Take>> = {
  async identified(services, { node }): Promise<Stage> {
    await makeBmcLogin({ services, caller: null }, node.uuid, services.config.zero_touch.bmc_username);
    return 'login';
  },
  login: (services, step) => by(services, step, 'manage', 'managed'),
  managed: (services, step) =>
    step.node.inspection_finished_at === null ? by(services, step, 'inspect', 'inspected') : 'inspected',
  inspected(services, { bmc, node, hardwareClass }) {
    const { name, differences } = classOfNode(services, node, services.db.hardware.newest(node.uuid));
    if (differences.length > 0)
      throw new Stopped(`its hardware differs from class ${name}: ${differences.join('; ')}`);
    if (bmc.continued_at !== 'inspected') refuseToErase(services, node, hardwareClass);
    return 'compared';
  },
  compared: runNextRunbook,
  prepared: (services, step) => by(services, step, 'provide', 'available'),
};

/** Requests the verb, or what must come before it; returns `stage` when the node has the state that the verb leads to. */
async function by(
  services: TakeInServices,
  { node, retry }: StageStep,
  verb: ProvisionVerb,
  stage: Stage,
): Promise<Stage | undefined> {
  if (verb !== 'inspect' && node.provision_state === verbOf(verb).reaches) return stage;
  if (stateFacts(node).work !== null) return undefined;
  refuseFailed(node, retry);
  await request(services, node, verbsBefore(node.provision_state, verb)[0] ?? verb);
  return undefined;
}

/** Throws Stopped when the last work on the node has failed. */
function refuseFailed(node: Node, retry: boolean): void {
  const { provision_state: state, last_error: error } = node;
  const hasFailed = stateFacts(node).failed !== null || (state === 'enroll' && error !== null);
  if (hasFailed && !retry)
    throw new Stopped(`its node is in state "${state}": ${error ?? 'no reason is known'}`);
}

const request = (
  services: TakeInServices,
  { uuid }: Node,
  verb: ProvisionVerb,
  cleaning?: Pick<ProvisionRequest, 'steps' | 'disableRamdisk'>,
) => provision({ services, caller: null }, uuid, { ...verbAlone, ...cleaning, verb });

/** Runs the class's runbooks one after the other. The record names the one that runs, and those that have ended well. */
async function runNextRunbook(services: TakeInServices, step: StageStep): Promise<Stage | undefined> {
  const { bmc, node, hardwareClass, retry } = step;
  const { db } = services;
  const { runbook: running, runbooks_done: done } = bmc;
  if (stateFacts(node).work !== null) return undefined;
  if (node.provision_state !== 'manageable') {
    // also when an operator then makes the node manageable by hand, the runbook has not ended well
    db.foundBmcs.update(bmc.uuid, { runbook: null });
    refuseFailed(node, retry);
    return by(services, step, 'manage', 'compared');
  }
  const ended = running === null ? done : [...done, running];
  if (running !== null) db.foundBmcs.update(bmc.uuid, { runbook: null, runbooks_done: ended });
  const name = hardwareClass?.runbooks.find((each) => !ended.includes(each));
  if (name === undefined) return 'prepared';
  const runbook = db.runbooks.findBy('name', name);
  if (runbook === undefined)
    throw new Stopped(
      `class ${hardwareClass?.name} names runbook ${name}, which does not exist: create it, or correct the class`,
    );
  const steps = runbook.steps.toSorted((a, b) => a.order - b.order);
  await request(services, node, 'clean', { steps, disableRamdisk: runbook.disable_ramdisk });
  db.foundBmcs.update(bmc.uuid, { runbook: name });
  return undefined;
}

/** Throws Stopped when cleaning would destroy data, or what may be data, and the class does not allow it. */
function refuseToErase(services: TakeInServices, node: Node, hardwareClass: HardwareClass | undefined): void {
  const cleans = cleansAutomatically(services, node) || (hardwareClass?.runbooks.length ?? 0) > 0;
  if (hardwareClass?.erase_disks === true || !cleans) return;
  const found = disksWithData(services.db.inventory.diskContentsOf(node.uuid));
  if (found?.length === 0) return;
  const advice = 'continue it to erase the disks, or set erase_disks of its hardware class';
  throw new Stopped(
    found === undefined
      ? `its disks may hold data, which the inspection did not look for: ${advice}`
      : `its disks hold data: ${found.join('; ')}: ${advice}`,
  );
}
