// Runs the periodic work that enabled interfaces declare, on the nodes that use them.
import { reasonOf } from '../../model/faults.ts';
import { interfaceField, interfaceTypes, type InterfaceType } from '../../model/machine/interface-types.ts';
import type { PeriodicWork } from '../../plugin-api/index.ts';
import { secondsOf } from '../../plugin-host/intervals.ts';
import { withTaskIfFree } from '../tasks/run-task.ts';
import type { Services } from '../services.ts';
import { inParallel, startPeriodic, type StopLoop } from './periodic.ts';

interface DeclaredWork {
  /** `health of management ipmitool` */
  readonly label: string;
  readonly work: PeriodicWork;
  /** Returns the UUIDs of the nodes to run it on. */
  readonly nodes: () => readonly string[];
}

/** Starts all declared work. Returns a function to stop it. */
export function startInterfaceWork(services: Services): StopLoop {
  const stops = declaredWork(services).map((declared) => {
    const interval = secondsOf(declared.work.interval, services.sections);
    return startPeriodic(services, declared.label, interval, () => round(services, declared));
  });
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

function declaredWork({ registry, db }: Services): readonly DeclaredWork[] {
  const drivers = [...registry.hardwareTypes.keys()];
  const ofTypes = interfaceTypes.flatMap((type) =>
    registry.enabledInterfaces[type].flatMap((name) => {
      const declared = registry.interfaces.get(`${type}:${name}`)?.periodic;
      return labelled(declared, `${type} ${name}`, () =>
        db.nodes.usingInterface(interfaceField(type), name, drivers),
      );
    }),
  );
  const ofClassic = [...registry.classicDrivers].flatMap(([driver, interfaces]) =>
    interfaceTypes.flatMap((type: InterfaceType) =>
      labelled(interfaces[type]?.periodic, `${type} of ${driver}`, () =>
        db.nodes.usingInterface(interfaceField(type), null, [driver]),
      ),
    ),
  );
  return [...ofTypes, ...ofClassic];
}

const labelled = (
  declared: Readonly<Record<string, PeriodicWork>> | undefined,
  owner: string,
  nodes: DeclaredWork['nodes'],
): readonly DeclaredWork[] =>
  Object.entries(declared ?? {}).map(([name, work]) => ({ label: `${name} of ${owner}`, work, nodes }));

async function round(services: Services, { label, work, nodes }: DeclaredWork): Promise<void> {
  await inParallel(nodes(), services.config.conductor.periodic_max_workers, async (uuid) => {
    try {
      await withTaskIfFree(services, uuid, (task) => work.run(task.view));
    } catch (error) {
      services.log.warn(
        { node: uuid, periodic: label, reason: reasonOf(error) },
        'periodic work on the node failed',
      );
    }
  });
}
