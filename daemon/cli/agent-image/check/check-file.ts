// Recognises a file that machines are to boot: a kernel, a ramdisk with the agent, or something else.
import { open, stat } from 'node:fs/promises';
import { reasonOf } from '../../../model/faults.ts';
import { compressionOf, initramfsEntries } from './initramfs.ts';
import { KERNEL_START_BYTES, kernelFacts } from './kernel-file.ts';

export interface CheckedFile {
  readonly file: string;
  /** What the operator reads about the file: `ramdisk, 95 MiB, zstd, 240 MiB unpacked, agent 10.2.0`. */
  readonly what: string;
  readonly problems: readonly string[];
  readonly kernel?: { readonly version: string | undefined };
  readonly ramdisk?: { readonly modulesOf: ReadonlySet<string> };
}

export async function checkFile(file: string): Promise<CheckedFile> {
  try {
    const { size } = await stat(file);
    const start = await startOf(file);
    if (size === 0) return { file, what: 'empty', problems: ['expected a kernel or a ramdisk'] };
    const kernel = kernelFacts(start);
    if (kernel !== undefined) {
      const { architecture, version } = kernel;
      const what = `kernel ${version ?? 'of unknown version'} for ${architecture}, ${mebibytes(size)}`;
      return { file, what, problems: [], kernel: { version } };
    }
    if (compressionOf(start) !== undefined) return await checkRamdisk(file, size, start);
    const what = `no kernel and no ramdisk, ${mebibytes(size)}, begins with ${JSON.stringify(shown(start))}`;
    return { file, what, problems: ['expected a bzImage, an arm64 Image, or a cpio archive'] };
  } catch (error) {
    return { file, what: 'not readable', problems: [reasonOf(error)] };
  }
}

async function checkRamdisk(file: string, size: number, start: Buffer): Promise<CheckedFile> {
  const ramdisk = { agent: '', hasInit: false, modulesOf: new Set<string>(), bytes: 0 };
  const problems: string[] = [];
  try {
    for await (const { name, bytes } of initramfsEntries(file)) {
      ramdisk.bytes += bytes;
      ramdisk.hasInit ||= name === 'init';
      ramdisk.agent = agentVersion(name) ?? ramdisk.agent;
      for (const kernel of modulesFor(name)) ramdisk.modulesOf.add(kernel);
    }
    if (!ramdisk.hasInit) problems.push('it has no file /init, which the kernel starts');
    if (ramdisk.agent === '')
      problems.push('it holds no ironic-python-agent that is installed as a Python package');
  } catch (error) {
    problems.push(`${reasonOf(error)}, so the check cannot tell whether it holds the agent`);
  }
  const sizes = [mebibytes(size), compressionOf(start), `${mebibytes(ramdisk.bytes)} unpacked`];
  const agent = ramdisk.agent === '' ? [] : [`agent ${ramdisk.agent}`];
  return { file, what: ['ramdisk', ...sizes, ...agent].join(', '), problems, ramdisk };
}

/** The kernel version in the path of a kernel's list of modules; empty for any other path. */
const modulesFor = (name: string): readonly string[] =>
  /(?:^|\/)lib\/modules\/([^/]+)\/modules\.dep$/.exec(name)?.slice(1) ?? [];

const PACKAGE = 'ironic_python_agent-';
const PACKAGE_FACTS = ['.dist-info', '.egg-info'];

/** A folder `ironic_python_agent-10.2.0.egg-info` (or `.dist-info`) in the path shows the version, which `-py3.11` may follow. */
function agentVersion(name: string): string | undefined {
  const folder = name.split('/').find((part) => part.startsWith(PACKAGE));
  const ending = PACKAGE_FACTS.find((each) => folder?.endsWith(each));
  return ending === undefined ? undefined : folder?.slice(PACKAGE.length, -ending.length).split('-')[0];
}

async function startOf(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(KERNEL_START_BYTES), 0, KERNEL_START_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

const shown = (start: Buffer): string => start.subarray(0, 24).toString('latin1');
const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1_048_576)} MiB`;
