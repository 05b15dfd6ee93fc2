// Runs the periodic work that enabled interfaces declare, on the nodes that use them.
import { Fault, reasonOf } from '../../model/faults.ts';
import { interfaceField, interfaceTypes, type InterfaceType } from '../../model/machine/interface-types.ts';
import type { Node } from '../../model/records/node.ts';
import type { InterfaceUse } from '../../db/tables/nodes.ts';
import type { NodeSelection, PeriodicWork } from '../../plugin-api/index.ts';
import { secondsOf } from '../../plugin-api/contract/intervals.ts';
import { withTaskIfFree, withTaskUnlocked } from '../tasks/run-task.ts';
import { inParallel, startPeriodic, type StopLoop } from '../../lib/periodic.ts';
import type { LoopServices, LoopTask } from './services.ts';

interface DeclaredWork {
  /** The name of the work, such as `health of management ipmitool`. */
  readonly label: string;
  readonly work: PeriodicWork;
  readonly use: InterfaceUse;
}

/** Starts all declared work, and restarts it each time the plugins change. Returns a function that stops it. */
export function startInterfaceWork(services: LoopServices): StopLoop {
  const { changed } = services.plugins;
  let stops = startDeclared(services);
  const restart = () => {
    // a round in progress continues with the interfaces that it began with
    for (const stop of stops) void stop();
    stops = startDeclared(services);
  };
  changed.add(restart);
  return async () => {
    changed.delete(restart);
    await Promise.all(stops.map((stop) => stop()));
  };
}

const startDeclared = (services: LoopServices): readonly StopLoop[] =>
  declaredWork(services).map((declared) => {
    const interval = secondsOf(declared.work.interval, services.sections);
    return startPeriodic(services, declared.label, interval, () => round(services, declared));
  });

function declaredWork({ registry }: LoopServices): readonly DeclaredWork[] {
  const drivers = [...registry.hardwareTypes.keys()];
  const ofTypes = interfaceTypes.flatMap((type) =>
    registry.enabledInterfaces[type].flatMap((name) => {
      const declared = registry.interfaces.get(`${type}:${name}`)?.periodic;
      return labelWork(declared, `${type} ${name}`, { field: interfaceField(type), name, drivers });
    }),
  );
  const ofClassic = [...registry.classicDrivers].flatMap(([driver, interfaces]) =>
    interfaceTypes.flatMap((type: InterfaceType) =>
      labelWork(interfaces[type]?.periodic, `${type} of ${driver}`, {
        field: interfaceField(type),
        name: null,
        drivers: [driver],
      }),
    ),
  );
  return [...ofTypes, ...ofClassic];
}

const labelWork = (
  declared: Readonly<Record<string, PeriodicWork>> | undefined,
  owner: string,
  use: InterfaceUse,
): readonly DeclaredWork[] =>
  Object.entries(declared ?? {}).map(([name, work]) => ({ label: `${name} of ${owner}`, work, use }));

async function round(services: LoopServices, { label, work, use }: DeclaredWork): Promise<void> {
  const selected = services.db.nodes.usingInterface(use, work.nodes);
  const failures = new Set<string>();
  await inParallel(selected, services.config.conductor.periodic_max_workers, async (uuid) => {
    try {
      await workOn(services, uuid, work);
    } catch (error) {
      const key = failureKey(uuid, error);
      const level = failures.has(key) ? 'debug' : 'warn';
      failures.add(key);
      services.log[level](
        { node: uuid, periodic: label, reason: reasonOf(error) },
        'periodic work on the node failed',
      );
    }
  });
}

async function workOn(services: LoopServices, uuid: string, work: PeriodicWork): Promise<void> {
  const isUnlocked = work.locks === false;
  if (isUnlocked) return withTaskUnlocked(services, uuid, (task) => work.run(task.view));
  const concerns = async (task: LoopTask) => (await work.concerns?.(task.view)) ?? true;
  if (work.concerns && !(await withTaskUnlocked(services, uuid, concerns))) return;
  await withTaskIfFree(services, uuid, async (task) => {
    if (isSelected(task.node, work.nodes)) await work.run(task.view);
  });
}

/** Returns the same key for each occurrence of a failure of one BMC or appliance, which may manage many nodes. */
const failureKey = (uuid: string, error: unknown): string =>
  error instanceof Fault && error.parameters['address'] !== undefined
    ? `${error.code} ${error.parameters['address']}`
    : uuid;

/**
 * Whether the node still meets the conditions under which it was selected: earlier work of the round may have taken
 * long.
 */
function isSelected(node: Node, { states, maintenance = false, internalInfo }: NodeSelection = {}): boolean {
  if (states?.includes(node.provision_state) === false) return false;
  if (internalInfo !== undefined && !Object.hasOwn(node.driver_internal_info, internalInfo)) return false;
  return maintenance === 'any' || node.maintenance === maintenance;
}
