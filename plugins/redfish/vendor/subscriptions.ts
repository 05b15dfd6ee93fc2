// The vendor methods for event subscriptions of a BMC.
import { fault, type Json, type JsonObject, type Task } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { converse } from '../bmc/converse.ts';
import { objectIn, stringsIn, textIn } from '../bmc/fields.ts';
import { eventService, postSubscription, subscriptionsPath } from '../management/events/event-service.ts';

const SHOWN = ['Id', 'Context', 'Protocol', 'Destination', 'EventTypes'];

export const allSubscriptions = (task: Task): Promise<JsonObject> =>
  converse(task, { operation: 'Reading the event subscriptions' }, async (bmc) =>
    bmc.get(await subscriptionsPath(bmc)),
  );

export const oneSubscription = (task: Task, given: JsonObject): Promise<JsonObject> =>
  converse(task, { operation: 'Reading an event subscription' }, async (bmc) =>
    shown(await bmc.get(await pathOf(bmc, task, given))),
  );

/** Throws like `subscriptionIn`, and InvalidParameter for event types that the BMC does not send. */
export const createSubscription = (task: Task, given: JsonObject): Promise<JsonObject> =>
  converse(task, { operation: 'Subscribing to events' }, async (bmc) => {
    const body = subscriptionIn(given);
    const service = await eventService(bmc);
    refuseUnknownTypes(stringsIn(service['EventTypesForSubscription']), stringsIn(body['EventTypes']));
    const { body: made, location } = await postSubscription(bmc, body);
    return shown(location === undefined ? made : { ...(await bmc.get(location)) });
  });

export const deleteSubscription = (task: Task, given: JsonObject): Promise<void> =>
  converse(task, { operation: 'Deleting an event subscription' }, async (bmc) => {
    await bmc.delete(await pathOf(bmc, task, given));
  });

async function pathOf(bmc: Bmc, task: Task, { id }: JsonObject): Promise<string> {
  if (typeof id !== 'string' || id === '') throw fault('MissingParameter', { name: 'id' });
  const path = (await bmc.memberPaths(await subscriptionsPath(bmc))).find((each) => each.endsWith(`/${id}`));
  if (path !== undefined) return path;
  throw fault('InvalidParameter', {
    name: 'id',
    reason: `the BMC of node ${task.node.uuid} has no subscription ${id}`,
  });
}

/** Throws InvalidParameter or MissingParameter. */
export function subscriptionIn(given: JsonObject): JsonObject {
  const { Destination: destination, Protocol: protocol = 'Redfish', Context: context = '' } = given;
  const types: Json = given['EventTypes'] ?? ['Alert'];
  const headers = given['HttpHeaders'];
  const url = typeof destination === 'string' ? URL.parse(destination) : null;
  if (destination === undefined) throw fault('MissingParameter', { name: 'Destination' });
  const flaws: readonly (readonly [string, boolean, string])[] = [
    ['Destination', url !== null && url.host !== '', 'a URL'],
    ['Protocol', typeof protocol === 'string', 'a text'],
    ['Context', typeof context === 'string', 'a text'],
    ['EventTypes', isTexts(types), 'a list of texts'],
    ['HttpHeaders', headers === undefined || Array.isArray(headers), 'a list'],
  ];
  const wrong = flaws.find(([, isRight]) => !isRight);
  if (wrong !== undefined)
    throw fault('InvalidParameter', {
      name: wrong[0],
      reason: `${JSON.stringify(given[wrong[0]])}; expected ${wrong[2]}`,
    });
  return {
    Destination: destination,
    Protocol: protocol,
    Context: context,
    EventTypes: types,
    ...(headers !== undefined && { HttpHeaders: headers }),
  };
}

const isTexts = (value: Json): boolean =>
  Array.isArray(value) && (value as readonly Json[]).every((each) => typeof each === 'string');

function refuseUnknownTypes(offered: readonly string[], wanted: readonly string[]): void {
  const unknown = offered.length === 0 ? [] : wanted.filter((type) => !offered.includes(type));
  if (unknown.length > 0)
    throw fault('InvalidParameter', {
      name: 'EventTypes',
      reason: `the BMC does not send ${unknown.join(', ')}; it sends ${offered.join(', ')}`,
    });
}

const shown = (subscription: JsonObject): JsonObject =>
  Object.fromEntries(
    SHOWN.map((name) => [name, objectIn(subscription)[name] ?? textIn(subscription[name]) ?? null]),
  );
