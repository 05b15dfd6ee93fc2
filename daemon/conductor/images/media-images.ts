// Serves copies of the images in virtual drives of BMCs, until an image is detached or its node is deleted.
import { secretName } from '../../boot/secret-names.ts';
import { fault } from '../../model/faults.ts';
import { changeInfo } from '../../model/internal-info.ts';
import type { VirtualMediaDevice } from '../../model/machine/virtual-media.ts';
import type { Node } from '../../model/records/node.ts';
import { bootObstacle } from '../boot/network-boot.ts';
import { urlForBmc } from '../boot/url-for-bmc.ts';
import type { NetworkBootServices, NetworkBootTask } from '../boot/services.ts';

/** The names of copies have the endings that BMCs expect for each kind of image. */
const NAMES: Readonly<Record<VirtualMediaDevice, string>> = {
  cdrom: 'cdrom.iso',
  disk: 'disk.img',
  floppy: 'floppy.img',
};

type Copy = NonNullable<Node['driver_internal_info']['virtual_media_copies']>[number];

const copiesOf = (node: Node): readonly Copy[] => node.driver_internal_info.virtual_media_copies ?? [];

/** Serves the copies of all nodes, and deletes the copies that belong to no node. */
export function serveMediaImages(services: NetworkBootServices): void {
  const { nodes: table } = services.db;
  const nodes = table.withInfo('virtual_media_copies').flatMap((uuid) => table.get(uuid) ?? []);
  for (const node of nodes) publish(services, node);
  services.images.media.keepOnly(new Set(nodes.flatMap(copiesOf).map(({ file }) => file)));
}

interface WantedMedium {
  readonly device: VirtualMediaDevice;
  readonly imageUrl: string;
  readonly insert: (url: string) => Promise<void>;
}

/**
 * Calls `insert` with the URL of a copy of the image. Throws ImageUnusable, InvalidParameter, DriverInfoInvalid and what `insert`
 * throws.
 */
export async function insertCopy(
  task: NetworkBootTask,
  { device, imageUrl, insert }: WantedMedium,
): Promise<void> {
  const { services, signal } = task;
  const obstacle = bootObstacle(services);
  if (obstacle !== null)
    throw fault('InvalidParameter', {
      name: 'image_download_source',
      reason: `"local" needs a server, and ${obstacle}, or use "http" to have the BMC fetch the image itself`,
    });
  const file = await services.images.media.download(imageUrl, signal);
  const secret_name = secretName(NAMES[device]);
  store(task, [...copiesOf(task.node), { device, secret_name, file }]);
  try {
    await insert(urlForBmc(task, secret_name));
  } catch (error) {
    await remove(task, (copy) => copy.file === file);
    throw error;
  }
  await remove(task, (copy) => copy.device === device && copy.file !== file);
}

/** Removes the copies that were made for these drives. Call it when the drives are empty or hold another image. */
export const removeCopies = (task: NetworkBootTask, devices: readonly VirtualMediaDevice[]): Promise<void> =>
  remove(task, ({ device }) => devices.includes(device));

async function remove(task: NetworkBootTask, isMeant: (copy: Copy) => boolean): Promise<void> {
  const copies = copiesOf(task.node);
  const gone = copies.filter(isMeant);
  if (gone.length === 0) return;
  store(
    task,
    copies.filter((copy) => !isMeant(copy)),
  );
  const { media } = task.services.images;
  await Promise.all(gone.map(({ file }) => media.remove(file)));
}

function store(task: NetworkBootTask, copies: readonly Copy[]): void {
  task.store(changeInfo(task.node, { virtual_media_copies: copies.length === 0 ? null : copies }));
  publish(task.services, task.node);
}

function publish({ served, images: { media } }: NetworkBootServices, node: Node): void {
  // not the node's UUID: publishing under it would withdraw the files that its machine boots
  const owner = `virtual media of ${node.uuid}`;
  const files = copiesOf(node).map(
    ({ secret_name: name, file }) => [name, { kind: 'file', path: media.pathOf(file) }] as const,
  );
  if (files.length === 0) served.withdraw(owner);
  else served.publish(owner, Object.fromEntries(files));
}
