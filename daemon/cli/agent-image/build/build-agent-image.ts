// Builds kernel and ramdisk with the agent into a new folder, which gets its final name when both are complete.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DebianArchitecture, architectures } from './packages.ts';
import { packRamdisk, sha256Of } from './pack-ramdisk.ts';
import { createPrograms, type Programs, requirePrograms } from './programs.ts';
import { makeRamdiskTree } from './ramdisk-tree.ts';
import { installAgent, installBase } from './root-tree.ts';

/** The facts of a build; also the contents of its `build.json`. */
export interface AgentImage {
  /** A hash of the source files that build images. `agent-image build` ignores images with another recipe. */
  readonly recipe: string;
  readonly suite: string;
  readonly architecture: DebianArchitecture;
  /** ISO 8601 in UTC. */
  readonly built: string;
  readonly agent: string;
  readonly kernel: string;
  readonly sha256: { readonly kernel: string; readonly ramdisk: string };
}

export interface BuildRequest {
  /** The folder that holds a folder for each build. */
  readonly directory: string;
  readonly suite: string;
  /** Builds even if there is an image already, which is kept. */
  readonly again: boolean;
}

export const kernelIn = (folder: string): string => join(folder, 'agent.kernel');
export const ramdiskIn = (folder: string): string => join(folder, 'agent.ramdisk');

/** Returns the folder of the image. `say` gets a line for each step. Throws when the host cannot build. */
export async function buildAgentImage(request: BuildRequest, say: (line: string) => void): Promise<string> {
  const { directory, suite } = request;
  const architecture = hostArchitecture();
  const recipe = recipeOf();
  const present = newestImage(directory, (image) => image.suite === suite && image.recipe === recipe);
  if (present !== undefined && !request.again) {
    say(
      `${present.folder}: built on ${present.image.built}, agent ${present.image.agent}; --again builds a new one`,
    );
    return present.folder;
  }
  requireRoot();
  requirePrograms();
  const built = new Date().toISOString();
  const name = `${suite}-${architecture}-${built.replaceAll(/[-:]/g, '').slice(0, 15)}`;
  const aside = join(directory, `.${name}.${process.pid}${ASIDE}`);
  mkdirSync(aside, { recursive: true });
  deleteInterrupted(directory);
  const log = join(directory, `${name}.log`);
  const programs = createPrograms(log);
  try {
    const facts = await buildInto(aside, { suite, architecture, programs, say });
    const image: AgentImage = { recipe, suite, architecture, built, ...facts };
    writeFileSync(join(aside, 'build.json'), `${JSON.stringify(image, null, 2)}\n`);
    renameSync(aside, join(directory, name));
    rmSync(log);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    throw error;
  }
  return join(directory, name);
}

/** While an image is being built, the name of its folder ends with the process ID of the builder and this text. */
const ASIDE = '.building';

/** Deletes the folders of builds that were killed. */
function deleteInterrupted(directory: string): void {
  for (const name of readdirSync(directory).filter((each) => each.endsWith(ASIDE))) {
    const builder = name.slice(0, -ASIDE.length).split('.').at(-1) ?? '';
    const isRunning = statSync(`/proc/${builder}`, { throwIfNoEntry: false }) !== undefined;
    if (!isRunning) rmSync(join(directory, name), { recursive: true });
  }
}

interface Work {
  readonly suite: string;
  readonly architecture: DebianArchitecture;
  readonly programs: Programs;
  readonly say: (line: string) => void;
}

async function buildInto(
  folder: string,
  work: Work,
): Promise<Pick<AgentImage, 'agent' | 'kernel' | 'sha256'>> {
  const { suite, architecture, programs, say } = work;
  const tree = join(folder, 'tree');
  const root = { suite, architecture, tree };
  const step = async <Result>(what: string, act: () => Promise<Result>): Promise<Result> => {
    const started = performance.now();
    const result = await act();
    say(`${what}: ${seconds(performance.now() - started)}`);
    return result;
  };
  const [kernelFile, ramdiskFile] = [kernelIn(folder), ramdiskIn(folder)];
  await step(`Debian ${suite} for ${architecture}`, () => installBase(root, programs));
  const agent = await step('the agent, its programs, kernel and firmware', () =>
    installAgent(root, programs),
  );
  const kernel = await step('removal of what a ramdisk does not use', () =>
    makeRamdiskTree(tree, kernelFile, programs),
  );
  await step('packed', () => packRamdisk(tree, ramdiskFile));
  rmSync(tree, { recursive: true });
  say(`agent ${agent}, kernel ${kernel} (${mebibytes(kernelFile)}), ramdisk ${mebibytes(ramdiskFile)}`);
  return {
    agent,
    kernel,
    sha256: { kernel: await sha256Of(kernelFile), ramdisk: await sha256Of(ramdiskFile) },
  };
}

export interface FoundImage {
  readonly folder: string;
  readonly image: AgentImage;
}

/** The newest image below `directory` for which `is` returns true. */
export function newestImage(directory: string, is: (image: AgentImage) => boolean): FoundImage | undefined {
  return namesIn(directory)
    .map((name) => join(directory, name))
    .flatMap((folder) => {
      const image = imageIn(folder);
      return image !== undefined && is(image) ? [{ folder, image }] : [];
    })
    .toSorted((one, other) => other.image.built.localeCompare(one.image.built))[0];
}

export function imageIn(folder: string): AgentImage | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'build.json'), 'utf8')) as AgentImage;
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code !== 'ENOENT' &&
      (error as NodeJS.ErrnoException).code !== 'ENOTDIR'
    )
      throw error;
    return undefined;
  }
}

function namesIn(directory: string): readonly string[] {
  return statSync(directory, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(directory);
}

function recipeOf(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(import.meta.dirname).toSorted())
    hash.update(readFileSync(join(import.meta.dirname, file)));
  return hash.digest('hex').slice(0, 16);
}

function hostArchitecture(): DebianArchitecture {
  const { arch } = process;
  if (arch === 'x64' || arch === 'arm64') return architectures[arch];
  throw new Error(`expected a host of x86_64 or aarch64, this one is ${arch}`);
}

function requireRoot(): void {
  if (process.getuid?.() === 0) return;
  throw new Error(
    'building an agent image installs Debian packages into a folder, which only root may do: run the command as root, or with sudo',
  );
}

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 1000)} s`;
const mebibytes = (file: string): string => `${Math.ceil(statSync(file).size / 1_048_576)} MiB`;
