// Takes a machine that was found from the first sight of its BMC to `available`.
import { Fault, reasonOf } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import { stateFacts } from '../../model/states/provision-states.ts';
import type { FoundBmc } from '../../model/zero-touch/found-bmc.ts';
import type { Stage } from '../../model/zero-touch/stages.ts';
import { withNodes } from '../finding/nodes-at.ts';
import { enrolFound } from './enrol-found.ts';
import type { TakeInProgress } from './queue.ts';
import type { TakeInServices } from './services.ts';
import { stageSteps, type StageStep } from './stage-steps.ts';
import { Stopped } from './stopped.ts';

/**
 * Advances the machine until work goes on in the background, or until it stops: its record then says why. `retry`: what has failed is tried
 * again. Rejects only when the database cannot be written.
 */
export async function advance(
  services: TakeInServices,
  uuid: string,
  retry: boolean,
): Promise<TakeInProgress> {
  for (let again = retry; ; again = false) {
    const bmc = services.db.foundBmcs.get(uuid);
    if (bmc === undefined || bmc.stage === 'available' || isEnrolledByHand(services, bmc)) return 'ended';
    const progress = await takeStep(services, bmc, again);
    if (progress !== 'at the next stage') return progress;
  }
}

/** An operator had made the node before its BMC was found. */
const isEnrolledByHand = ({ db }: TakeInServices, bmc: FoundBmc): boolean =>
  bmc.expected_uuid === null && withNodes(db, [bmc])[0]?.node_uuid !== null;

async function takeStep(
  services: TakeInServices,
  bmc: FoundBmc,
  retry: boolean,
): Promise<TakeInProgress | 'at the next stage'> {
  const { uuid, address, node_uuid: node } = bmc;
  const { db, log } = services;
  try {
    const stage = await nextStage(services, bmc, retry);
    db.foundBmcs.update(uuid, { reason: null, ...(stage && { stage }) });
    if (stage === undefined) return 'goes on';
    log.info({ bmc: address, node, stage }, 'a new machine has reached the next stage');
    return 'at the next stage';
  } catch (error) {
    const isForOperators = error instanceof Stopped || error instanceof Fault;
    const reason = isForOperators ? reasonOf(error) : 'the daemon has made a mistake: see its log';
    db.foundBmcs.update(uuid, { reason });
    if (reason !== bmc.reason)
      log.warn({ bmc: address, node, stage: bmc.stage, reason, error }, 'a new machine goes no further');
    return 'ended';
  }
}

/** Returns the stage that the machine has reached; undefined while work runs in the background. Throws Stopped or a fault. */
async function nextStage(
  services: TakeInServices,
  bmc: FoundBmc,
  retry: boolean,
): Promise<Stage | undefined> {
  const { stage, node_uuid: uuid } = bmc;
  const node = uuid === null ? undefined : services.db.nodes.get(uuid);
  if (stage === 'seen' || (node === undefined && bmc.continued_at === stage)) {
    await enrolFound(services, bmc);
    return 'identified';
  }
  if (node === undefined) throw new Stopped('its node was deleted: continue it to take the machine in again');
  // an operator has gone on by hand
  if (stage === 'available' || node.provision_state === 'available' || stateFacts(node).inUse)
    return 'available';
  const hardwareClass = classOf(services, node);
  const step = { bmc, node, hardwareClass, retry };
  if (bmc.continued_at !== stage) refuseToGoOn(step);
  return busyAsWaiting(services, bmc, () => stageSteps[stage](services, step));
}

const classOf = ({ db }: TakeInServices, { resource_class: name }: Node) =>
  name === null ? undefined : db.hardwareClasses.findBy('name', name);

/** Throws Stopped where the node's maintenance or its class lets the machine wait for an operator. */
function refuseToGoOn({ bmc, node, hardwareClass }: StageStep): void {
  const { maintenance, maintenance_reason: why } = node;
  if (maintenance) throw new Stopped(`its node is in maintenance${why === null ? '' : `: ${why}`}`);
  if (hardwareClass !== undefined && hardwareClass.stop_after === bmc.stage)
    throw new Stopped(
      `machines of class ${hardwareClass.name} wait here for an operator (stop_after): continue it`,
    );
}

const BUSY: ReadonlySet<string> = new Set(['NodeLocked', 'NoFreeWorker', 'ConcurrentActionLimit']);
const BUSY_RETRY_MILLISECONDS = 1000;

/** Waits when other work holds the node, or when the daemon has no room for more work now. */
async function busyAsWaiting<T>(
  { clock, takeIn }: TakeInServices,
  { uuid }: FoundBmc,
  step: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof Fault) || !BUSY.has(error.code)) throw error;
    clock.after(BUSY_RETRY_MILLISECONDS, () => takeIn.wake(uuid));
    return undefined;
  }
}
