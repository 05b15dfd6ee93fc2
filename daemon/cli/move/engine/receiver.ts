// The service that gets the machines: what it offers, and provision requests whose end is awaited.
import type { Json } from '../../../model/json.ts';
import { interfaceTypes } from '../../../model/machine/interface-types.ts';
import { isProvisionState, isUnstable } from '../../../model/states/provision-states.ts';
import { type ApiClient, pathOfNode } from '../../api-client.ts';
import { cellText } from '../../text-table.ts';
import { find, type Service } from './ironic-service.ts';
import type { Offer } from './plan-move.ts';

export interface Receiver extends Service {
  /** Waits between two readings of a node. */
  readonly pause: () => Promise<void>;
}

/** How many times a node is read before the wait fails. With the pauses, this takes much longer than a BMC takes to answer. */
const MOST_LOOKS = 300;

export async function offerOf({ api, minor }: Service): Promise<Offer> {
  const drivers = await api.list(minor < 30 ? '/v1/drivers' : '/v1/drivers?detail=true', 'drivers');
  return {
    minor,
    drivers: new Map(
      drivers.map((driver) => [
        cellText(driver['name']),
        Object.fromEntries(
          interfaceTypes.flatMap((type) => {
            const names = driver[`enabled_${type}_interfaces`];
            return Array.isArray(names) ? [[`${type}_interface`, names as readonly string[]]] : [];
          }),
        ),
      ]),
    ),
  };
}

/**
 * Requests `verb` and waits until the node is in the state `wanted`; does nothing if it already is. Throws when the node ends in
 * another state.
 */
export async function requestProvision(
  receiver: Receiver,
  uuid: string,
  verb: string,
  wanted: string,
): Promise<void> {
  const { api } = receiver;
  if ((await settled(receiver, uuid)).state === wanted) return;
  await api.request('PUT', `${pathOfNode(uuid)}/states/provision`, { target: verb });
  const { state, error } = await settled(receiver, uuid);
  if (state !== wanted) throw new Error(`${verb} ended in state "${state}" at ${receiver.name}: ${error}`);
}

/**
 * Returns the node's state and last error as soon as no work is under way. Throws when the work has not ended after MOST_LOOKS
 * readings.
 */
export async function settled({ api, pause, name }: Receiver, uuid: string) {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const { provision_state: state, last_error: error } = await nodeAt(api, uuid);
    const isBusy = typeof state === 'string' && isProvisionState(state) && isUnstable(state);
    if (!isBusy) return { state: cellText(state), error: cellText(error) };
    await pause();
  }
  throw new Error(
    `${name} has not ended the work on node ${uuid}; look at the node there, and run the command again`,
  );
}

async function nodeAt(api: ApiClient, uuid: string): Promise<Readonly<Record<string, Json>>> {
  const node = await find(api, pathOfNode(uuid));
  if (node === undefined) throw new Error(`the receiving service has no node ${uuid} any more`);
  return node;
}
