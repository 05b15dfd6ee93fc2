// What the daemon serves for one node, as the node's record says: the image that a ramdisk writes to the disk of its machine, until
// the deployment ends; and the file that a step gives to the BMC, such as firmware, while the step runs.
import { stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { secretName } from '../../boot/secret-names.ts';
import type { ServedFiles } from '../../boot/served-files.ts';
import { fault } from '../../model/faults.ts';
import { changeInfo } from '../../model/internal-info.ts';
import type { Node } from '../../model/records/node.ts';
import { stateFacts, statesOfWork } from '../../model/states/provision-states.ts';
import type { FileCopy, InstanceImage, PreparedImage } from '../../plugin-api/index.ts';
import { bootObstacle } from '../boot/network-boot.ts';
import type { NetworkBootServices, NetworkBootTask } from '../boot/services.ts';
import { urlForBmc } from '../boot/url-for-bmc.ts';

/**
 * Serves the images of deployments that are under way, each until its deployment ends, and the files of steps that are under way. The
 * end of a step removes its file from the node's record; the daemon stops serving the file when the node next changes its provision
 * state.
 */
export function serveNodeFiles({ db, served, transitions }: NetworkBootServices): void {
  for (const node of db.nodes.inStates(statesOfWork('deploy'))) publishImage(served, node);
  for (const uuid of db.nodes.withInfo('step_file')) {
    const node = db.nodes.get(uuid);
    if (node !== undefined) publishStepFile(served, node);
  }
  transitions.stored.add((node) => {
    if (stateFacts(node).work !== 'deploy') served.withdraw(ownerOfImage(node));
    publishStepFile(served, node);
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
  publishImage(services.served, task.node);
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

/**
 * Downloads the file and serves it. Returns its local path, its size and its URL; the URL is null when the daemon serves no
 * boot files. Throws ImageUnusable, InvalidParameter or DriverInfoInvalid.
 */
export async function copyForStep(task: NetworkBootTask, source: string): Promise<FileCopy> {
  const { services, signal } = task;
  const file = await services.images.fetch(source, 'the file for the BMC', signal);
  const { size: bytes } = await stat(file);
  if (bootObstacle(services) !== null) return { path: file, bytes, url: null };
  const secret_name = secretName(nameIn(source));
  task.store(changeInfo(task.node, { step_file: { secret_name, path: file } }));
  publishStepFile(services.served, task.node);
  return { path: file, bytes, url: urlForBmc(task, secret_name) };
}

/** The served name ends like the name in the URL, because BMCs recognise the kind of a file by this ending. */
const nameIn = (source: string): string =>
  posix.basename(new URL(source).pathname).replace(/[^A-Za-z0-9._-]/g, '-') || 'file';

/** Stops serving what is served for the node. Call it when the node is deleted. */
export function withdrawNodeFiles({ served }: NetworkBootServices, node: Node): void {
  served.withdraw(ownerOfImage(node));
  served.withdraw(ownerOfStepFile(node));
}

// not the node's UUID: publishing under it would withdraw the files that its machine boots
const ownerOfImage = ({ uuid }: Node): string => `image of ${uuid}`;
const ownerOfStepFile = ({ uuid }: Node): string => `file for a step of ${uuid}`;

function publishImage(served: ServedFiles, node: Node): void {
  const { prepared_image: prepared } = node.driver_internal_info;
  if (prepared === undefined) return;
  served.publish(ownerOfImage(node), { [prepared.secret_name]: { kind: 'file', path: prepared.path } });
}

function publishStepFile(served: ServedFiles, node: Node): void {
  const { step_file: copy } = node.driver_internal_info;
  if (copy === undefined) return served.withdraw(ownerOfStepFile(node));
  served.publish(ownerOfStepFile(node), { [copy.secret_name]: { kind: 'file', path: copy.path } });
}
