// Finds a server profile by its name.
import type { JsonObject, Task } from '#plugin-api';
import { objectsIn, textOf } from '../appliance/answer.ts';
import { readFromAppliance } from '../appliance/appliance.ts';

const MOST_PAGES = 1000;

/**
 * Returns the profile of this name, in which upper and lower case do not matter; undefined when there is none. Searches the list of
 * profiles itself, because a filter cannot contain a name with a quote.
 */
export async function findProfile(task: Task, name: string): Promise<JsonObject | undefined> {
  let page = '/rest/server-profiles?start=0&count=64';
  for (let pages = 0; page !== '' && pages < MOST_PAGES; pages += 1) {
    const operation = 'Looking for a server profile';
    const { members, ...list } = await readFromAppliance(task, { operation, url: page, kind: 'profiles' });
    const found = objectsIn(members).find(
      (profile) => textOf(profile, 'name').toLowerCase() === name.toLowerCase(),
    );
    if (found !== undefined) return found;
    page = textOf(list, 'nextPageUri');
  }
  return undefined;
}
