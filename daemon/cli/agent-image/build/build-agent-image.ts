// Builds kernel and ramdisk with the agent into a new folder, which gets its final name when both are complete.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { flush } from '../../../lib/files/flush.ts';
import { type AgentImage, buildFileIn, type BuildOptions, kernelIn, ramdiskIn } from '../agent-images.ts';
import { hostArchitecture } from './packages.ts';
import { packRamdisk, sha256OfFile } from './pack-ramdisk.ts';
import { createPrograms, type Programs, requireEmulation, requirePrograms } from './programs.ts';
import { makeRamdiskTree } from './ramdisk-tree.ts';
import { hostMirror, installAgent, installBase } from './root-tree.ts';

export interface BuildRequest extends BuildOptions {
  /** The folder that holds a folder for each build. */
  readonly directory: string;
}

export interface BuildProgress {
  /** Called with a line when a step begins and when it ends. */
  readonly say: (line: string) => void;
  /** Called with each line that a program of the step writes. */
  readonly doing: (line: string) => void;
}

/** Returns the name of the new folder in the directory. Throws when the host cannot build. */
export async function makeAgentImage(request: BuildRequest, progress: BuildProgress): Promise<string> {
  const { directory, suite, architecture, mirror } = request;
  requireRoot();
  requirePrograms();
  if (architecture !== hostArchitecture()) requireEmulation(architecture);
  // the daemon, which is another user, reads the files
  process.umask(0o022);
  const built = new Date().toISOString();
  const name = `${suite}-${architecture}-${built.replaceAll(/[-:]/g, '').slice(0, 15)}`;
  const aside = asideOf(directory, name);
  mkdirSync(aside, { recursive: true });
  deleteInterrupted(directory);
  const room = lackingRoom(directory);
  if (room !== undefined) throw new Error(`${room}. Free some space.`);
  const log = join(directory, `${name}.log`);
  const programs = createPrograms(log, progress.doing);
  try {
    const facts = await buildInto(aside, { suite, architecture, mirror, programs, say: progress.say });
    const image: AgentImage = { recipe: recipeOf(), suite, architecture, mirror, built, ...facts };
    writeFileSync(buildFileIn(aside), `${JSON.stringify(image, null, 2)}\n`);
    for (const file of [kernelIn(aside), ramdiskIn(aside), buildFileIn(aside), aside]) flush(file);
    renameSync(aside, join(directory, name));
    rmSync(log);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    throw error;
  }
  return name;
}

/** Removes an image. A removal that is killed is completed by the next build. */
export function removeImage(directory: string, name: string): void {
  const aside = asideOf(directory, name);
  renameSync(join(directory, name), aside);
  rmSync(aside, { recursive: true });
}

/** A build needs about 2 GiB for the tree, the ramdisk and what apt downloads; the rest is for the database. */
const NEEDED_BYTES = 4 * 2 ** 30;

/** Says what the disk lacks for a build, as a sentence without its full stop; undefined when there is room. */
export function lackingRoom(directory: string): string | undefined {
  let disk = directory;
  while (statSync(disk, { throwIfNoEntry: false }) === undefined) disk = dirname(disk);
  const { bavail, bsize } = statfsSync(disk);
  if (bavail * bsize >= NEEDED_BYTES) return undefined;
  const [free, needed] = [bavail * bsize, NEEDED_BYTES].map((bytes) => Number((bytes / 2 ** 30).toFixed(1)));
  return `The disk of ${directory} has ${free} GiB free, and the build of the ramdisk needs ${needed} GiB`;
}

const asideOf = (directory: string, name: string): string =>
  join(directory, `.${name}.${process.pid}${ASIDE}`);

/** While an image is being built or removed, the name of its folder ends with the ID of the process that does it and this text. */
const ASIDE = '.building';

/** Deletes the folders of builds and removals that were killed, and the logs of builds that failed. */
function deleteInterrupted(directory: string): void {
  for (const name of readdirSync(directory)) {
    const builder = name.endsWith(ASIDE) ? (name.slice(0, -ASIDE.length).split('.').at(-1) ?? '') : undefined;
    const isLeft = builder !== undefined && !existsSync(`/proc/${builder}`);
    if (isLeft || name.endsWith('.log')) rmSync(join(directory, name), { recursive: true });
  }
}

interface Work extends BuildOptions {
  readonly programs: Programs;
  readonly say: (line: string) => void;
}

async function buildInto(
  folder: string,
  work: Work,
): Promise<Pick<AgentImage, 'agent' | 'kernel' | 'debian' | 'sha256'>> {
  const { suite, architecture, mirror, programs, say } = work;
  const tree = join(folder, 'tree');
  const root = { suite, architecture, mirror, tree };
  const step = async <Result>(what: string, act: () => Promise<Result>): Promise<Result> => {
    const started = performance.now();
    say(`${what} ...`);
    const result = await act().catch((error: unknown) => {
      say(`${what}: failed`);
      throw error;
    });
    say(`${what}: ${seconds(performance.now() - started)}`);
    return result;
  };
  const [kernelFile, ramdiskFile] = [kernelIn(folder), ramdiskIn(folder)];
  if (hostMirror('Debian-Security') === undefined)
    say('apt of this host has no repository Debian-Security: the ramdisk gets no security updates');
  await step(`Debian ${suite} for ${architecture}`, () => installBase(root, programs));
  const agent = await step('the agent, its programs, kernel and firmware (the longest step)', () =>
    installAgent(root, programs),
  );
  const debian = readFileSync(join(tree, 'etc/debian_version'), 'utf8').trim();
  const kernel = await step('removal of what a ramdisk does not use', () =>
    makeRamdiskTree(tree, kernelFile, programs),
  );
  await step('packing', () => packRamdisk(tree, ramdiskFile));
  rmSync(tree, { recursive: true });
  say(`agent ${agent}, kernel ${kernel} (${mebibytes(kernelFile)}), ramdisk ${mebibytes(ramdiskFile)}`);
  return {
    agent,
    kernel,
    debian,
    sha256: { kernel: await sha256OfFile(kernelFile), ramdisk: await sha256OfFile(ramdiskFile) },
  };
}

/** A hash of the source files that build images. */
export function recipeOf(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(import.meta.dirname).toSorted())
    hash.update(readFileSync(join(import.meta.dirname, file)));
  return hash.digest('hex').slice(0, 16);
}

function requireRoot(): void {
  if (process.getuid?.() === 0) return;
  throw new Error(
    'building an agent image installs Debian packages into a folder, which only root may do: run the command as root, or with sudo',
  );
}

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 1000)} s`;
const mebibytes = (file: string): string => `${Math.ceil(statSync(file).size / 1_048_576)} MiB`;
