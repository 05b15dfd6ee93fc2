// Finds a server profile by its name.
import { isJsonObject, type JsonObject, type Task } from '#plugin-api';
import { textOf } from '../appliance/answer.ts';
import { read } from '../appliance/appliance.ts';

const MOST_PAGES = 1000;

/**
 * Returns the profile of this name, in which upper and lower case do not matter; undefined when there is none. Searches the list of
 * profiles itself, because a filter cannot contain a name with a quote.
 */
export async function findProfile(task: Task, name: string): Promise<JsonObject | undefined> {
  let page = '/rest/server-profiles?start=0&count=64';
  for (let pages = 0; page !== '' && pages < MOST_PAGES; pages += 1) {
    const { members, ...list } = await read(task, 'Looking for a server profile', page);
    const found = (Array.isArray(members) ? members : [])
      .filter(isJsonObject)
      .find((profile) => textOf(profile, 'name').toLowerCase() === name.toLowerCase());
    if (found !== undefined) return found;
    page = textOf(list, 'nextPageUri');
  }
  return undefined;
}
