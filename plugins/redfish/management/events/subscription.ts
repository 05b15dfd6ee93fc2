// The subscription with which a BMC sends its events to the daemon.
import type { JsonObject, Task } from '#plugin-api';
import type { Bmc } from '../../bmc/bmc.ts';
import { converse } from '../../bmc/converse.ts';
import { objectIn, stringsIn, textIn } from '../../bmc/fields.ts';
import { refusalOf } from '../../bmc/redfish-client.ts';
import { storedState } from '../../steps/stored-state.ts';
import { eventService, postSubscription, subscriptionsPath } from './event-service.ts';

interface Subscription extends JsonObject {
  readonly path: string;
}

const stored = storedState<Subscription>('redfish_event_subscription');

/** The event types to subscribe to. The daemon has no use for other types. */
const EVENT_TYPES = ['Alert', 'StatusChange', 'ResourceUpdated'];

const contextOf = (task: Task): string => `ironic-edge ${task.node.uuid}`;

/** Sends only one request if the BMC still has the subscription and has not disabled it. */
export const subscribe = (task: Task): Promise<void> =>
  converse(task, { operation: 'Subscribing to events', length: 4 }, async (bmc) => {
    const path = stored.of(task)?.path;
    if (path !== undefined && isAlive(await bmc.find(path))) return;
    await removeOwn(bmc, task);
    const created = await create(bmc, task);
    if (created !== undefined) await stored.store(task, { path: created });
  });

/** Whether the BMC still sends events: it may disable a subscription when it has not reached the daemon for a long time. */
const isAlive = (subscription: JsonObject | undefined): boolean =>
  subscription !== undefined &&
  !['Disabled', 'Suspended'].includes(textIn(objectIn(subscription['Status'])['State']) ?? 'Enabled');

async function create(bmc: Bmc, task: Task): Promise<string | undefined> {
  const offered = stringsIn((await eventService(bmc))['EventTypesForSubscription']);
  const types = EVENT_TYPES.filter((type) => offered.includes(type));
  const { location, body } = await postSubscription(bmc, {
    Destination: await task.renewEventUrl(),
    Protocol: 'Redfish',
    Context: contextOf(task),
    ...(types.length > 0 && { EventTypes: types }),
  });
  return location ?? textIn(body['@odata.id']);
}

/** Deletes the earlier subscriptions for the node: a BMC allows only a few, and the new one makes their URLs invalid. */
async function removeOwn(bmc: Bmc, task: Task): Promise<void> {
  for (const each of await bmc.optionalMembers('the subscriptions', await subscriptionsPath(bmc))) {
    const path = textIn(each['@odata.id']);
    if (path !== undefined && each['Context'] === contextOf(task)) await bmc.delete(path);
  }
}

export async function unsubscribe(task: Task): Promise<void> {
  const path = stored.of(task)?.path;
  if (path === undefined) return;
  await converse(task, { operation: 'Deleting the event subscription' }, async (bmc) => {
    try {
      await bmc.delete(path);
    } catch (error) {
      if (refusalOf(error)?.status !== 404) throw error;
    }
  });
  await stored.remove(task);
}
