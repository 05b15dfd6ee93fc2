// Makes the recorded power state and the actual one equal. A node enters maintenance when its power state cannot be read, or
// stays different, several times in a row; that maintenance ends when the power state can be read again.
import { limitConcurrency } from '../../lib/limits/limit-concurrency.ts';
import { reasonOf } from '../../model/faults.ts';
import { POWER_FAILURE } from '../../model/states/node-faults.ts';
import type { Node, NodeChanges } from '../../model/records/node.ts';
import type { PowerState } from '../../model/states/power-states.ts';
import { isFailure, permissionIn, statesThat } from '../../model/states/provision-states.ts';
import { changePower } from '../hardware/change-power.ts';
import { openTask, withTaskIfFree } from '../tasks/run-task.ts';
import { inParallel } from '../../lib/periodic.ts';
import { recordCondition } from './record-condition.ts';
import type { LoopServices, LoopTask } from './services.ts';

/** How long a pass waits for one node; a slower reading goes on while the pass continues. */
const PATIENCE_MILLISECONDS = 5000;

/**
 * Synchronizes all nodes in passes. A suspect is a node whose last reading failed or showed another state than the recorded
 * one. Suspects are read in parallel with the pass, which does not wait for them. For every other node the pass waits a limited
 * time, because many BMCs may stop answering at once.
 */
export class PowerSync {
  readonly #services: LoopServices;
  /** How many readings in a row failed, or showed another state than the recorded one, by node. */
  readonly #failures: Map<string, number>;
  /** Nodes that are being read, and suspects that wait for their turn. */
  readonly #pending = new Map<string, Promise<void>>();
  readonly #inTurn: ReturnType<typeof limitConcurrency>;

  constructor(services: LoopServices, failures: Map<string, number>) {
    this.#services = services;
    this.#failures = failures;
    this.#inTurn = limitConcurrency(services.config.conductor.sync_power_state_workers);
  }

