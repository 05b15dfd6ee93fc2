// The images in a directory: a folder for each build, and for each architecture a link, with the architecture's name, to the folder
// that machines boot.
import { readdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { debianArchitectures, type DebianArchitecture } from './build/packages.ts';
import { sha256OfFile } from './build/pack-ramdisk.ts';

/** What an operator chooses for a build; `agent-image update` takes it from the image that machines boot. */
export interface BuildOptions {
  readonly suite: string;
  readonly architecture: DebianArchitecture;
  /** The URL of the Debian mirror; undefined for the one that apt of the host uses. */
  readonly mirror?: string | undefined;
}

/** The facts of a build; also the contents of its `build.json`. */
export interface AgentImage extends BuildOptions {
  /** A hash of the source files that build images. `agent-image build` ignores images with another recipe. */
  readonly recipe: string;
  /** ISO 8601 in UTC. */
  readonly built: string;
  readonly agent: string;
  readonly kernel: string;
  /** The release of Debian, such as 13.2; not set in images of earlier versions. */
  readonly debian?: string;
  readonly sha256: { readonly kernel: string; readonly ramdisk: string };
}

export interface FoundImage {
  /** That of the folder in its directory. */
  readonly name: string;
  readonly folder: string;
  readonly image: AgentImage;
}

export const kernelIn = (folder: string): string => join(folder, 'agent.kernel');
export const ramdiskIn = (folder: string): string => join(folder, 'agent.ramdisk');
export const buildFileIn = (folder: string): string => join(folder, 'build.json');

export const allArchitectures: readonly DebianArchitecture[] = Object.values(debianArchitectures);

/** Returns undefined when the folder holds no image, or does not exist. */
export function imageIn(folder: string): AgentImage | undefined {
  const file = buildFileIn(folder);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as AgentImage;
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new Error(
        `${file} is not what "ironic-edge agent-image build" wrote: ${error.message}. Delete its folder`,
        { cause: error },
      );
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    return undefined;
  }
}

/** The images in the directory, the newest first. */
export function imagesIn(directory: string): readonly FoundImage[] {
  if (statSync(directory, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) => {
      const folder = join(directory, name);
      const image = imageIn(folder);
      return image === undefined ? [] : [{ name, folder, image }];
    })
    .toSorted((one, other) => other.image.built.localeCompare(one.image.built));
}

/** The path that a configuration names, so that machines boot the image that is used. */
export const linkIn = (directory: string, architecture: DebianArchitecture): string =>
  join(directory, architecture);

/** The image that the link leads to. */
export function usedImage(directory: string, architecture: DebianArchitecture): FoundImage | undefined {
  const link = linkIn(directory, architecture);
  const isLink = statSync(link, { throwIfNoEntry: false }) !== undefined;
  const name = isLink ? readlinkSync(link) : undefined;
  return imagesIn(directory).find((found) => found.name === name);
}

/**
 * Lets machines boot the image from now on: the link changes at once. Rejects, and changes nothing, when a file of the image is
 * not the one that was built.
 */
export async function useImage(directory: string, { name, folder, image }: FoundImage): Promise<void> {
  for (const [file, expected] of [
    [kernelIn(folder), image.sha256.kernel],
    [ramdiskIn(folder), image.sha256.ramdisk],
  ] as const) {
    const actual = await sha256OfFile(file);
    if (actual !== expected)
      throw new Error(
        `${file} has the SHA-256 ${actual}, and ${expected} when it was built: it is damaged. Choose another image, or build one: ironic-edge agent-image update`,
      );
  }
  const aside = join(directory, `.${image.architecture}.link`);
  rmSync(aside, { force: true });
  symlinkSync(name, aside);
  renameSync(aside, linkIn(directory, image.architecture));
}
