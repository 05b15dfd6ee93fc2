// Reads the work on machines: what runs or waits now and whether it is late, and what failed within a day.
import type { MachineEvent } from '../../model/records/machine-event.ts';
import { classOf, isFailure } from '../../model/states/provision-states.ts';
import { isLate } from '../../model/usual-time.ts';
import { type ShownMachine, readMachines } from './machines.ts';
import { readUsualTimes } from './usual-times.ts';
import type { ReadServices } from './services.ts';

export interface RunningTask {
  readonly machine: ShownMachine;
  /**
   * The step that runs, such as `clean deploy.erase_devices`; if no step runs, the state in which the work began; for failed work,
   * the state of the machine.
   */
  readonly work: string;
  /** Seconds since the work began; for failed work, since it failed. */
  readonly age: number | null;
  /** How many seconds the work usually takes; undefined where too little is known, and for failed work. */
  readonly usual: number | undefined;
  readonly late: boolean;
  readonly lastSeen: MachineEvent | undefined;
}

export interface RunningWork {
  readonly busy: number;
  readonly size: number;
  readonly running: readonly RunningTask[];
  readonly failed: readonly RunningTask[];
}

const DAY_SECONDS = 86_400;

export function readWork(services: ReadServices): RunningWork {
  const { workers, timeline, db } = services;
  timeline.flush();
  const machines = readMachines(services).filter(
    ({ state }) => classOf(state) !== 'stable' || isFailure(state),
  );
  const works = machines.map((machine) => workOf(services, machine));
  const wanted = works.map(({ work }, at) => ({ node: machines[at]?.uuid ?? '', work }));
  const usualOf = readUsualTimes(services, wanted);
  const lastSeen = db.machineEvents.newestOfNodes(machines.map(({ uuid }) => uuid));
  const tasks = machines.map((machine, at): RunningTask => {
    const { work = '', age = null } = works[at] ?? {};
    const usual = isFailure(machine.state) ? undefined : usualOf(machine.uuid, work);
    const late = usual !== undefined && age !== null && isLate(age, usual);
    return { machine, work, age, usual, late, lastSeen: lastSeen.get(machine.uuid) };
  });
  const oldestFirst = tasks.toSorted((a, b) => (b.age ?? 0) - (a.age ?? 0));
  return {
    busy: workers.busy,
    size: workers.size,
    running: oldestFirst.filter(({ machine }) => !isFailure(machine.state)),
    failed: oldestFirst
      .filter(({ machine, age }) => isFailure(machine.state) && (age ?? 0) < DAY_SECONDS)
      .toReversed(),
  };
}

/** Returns what is worked on, and for how many seconds; null: not known. */
export function workOf(
  { workTimes, clock }: ReadServices,
  { uuid, state, since }: Pick<ShownMachine, 'uuid' | 'state' | 'since'>,
): Pick<RunningTask, 'work' | 'age'> {
  const work = isFailure(state) ? undefined : workTimes.of(uuid);
  const begun = work?.since ?? (since === null ? Number.NaN : Date.parse(since));
  const age = Number.isNaN(begun) ? null : Math.max(0, clock.age(begun) / 1000);
  return { work: work?.name ?? state, age };
}
