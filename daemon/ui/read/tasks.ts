// Reads the work on machines: what runs or waits now, and what has failed.
import type { Services } from '../../conductor/services.ts';
import type { MachineEvent } from '../../model/records/machine-event.ts';
import { classOf, isFailure } from '../../model/states/provision-states.ts';
import { type Machine, readMachines } from './machines.ts';

export interface RunningTask {
  readonly machine: Machine;
  /** Seconds in this state. */
  readonly age: number | null;
  readonly lastSeen: MachineEvent | undefined;
}

export interface Work {
  readonly busy: number;
  readonly size: number;
  readonly running: readonly RunningTask[];
  readonly failed: readonly RunningTask[];
}

const DAY_SECONDS = 86_400;

export function readWork(services: Services): Work {
  const { workers, timeline, clock, db } = services;
  timeline.flush();
  const taskOf = (machine: Machine): RunningTask => ({
    machine,
    age: machine.since === null ? null : Math.max(0, clock.age(Date.parse(machine.since)) / 1000),
    lastSeen: db.machineEvents.ofNode(machine.uuid, { since: 0, limit: 1 })[0],
  });
  const machines = readMachines(services);
  const tasks = machines.filter(({ state }) => classOf(state) !== 'stable' || isFailure(state)).map(taskOf);
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
