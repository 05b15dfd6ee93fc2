// The image that a ramdisk writes to the disk of its machine: prepared, and served until the deployment ends.
import { secretName } from '../../boot/secret-names.ts';
import type { ServedFiles } from '../../boot/served-files.ts';
import { fault } from '../../model/faults.ts';
import { changeInfo } from '../../model/internal-info.ts';
import type { Node } from '../../model/records/node.ts';
import { stateFacts, statesOfWork } from '../../model/states/state-facts.ts';
import type { InstanceImage, PreparedImage } from '../../plugin-api/index.ts';
import { bootObstacle } from '../boot/network-boot.ts';
import type { NetworkBootServices, NetworkBootTask } from '../boot/services.ts';

/** Serves the images of deployments that are under way, each until its deployment ends. */
export function serveInstanceImages({ db, served, transitions }: NetworkBootServices): void {
  for (const node of db.nodes.inStates(statesOfWork('deploy'))) publish(served, node);
  transitions.stored.add((node) => {
    if (stateFacts(node).work !== 'deploy') served.withdraw(ownerOf(node));
  });
}

/**
 * Prepares the image, serves it, and stores in the node what the daemon needs to serve it again after a restart. Throws
 * ImageUnusable or InvalidParameter.
 */
export async function prepareInstanceImage(
  task: NetworkBootTask,
  image: InstanceImage,
): Promise<PreparedImage> {
  const { services, signal } = task;
  const obstacle = bootObstacle(services);
  if (obstacle !== null) throw fault('ImageUnusable', { image: image.source, reason: obstacle });
  const { path, sha256, bytes, format } = await services.images.prepare(image, signal);
  const prepared_image = { secret_name: secretName('image'), path, sha256, bytes, format };
  task.store(changeInfo(task.node, { prepared_image }));
  publish(services.served, task.node);
  return descriptionOf(services, prepared_image);
}

/** Resolves to the image's format. Throws ImageUnusable or InvalidParameter. */
export async function inspectInstanceImage(task: NetworkBootTask, image: InstanceImage): Promise<string> {
  const { format } = await task.services.images.prepare({ ...image, isStreamed: false }, task.signal);
  return format;
}

export function preparedImage({ node, services }: NetworkBootTask): PreparedImage | null {
  const { prepared_image: prepared } = node.driver_internal_info;
  return prepared === undefined ? null : descriptionOf(services, prepared);
}

type Prepared = NonNullable<Node['driver_internal_info']['prepared_image']>;

const descriptionOf = (
  { networkBoots }: NetworkBootServices,
  { secret_name: name, sha256, bytes, format }: Prepared,
): PreparedImage => ({ url: `${networkBoots.httpUrl}/${name}`, sha256, bytes, format });

/** Stops serving the image. Call it when the node is deleted. */
export const withdrawInstanceImage = ({ served }: NetworkBootServices, node: Node): void =>
  served.withdraw(ownerOf(node));

// not the node's UUID: publishing under it would withdraw the files that its machine boots
const ownerOf = ({ uuid }: Node): string => `image of ${uuid}`;

function publish(served: ServedFiles, node: Node): void {
  const { prepared_image: prepared } = node.driver_internal_info;
  if (prepared === undefined) return;
  served.publish(ownerOf(node), { [prepared.secret_name]: { kind: 'file', path: prepared.path } });
}
