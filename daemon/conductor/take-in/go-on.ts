// Brings a node to `available`: requests manage, inspect and provide, one after the other, until it is there or something fails. What
// is left to do is in the node's record, so that it goes on after a restart of the daemon.
import type { StopLoop } from '../../lib/periodic.ts';
import { fault, Fault } from '../../model/faults.ts';
import { changeInfo, keyChange } from '../../model/internal-info.ts';
import type { Node } from '../../model/records/node.ts';
import { isAtRest, stateFacts } from '../../model/states/provision-states.ts';
import { type ProvisionVerb, verbOf, verbsBefore } from '../../model/states/verbs.ts';
import { provision, verbAlone } from '../flows/provision.ts';
import { withTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';
import type { TakeInServices } from './services.ts';

const LAST: ProvisionVerb = 'provide';

/** Returns the verb to request next; undefined where the node is there, or no verb leads on. */
function nextVerb({
  provision_state: state,
  inspection_finished_at: inspected,
}: Node): ProvisionVerb | undefined {
  if (state === verbOf(LAST).reaches) return undefined;
  const [first] = verbsBefore(state, LAST);
  if (first !== undefined) return first;
  return state !== verbOf('manage').reaches ? undefined : inspected === null ? 'inspect' : LAST;
}

/** Stores that the node is to become available, and requests the first verb. Throws InvalidState where no verb leads there. */
export async function goOnToAvailable(call: Call<TakeInServices>, uuid: string): Promise<void> {
  await withTask(call, uuid, (task) => {
    const { node } = task;
    if (!isAtRest(node.provision_state) || nextVerb(node) === undefined)
      throw fault('InvalidState', {
        reason: `Node ${uuid} is in state "${node.provision_state}", from which manage, inspect and provide do not lead to "available".`,
      });
    task.store(changeInfo(node, keyChange('goes_on', true)));
  });
  try {
    await requestNext(call.services, uuid);
  } catch (error) {
    await stop(call.services, uuid);
    throw error;
  }
}

/** Requests the next verb. */
async function requestNext(services: TakeInServices, uuid: string): Promise<void> {
  const node = services.db.nodes.get(uuid);
  if (node === undefined || node.driver_internal_info.goes_on !== true) return;
  const verb = nextVerb(node);
  if (verb === undefined) return stop(services, uuid);
  await provision({ services, caller: null }, uuid, { ...verbAlone, verb });
}

/** Like `requestNext`; a node whose verb is refused goes no further, and its record says why. */
async function goOn(services: TakeInServices, uuid: string): Promise<void> {
  try {
    await requestNext(services, uuid);
  } catch (error) {
    await stop(services, uuid, error instanceof Fault ? error.message : undefined);
    throw error;
  }
}

/** `reason`: why the node is not available; not set where it is, or where its record says why. */
const stop = (services: TakeInServices, uuid: string, reason?: string): Promise<void> =>
  withTask({ services, caller: null }, uuid, (task) =>
    task.store({
      ...changeInfo(task.node, keyChange('goes_on', null)),
      ...(reason !== undefined && { last_error: reason }),
    }),
  );

/** Follows the nodes that are to become available. Returns a function that ends it. */
export function startGoingOn(services: TakeInServices): StopLoop {
  const { db, transitions, log, clock } = services;
  const running = new Set<Promise<void>>();
  const run = (node: string, work: () => Promise<void>) => {
    const end = work().catch((error: unknown) => log.warn({ node, error }, 'a node goes no further'));
    running.add(end);
    void end.finally(() => running.delete(end));
  };
  const follow = ({ uuid, provision_state: state, driver_internal_info: info, last_error: error }: Node) => {
    if (info.goes_on !== true || !isAtRest(state)) return;
    const hasFailed = stateFacts({ provision_state: state }).failed !== null || error !== null;
    // the work that has just ended still holds the node
    clock.after(0, () => run(uuid, () => (hasFailed ? stop(services, uuid) : goOn(services, uuid))));
  };
  transitions.stored.add(follow);
  for (const uuid of db.nodes.withInfo('goes_on')) {
    const node = db.nodes.get(uuid);
    if (node !== undefined) follow(node);
  }
  return async () => {
    transitions.stored.delete(follow);
    await Promise.all(running);
  };
}
