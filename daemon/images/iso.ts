// Makes ISO 9660 images of folders with xorriso, genisoimage or mkisofs.
import { rm } from 'node:fs/promises';
import { type BoundedProgram, installedProgram, requireSuccess, runBounded } from '../lib/run-bounded.ts';

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
  const argumentList = [...mode, '-quiet', '-J', '-r', '-V', label, '-o', file, folder];
  await writeIso(file, { program, argumentList, limits: LIMITS, signal });
}

/** How often xorriso is run at most. */
const TRIES = 3;
/** xorriso catches the signal, says so, and ends with status 1. */
const CRASHED = /^UNIX-SIGNAL: +SIG(?:SEGV|BUS|ABRT|ILL|FPE)\b/m;

/**
 * Runs a program that writes the new image `file`. Rejects with an Error if it fails. xorriso is run again when it crashes: version
 * 1.5.4 crashed with SIGSEGV once in some 200 config drives, of which 20 were made at once.
 */
export async function writeIso(file: string, bounded: BoundedProgram): Promise<void> {
  let ended = await runBounded(bounded);
  for (let tries = 1; tries < TRIES && CRASHED.test(ended.output); tries += 1) {
    await rm(file, { force: true });
    ended = await runBounded(bounded);
  }
  requireSuccess(bounded, ended);
}