  /** Resolves when all nodes but the suspects and those that answer late have been read. Passes must not overlap. */
  async pass(): Promise<void> {
    const { db, config } = this.#services;
    const present = db.nodes.forPowerSync(statesThat('unsynced'));
    forgetAbsent(this.#failures, present);
    const due = present.filter((uuid) => !this.#pending.has(uuid));
    const trusted = due.filter((uuid) => !this.#failures.has(uuid));
    for (const uuid of due) if (this.#failures.has(uuid)) this.#readBeside(uuid);
    await inParallel(trusted, config.conductor.sync_power_state_workers, (uuid) => this.#readPatiently(uuid));
  }

  /** Resolves when no node is being read. */
  async allRead(): Promise<void> {
    await Promise.all(this.#pending.values());
  }

  #readBeside(uuid: string): void {
    void this.#keep(
      uuid,
      this.#inTurn(() => synchronize(this.#services, uuid, this.#failures)),
    );
  }

  async #readPatiently(uuid: string): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#services.clock.after(PATIENCE_MILLISECONDS, resolve);
    await Promise.race([this.#keep(uuid, synchronize(this.#services, uuid, this.#failures)), late]);
    cancel();
  }

  #keep(uuid: string, reading: Promise<void>): Promise<void> {
    const ended = reading.finally(() => this.#pending.delete(uuid));
    this.#pending.set(uuid, ended);
    return ended;
  }
}

/** Synchronizes one node unless it is locked or exempt from power sync. A failure is logged. */
export async function synchronize(
  services: LoopServices,
  uuid: string,
  failures: Map<string, number>,
): Promise<void> {
  if (services.locks.holderOf(uuid) !== null) return;
  await logFailure(services, uuid, () => syncOne(services, uuid, failures));
}

const isExempt = (node: Node): boolean =>
  node.maintenance ||
  node.target_power_state !== null ||
  permissionIn(node.provision_state, 'unsynced') === true;

function forgetAbsent(failures: Map<string, number>, present: readonly string[]): void {
  const known = new Set(present);
  for (const uuid of failures.keys()) if (!known.has(uuid)) failures.delete(uuid);
}

async function logFailure(services: LoopServices, uuid: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    services.log.warn({ node: uuid, error }, 'power synchronisation of the node failed');
  }
}

async function syncOne(services: LoopServices, uuid: string, failures: Map<string, number>): Promise<void> {
  const task = openTask({ services, caller: null }, uuid);
  if (isExempt(task.node)) return;
  const count = (failures.get(uuid) ?? 0) + 1;
  failures.set(uuid, count);
  const actual = await readPower(task);
  if (actual.kind === 'failed') return giveUpAfter(services, uuid, count, actual.reason);
  await recordCondition(task);
  if (actual.kind === 'unknown' || actual.state === task.node.power_state) {
    failures.delete(uuid);
    if (actual.kind === 'read' && isOfBmc(task))
      await withTaskIfFree(services, uuid, (locked) => locked.store(withoutErrorOfBmc(locked)));
    return;
  }
  await withTaskIfFree(services, uuid, (locked) => reconcile(locked, actual.state, count, failures));
}

/** Whether the node's `last_error` tells only that its BMC did not do or answer something, which is over when the BMC answers. */
const isOfBmc = ({ node, services }: LoopTask): boolean =>
  node.last_error !== null &&
  !isFailure(node.provision_state) &&
  ['power', 'monitoring'].includes(services.db.history.newestErrorType(node.uuid) ?? '');

const withoutErrorOfBmc = (task: LoopTask): NodeChanges => (isOfBmc(task) ? { last_error: null } : {});

type Reading =
  | { readonly kind: 'read'; readonly state: PowerState }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly reason: string };

// A failed validation does not count as a failed reading if the node's power state was never read (its driver_info may be
// incomplete), or if its power is controlled through the agent (which may be gone)
async function readPower(task: LoopTask): Promise<Reading> {
  try {
    await task.driver.power.validate(task.view);
  } catch (error) {
    const isExpected = task.node.power_state === null || task.driver.power.throughAgent === true;
    return isExpected ? { kind: 'unknown' } : { kind: 'failed', reason: reasonOf(error) };
  }
  try {
    const state = await task.driver.power.getPowerState(task.view);
    if (state === null) return { kind: 'unknown' };
    return state === 'error'
      ? { kind: 'failed', reason: 'the BMC reports an error state' }
      : { kind: 'read', state };
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) };
  }
}

async function giveUpAfter(
  services: LoopServices,
  uuid: string,
  count: number,
  reason: string,
): Promise<void> {
  const limit = services.config.conductor.power_state_sync_max_retries;
  services.log.warn({ node: uuid, attempt: count, limit, reason }, 'power state could not be read');
  if (count <= limit) return;
  await withTaskIfFree(services, uuid, async (task) => {
    if (task.node.maintenance) return;
    enterPowerFailure(
      task,
      null,
      `Power state could not be read: ${count} readings in a row have failed or differed from the record. The last reason: ${reason}`,
    );
  });
}

function enterPowerFailure(task: LoopTask, power_state: PowerState | null, event: string): void {
  const last_error = task.recordError({ event, eventType: 'monitoring' });
  task.store({ power_state, maintenance: true, maintenance_reason: event, fault: POWER_FAILURE, last_error });
}

async function reconcile(
  task: LoopTask,
  actual: PowerState,
  count: number,
  failures: Map<string, number>,
): Promise<void> {
  const { node, services } = task;
  if (node.power_state === actual || isExempt(node)) return;
  const { power_state: recorded } = node;
  const forced = forcedState(task);
  if (forced === undefined) {
    if (recorded !== null) noteChange(task, recorded, actual);
    task.store({ power_state: actual });
    failures.delete(node.uuid);
  } else if (count > services.config.conductor.power_state_sync_max_retries) {
    enterPowerFailure(
      task,
      actual,
      `The machine is "${actual}": ${count} readings in a row did not show the recorded "${forced}".`,
    );
  } else {
    task.log.warn({ actual, recorded }, 'power state differs: setting the machine to what is recorded');
    const event = `The machine is "${actual}": setting it to the recorded "${forced}".`;
    task.recordInfo({ event, eventType: 'monitoring' });
    await changePower(task, forced);
    // nobody has asked for this action, so it must not hide why an earlier one failed
    task.store({ last_error: node.last_error });
  }
}

/** Returns the recorded power state if the machine is to be set to it; undefined if the machine's own state is to be recorded. */
function forcedState({ node, services, driver }: LoopTask): Exclude<PowerState, 'error'> | undefined {
  const { power_state: recorded } = node;
  const mayForce = services.config.conductor.force_power_state_during_sync && !node.disable_power_off;
  return mayForce && driver.power.supportsPowerSync && recorded !== null && recorded !== 'error'
    ? recorded
    : undefined;
}

function noteChange(task: LoopTask, recorded: PowerState, actual: PowerState): void {
  task.log.warn({ actual, recorded }, 'power state differs: recording what the machine has');
  const event = `Power state changed outside the service: "${recorded}" -> "${actual}".`;
  task.recordInfo({ event, eventType: 'monitoring' });
  task.services.timeline.record({ hop: 'power', node: task.node.uuid, text: event });
}

/** Ends the maintenance of each node whose fault is a power failure and whose power state can be read again. */
export async function recoverPowerFailures(services: LoopServices): Promise<void> {
  const nodes = services.db.nodes.withFault(POWER_FAILURE);
  await inParallel(nodes, services.config.conductor.sync_power_state_workers, (uuid) =>
    logFailure(services, uuid, async () => {
      await withTaskIfFree(services, uuid, async (task) => {
        const actual = await readPower(task);
        if (actual.kind !== 'read' || task.node.fault !== POWER_FAILURE) return;
        task.recordInfo({ event: 'The BMC answers again: maintenance ends.', eventType: 'monitoring' });
        task.store({
          power_state: actual.state,
          maintenance: false,
          maintenance_reason: null,
          fault: null,
          ...withoutErrorOfBmc(task),
        });
      });
    }),
  );
}
