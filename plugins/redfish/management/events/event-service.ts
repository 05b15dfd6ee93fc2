// The event service of a BMC, and how a subscription is created.
import type { JsonObject } from '#plugin-api';
import type { Bmc } from '../../bmc/bmc.ts';
import { pathIn, stringsIn } from '../../bmc/fields.ts';
import { type BmcAnswer, refusalOf } from '../../bmc/redfish-client.ts';

export const eventService = (bmc: Bmc): Promise<JsonObject> =>
  bmc.learnt.fact('event service', async () =>
    bmc.get(pathIn((await bmc.root())['EventService']) ?? `${bmc.rootPath}/EventService`),
  );

export async function subscriptionsPath(bmc: Bmc): Promise<string> {
  return pathIn((await eventService(bmc))['Subscriptions']) ?? `${bmc.rootPath}/EventService/Subscriptions`;
}

/**
 * Creates a subscription. Newer services refuse event types and choose events by the prefixes of message registries. If a service
 * accepts neither, the subscription contains neither, and the service sends all events.
 */
export async function postSubscription(bmc: Bmc, body: JsonObject): Promise<BmcAnswer> {
  const path = await subscriptionsPath(bmc);
  const { EventTypes: _, ...rest } = body;
  const prefixes = stringsIn((await eventService(bmc))['RegistryPrefixes']);
  const forms = [body, ...(prefixes.length > 0 ? [{ ...rest, RegistryPrefixes: prefixes }] : [])];
  for (const form of forms) {
    try {
      return await bmc.post(path, form);
    } catch (error) {
      if (!CHOICES.some((property) => isRefused(error, property))) throw error;
    }
  }
  return bmc.post(path, rest);
}

const CHOICES = ['EventTypes', 'RegistryPrefixes'];

function isRefused(error: unknown, property: string): boolean {
  const refusal = refusalOf(error);
  return refusal?.status === 400 && refusal.subjects.includes(property);
}
