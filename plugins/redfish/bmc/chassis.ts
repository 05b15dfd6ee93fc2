// The chassis of a machine.
import type { JsonObject } from '#plugin-api';
import type { Bmc } from './bmc.ts';
import { objectIn, pathIn, pathsIn } from './fields.ts';

interface Chassis {
  readonly path: string;
  readonly resource: JsonObject;
}

/**
 * The chassis that the machine's system links or that link the system, and what these contain. If the BMC manages only this
 * system, all of its chassis: many of them link nothing.
 */
export const ownChassis = async (bmc: Bmc): Promise<readonly JsonObject[]> =>
  bmc.known(`chassis of ${await bmc.systemPath()}`, async () => {
    const linked = pathsIn(objectIn((await bmc.knownSystem())['Links'])['Chassis']);
    const all = await allChassis(bmc, linked);
    const own = await machineOf(bmc, all, linked);
    const rest = all.filter(({ path }) => !own.has(path));
    const isShared = rest.length > 0 && !(await isOnlySystem(bmc));
    return (isShared ? all.filter(({ path }) => own.has(path)) : all).map(({ resource }) => resource);
  });

/** The chassis in `linked` come first. */
async function allChassis(bmc: Bmc, linked: readonly string[]): Promise<readonly Chassis[]> {
  const collection = pathIn((await bmc.root())['Chassis']) ?? `${bmc.rootPath}/Chassis`;
  const listed = byPath(await bmc.optionalMembers('the chassis', collection));
  const [first, unlisted]: [JsonObject[], JsonObject[]] = [[], []];
  for (const path of linked) {
    const found = listed.get(normal(path));
    if (found === undefined) unlisted.push({ '@odata.id': path });
    else first.push(found);
  }
  first.push(...(await bmc.optionalLinked('the chassis', unlisted)));
  return [...byPath([...first, ...listed.values()])].map(([path, resource]) => ({ path, resource }));
}

const byPath = (all: readonly JsonObject[]): ReadonlyMap<string, JsonObject> =>
  new Map(all.map((chassis) => [normal(pathIn(chassis) ?? ''), chassis]));

/** BMCs write the same path with and without a slash at its end. */
const normal = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

/** The paths of the chassis that belong to the machine by the links in either direction. */
async function machineOf(
  bmc: Bmc,
  all: readonly Chassis[],
  linked: readonly string[],
): Promise<ReadonlySet<string>> {
  const system = normal(await bmc.systemPath());
  const inside = new Map<string, string[]>();
  const contains = (outer: string, inner: string) => {
    const known = inside.get(normal(outer));
    if (known === undefined) inside.set(normal(outer), [normal(inner)]);
    else known.push(normal(inner));
  };
  const found = new Set(linked.map(normal));
  for (const { path, resource } of all) {
    const links = objectIn(resource['Links']);
    if (pathsIn(links['ComputerSystems']).map(normal).includes(system)) found.add(path);
    for (const inner of pathsIn(links['Contains'])) contains(path, inner);
    for (const outer of [pathIn(links['ContainedBy']) ?? [], pathsIn(links['ContainedBy'])].flat())
      contains(outer, path);
  }
  // a set that grows while it is walked: each chassis is visited once
  for (const outer of found) for (const inner of inside.get(outer) ?? []) found.add(inner);
  return found;
}

async function isOnlySystem(bmc: Bmc): Promise<boolean> {
  const collection = `${bmc.rootPath}/Systems`;
  const systems = await bmc.optional('the systems of the BMC', () => bmc.memberPaths(collection));
  return systems?.length === 1;
}
