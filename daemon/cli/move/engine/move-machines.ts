// Moves a machine, continuing where the journal ends, and undoes the move of a machine.
import { reasonOf } from '../../../model/faults.ts';
import type { JsonObject } from '../../../model/json.ts';
import { pathOfNode } from '../../api-client.ts';
import { find, requestMaintenance } from './ironic-service.ts';
import type { Journal } from './journal.ts';
import { nameOrUuid, type MovedMachine, maintenanceOf } from './machine.ts';
import { type Offer, type MovePlan, planMove, type MoveStep } from './plan-move.ts';
import { type Receiver, settled } from './receiver.ts';
import type { MoveSource } from './source.ts';
import { moveActions, type Move } from './steps.ts';

export interface Moving {
  readonly source: MoveSource;
  readonly receiver: Receiver;
  readonly offer: Offer;
  readonly journal: Journal;
}

export interface MoveOutcome extends JsonObject {
  readonly uuid: string;
  readonly name: string;
  /** Records of the site get `copied`, `left` or `failed`. Machines get any outcome except `copied` and `left`. */
  readonly outcome:
    | 'prepared'
    | 'finished'
    | 'undone'
    | 'unchanged'
    | 'refused'
    | 'failed'
    | 'copied'
    | 'left';
  readonly note: string;
}

/** Returns what the next run would do with the machine; changes nothing. */
export async function foreseen(moving: Moving, uuid: string, finishes: boolean): Promise<MoveOutcome> {
  const { machine, plan } = await planned(moving, uuid);
  if (plan.kind === 'refuse') return outcome(machine, 'refused', plan.reason);
  const steps = stepsLeft(moving, uuid, plan, finishes);
  if (steps.length === 0) return outcome(machine, 'unchanged', plan.warnings.join('; '));
  return outcome(
    machine,
    finishes ? 'finished' : 'prepared',
    [steps.join(', '), ...plan.warnings].join('; '),
  );
}

/**
 * Takes the remaining steps. If a step after `set aside` fails, the source still leaves the machine alone. The next run continues
 * the move.
 */
export async function moveMachine(moving: Moving, uuid: string, finishes: boolean): Promise<MoveOutcome> {
  const { machine, plan } = await planned(moving, uuid);
  if (plan.kind === 'refuse') return outcome(machine, 'refused', plan.reason);
  const steps = stepsLeft(moving, uuid, plan, finishes);
  if (steps.length === 0) return outcome(machine, 'unchanged', '');
  for (const step of steps) {
    try {
      await take(moving, uuid, step);
    } catch (error) {
      return outcome(machine, 'failed', `${step}: ${reasonOf(error)}`);
    }
  }
  return outcome(machine, finishes ? 'finished' : 'prepared', plan.warnings.join('; '));
}

/** Removes the machine from the receiving service, and lets the source act on it again, unless the machine was handed over. */
export async function undoMove({ source, receiver, journal }: Moving, uuid: string): Promise<MoveOutcome> {
  const { begun, before } = journal.of(uuid);
  const machine = await source.read(uuid);
  if (before === undefined) return outcome(machine, 'unchanged', 'it was not moved');
  if (begun.has('hand over'))
    return outcome(
      machine,
      'refused',
      `it was handed over, and ${receiver.name} acts on it now: move it back with a new move in the other direction`,
    );
  if (begun.has('create')) await removeThere(receiver, uuid);
  await source.takeBack(uuid, before);
  journal.ends(uuid, 'undone');
  return outcome(machine, 'undone', '');
}

/**
 * Deletes the node while it is in maintenance: in maintenance, Ironic deletes a node in any state without touching its machine.
 */
async function removeThere(receiver: Receiver, uuid: string): Promise<void> {
  const { api } = receiver;
  const path = pathOfNode(uuid);
  const there = await find(api, path);
  if (there === undefined) return;
  await settled(receiver, uuid);
  await requestMaintenance(receiver, uuid, 'the move is undone');
  if (there['protected'] === true)
    await api.request('PATCH', path, [{ op: 'replace', path: '/protected', value: false }]);
  const allocation = there['allocation_uuid'];
  if (typeof allocation === 'string') await api.request('DELETE', `/v1/allocations/${allocation}`);
  await api.request('DELETE', path);
}

async function planned({ source, offer, journal, receiver }: Moving, uuid: string) {
  const machine = await source.read(uuid);
  const { begun, before } = journal.of(uuid);
  const original = { ...machine, node: { ...machine.node, ...before } };
  const plan = planMove(original, offer);
  const isForeign = !begun.has('create') && (await find(receiver.api, pathOfNode(uuid))) !== undefined;
  const refusal: MovePlan = {
    kind: 'refuse',
    reason: `${receiver.name} has a node with this UUID, but the journal ${journal.file} does not record its creation`,
  };
  return { machine: original, plan: isForeign ? refusal : plan };
}

function stepsLeft(
  { journal }: Moving,
  uuid: string,
  plan: Extract<MovePlan, { kind: 'move' }>,
  finishes: boolean,
): readonly MoveStep[] {
  const { done } = journal.of(uuid);
  return [...plan.prepare, ...(finishes ? plan.finish : [])].filter((step) => !done.has(step));
}

/** Reads the machine again, because its record may have changed before it was set aside. */
async function take(moving: Moving, uuid: string, step: MoveStep): Promise<void> {
  const { source, receiver, journal } = moving;
  const { machine, plan } = await planned(moving, uuid);
  if (plan.kind === 'refuse') throw new Error(plan.reason);
  const before = journal.of(uuid).before ?? maintenanceOf(machine.node);
  journal.begins(uuid, step, before);
  const move: Move = { plan, source, receiver, before };
  await moveActions[step](move);
  journal.ends(uuid, step);
}

const outcome = ({ node }: MovedMachine, kind: MoveOutcome['outcome'], note: string): MoveOutcome => ({
  uuid: node.uuid,
  name: nameOrUuid(node),
  outcome: kind,
  note,
});
