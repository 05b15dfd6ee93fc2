// The lines for the configuration file that make nodes boot an agent image.
import { dirname, sep } from 'node:path';
import type { Config } from '../../config/sections/core-sections.ts';
import { pathToFileURL } from 'node:url';
import { agentImagesIn } from '../../lib/files/agent-images.ts';
import { kernelIn, linkIn, ramdiskIn } from './agent-images.ts';
import { type DebianArchitecture, hostArchitecture } from './build/packages.ts';

/** The names of the architectures in `properties/cpu_arch` of nodes. */
const CPU_ARCH: Readonly<Record<DebianArchitecture, string>> = { amd64: 'x86_64', arm64: 'aarch64' };

interface Settings {
  readonly DEFAULT: Pick<Config['DEFAULT'], 'state_path'>;
  readonly conductor: Pick<Config['conductor'], 'file_url_allowed_paths'>;
}

/** Where agent images are unless another directory is named; the daemon may always read them there. */
export const standardDirectory = ({ DEFAULT }: Pick<Settings, 'DEFAULT'>): string =>
  agentImagesIn(DEFAULT.state_path);

/** Lines for the image of the directory that is used, also after updates. */
export const linesForUsed = (directory: string, architecture: DebianArchitecture, config: Settings): string =>
  configurationLines(linkIn(directory, architecture), { architecture }, config);

interface Named {
  readonly architecture: DebianArchitecture;
  /** Not set: the files may be replaced by newer ones. */
  readonly sha256?: { readonly kernel: string; readonly ramdisk: string };
}

/**
 * An image for another architecture than the host's is for the nodes of that architecture alone. `folder`: the folder of the image.
 * The daemon reads images below the standard directory without permission. If `folder` is neither there nor below a path of
 * [conductor] file_url_allowed_paths, a further line adds the parent of `folder` to this option.
 */
export function configurationLines(
  folder: string,
  { sha256, architecture }: Named,
  config: Settings,
): string {
  const allowed = config.conductor.file_url_allowed_paths;
  const isAllowed = [standardDirectory(config), ...allowed].some((path) =>
    folder.startsWith(path.endsWith(sep) ? path : `${path}${sep}`),
  );
  const [suffix, prefix] =
    architecture === hostArchitecture() ? ['', ''] : ['_by_arch', `${CPU_ARCH[architecture]}:`];
  return [
    '[conductor]',
    `deploy_kernel${suffix} = ${prefix}${reference(kernelIn(folder), sha256?.kernel)}`,
    `deploy_ramdisk${suffix} = ${prefix}${reference(ramdiskIn(folder), sha256?.ramdisk)}`,
    ...(isAllowed ? [] : [`file_url_allowed_paths = ${[...allowed, dirname(folder)].join(', ')}`]),
    '',
  ].join('\n');
}

const reference = (file: string, checksum: string | undefined): string =>
  `${pathToFileURL(file).href}${checksum === undefined ? '' : `#sha256=${checksum}`}`;
