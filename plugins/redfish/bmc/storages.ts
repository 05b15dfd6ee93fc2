// The storage controllers of a machine with their drives.
import type { JsonObject } from '#plugin-api';
import type { Bmc } from './bmc.ts';
import { ownChassis } from './chassis.ts';
import { objectIn, objectsIn, pathIn, pathsIn } from './fields.ts';

interface Storage {
  readonly resource: JsonObject;
  readonly drives: readonly JsonObject[];
}

/**
 * Reads what can be read of each Storage in `paths`; a Storage or drive that cannot be read is in `unread`. For what must not leave
 * out any: `allStorages`.
 */
export async function readStorages(bmc: Bmc, paths: readonly string[]): Promise<readonly Storage[]> {
  const found: Storage[] = [];
  for (const path of paths) {
    // with the drives, where the BMC expands links
    const resource = await bmc.optional(`the storage (${path})`, () => bmc.getExpanded(path));
    if (resource === undefined) continue;
    const drives = await bmc.optionalLinked('the drives', objectsIn(resource['Drives']));
    found.push({ resource, drives });
  }
  return found;
}

/** The paths of the Storages that the BMC lists; `unread` says when it does not show the list. */
export async function storagePaths(bmc: Bmc): Promise<readonly string[]> {
  const path = await collection(bmc);
  const listed =
    path === undefined ? [] : ((await bmc.optional('the storage', () => bmc.memberPaths(path))) ?? []);
  return listed.length > 0 ? listed : linkedByChassis(bmc);
}

/** Throws when the BMC refuses a Storage. */
export async function allStorages(bmc: Bmc): Promise<readonly JsonObject[]> {
  const listed = await bmc.membersIfAny(await collection(bmc));
  if (listed.length > 0) return listed;
  return bmc.linked((await linkedByChassis(bmc)).map((path) => ({ '@odata.id': path })));
}

const collection = async (bmc: Bmc): Promise<string | undefined> =>
  pathIn((await bmc.knownSystem())['Storage']);

/** Some BMCs link a collection that they do not have, but the chassis links its members. */
async function linkedByChassis(bmc: Bmc): Promise<readonly string[]> {
  const paths = (await ownChassis(bmc)).flatMap(({ Links: links }) => pathsIn(objectIn(links)['Storage']));
  // a chassis may hold several machines
  const own = `${await bmc.systemPath()}/`;
  return paths.filter((path) => path.startsWith(own));
}
