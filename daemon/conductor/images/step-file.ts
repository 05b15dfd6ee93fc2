// A file that a step gives to the BMC, such as firmware: downloaded, and served while the step runs.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { secretName } from '../../boot/secret-names.ts';
import { changeInfo } from '../../model/internal-info.ts';
import type { Node } from '../../model/records/node.ts';
import type { FileCopy } from '../../plugin-api/index.ts';
import { bootObstacle } from '../boot/network-boot.ts';
import { urlForBmc } from '../boot/url-for-bmc.ts';
import type { NetworkBootServices, NetworkBootTask } from '../boot/services.ts';

/**
 * Serves the files of steps that are under way. The end of a step removes its file from the node's record; the daemon stops serving
 * the file when the node next changes its provision state.
 */
export function serveStepFiles(services: NetworkBootServices): void {
  for (const uuid of services.db.nodes.withInfo('step_file')) {
    const node = services.db.nodes.get(uuid);
    if (node !== undefined) publish(services, node);
  }
  services.transitions.stored.add((node) => publish(services, node));
}

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
  publish(services, task.node);
  return { path: file, bytes, url: urlForBmc(task, secret_name) };
}

/** The served name ends like the name in the URL, because BMCs recognise the kind of a file by this ending. */
const nameIn = (source: string): string =>
  path.posix.basename(new URL(source).pathname).replace(/[^A-Za-z0-9._-]/g, '-') || 'file';

// not the node's UUID: publishing under it would withdraw the files that its machine boots
const ownerOf = (uuid: string): string => `file for a step of ${uuid}`;

export const withdrawStepFile = ({ served }: NetworkBootServices, uuid: string): void =>
  served.withdraw(ownerOf(uuid));

function publish(
  services: NetworkBootServices,
  { uuid, driver_internal_info: { step_file: copy } }: Node,
): void {
  if (copy === undefined) return withdrawStepFile(services, uuid);
  services.served.publish(ownerOf(uuid), { [copy.secret_name]: { kind: 'file', path: copy.path } });
}
