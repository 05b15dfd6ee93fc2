// The lines for the configuration file that make nodes boot an agent image.
import { dirname, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AgentImage, kernelIn, ramdiskIn } from './build/build-agent-image.ts';

/**
 * `folder`: the folder of the image. `allowed`: the value of [conductor] file_url_allowed_paths. If `folder` is not below one of
 * these paths, a further line sets the option to these paths and the parent of `folder`.
 */
export function configurationLines(
  folder: string,
  { sha256 }: Pick<AgentImage, 'sha256'>,
  allowed: readonly string[],
): string {
  const isAllowed = allowed.some((path) => folder.startsWith(path.endsWith(sep) ? path : `${path}${sep}`));
  return [
    '[conductor]',
    `deploy_kernel = ${reference(kernelIn(folder), sha256.kernel)}`,
    `deploy_ramdisk = ${reference(ramdiskIn(folder), sha256.ramdisk)}`,
    ...(isAllowed ? [] : [`file_url_allowed_paths = ${[...allowed, dirname(folder)].join(', ')}`]),
    '',
  ].join('\n');
}

const reference = (file: string, checksum: string): string =>
  `${pathToFileURL(file).href}#sha256=${checksum}`;
