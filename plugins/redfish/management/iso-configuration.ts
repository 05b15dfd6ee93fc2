// Virtual media of older Supermicro BMCs: no slot accepts an image; an ISO configuration beside the slots names the image to
// mount.
import type { JsonObject } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { objectIn, pathIn, targetIn, textIn } from '../bmc/fields.ts';

/** The drive of an ISO configuration. `resource` describes the drive like a slot of the Redfish standard. */
export interface IsoDrive {
  readonly path: string;
  /** The path of the collection of slots, which has a member only while an image is mounted. */
  readonly collection: string;
  readonly resource: JsonObject;
}

/** Returns the CD drive of the ISO configuration beside a collection of slots; undefined when there is no ISO configuration. */
export async function isoDrive(bmc: Bmc, collection: string): Promise<IsoDrive | undefined> {
  const path = await bmc.learnt.fact(`ISO configuration of ${collection}`, async () => {
    const { Oem: oem } = await bmc.get(collection);
    return pathIn(objectIn(objectIn(oem)['Supermicro'])['VirtualMediaConfig']);
  });
  return path === undefined ? undefined : readIsoDrive(bmc, path, collection);
}

export async function readIsoDrive(bmc: Bmc, path: string, collection: string): Promise<IsoDrive> {
  const { Host: host, Path: file, Actions: actions = {} } = await bmc.get(path);
  const resource: JsonObject = {
    '@odata.id': path,
    MediaTypes: ['CD', 'DVD'],
    Inserted: (await bmc.memberPaths(collection)).length > 0,
    Image: `${textIn(host) ?? ''}${textIn(file) ?? ''}`,
    Actions: actions,
  };
  return { path, collection, resource };
}

/** The path to which the action Mount or UnMount is posted; undefined for slots of the Redfish standard. */
export const mountTarget = (resource: JsonObject, name: 'Mount' | 'UnMount'): string | undefined =>
  targetIn(resource, `#IsoConfig.${name}`);

/** Mounts the image. Also clears a login that was set for an earlier image. */
export async function mountIso(bmc: Bmc, path: string, target: string, url: string): Promise<void> {
  const { origin, pathname, search } = new URL(url);
  await bmc.patch(path, { Host: origin, Path: `${pathname}${search}`, Username: '', Password: '' });
  await bmc.post(target, {});
}
