// Makes ISO 9660 images of folders with xorriso, genisoimage or mkisofs.
import { installedProgram, runBounded } from '../lib/run-bounded.ts';

const PROGRAMS = ['xorriso', 'genisoimage', 'mkisofs'];
const LIMITS = { seconds: 60, memoryMebibytes: 1024, fileMebibytes: 256 };

/** Returns the path of the program to use. Throws an Error that says what to install if none is installed. */
export async function isoProgram(): Promise<string> {
  const program = await installedProgram(PROGRAMS);
  if (program !== undefined) return program;
  throw new Error(`none of ${PROGRAMS.join(', ')} is installed on this host; apt install xorriso`);
}

export interface Iso {
  readonly folder: string;
  readonly label: string;
  /** The path of the new image. */
  readonly file: string;
}

/** Keeps long and lower-case names (Rock Ridge, Joliet). Rejects with an Error if no ISO program is installed or it fails. */
export async function makeIso({ folder, label, file }: Iso, signal: AbortSignal): Promise<void> {
  const program = await isoProgram();
  const mode = program.endsWith('/xorriso') ? ['-as', 'mkisofs'] : [];
  const { exit, timedOut, output } = await runBounded({
    program,
    argumentList: [...mode, '-quiet', '-J', '-r', '-V', label, '-o', file, folder],
    limits: LIMITS,
    signal,
  });
  if (exit === 0) return;
  const end = timedOut ? `did not end within ${LIMITS.seconds} s` : `failed with status ${exit}`;
  throw new Error(`${program} ${end}: ${output.trim().slice(-1000)}`);
}
