// The CPU time and memory of a process and its descendants.
import { readdir, readFile } from 'node:fs/promises';

const TICKS_PER_SECOND = 100;

/** The fields of /proc/PID/stat after the name; none for a process that has ended. */
async function statOf(pid: number): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.replace(/^.*\) /, '').split(' ');
}

/** The process and its descendants. */
export async function familyOf(pid: number): Promise<readonly number[]> {
  const all = (await readdir('/proc')).map(Number).filter((number) => number > 0);
  const parents = await Promise.all(
    all.map(async (each) => [each, Number((await statOf(each))[1])] as const),
  );
  const family = [pid];
  for (const member of family) {
    family.push(...parents.filter(([, parent]) => parent === member).map(([child]) => child));
  }
  return family;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Seconds of CPU that the processes have used, threads and ended children included. */
export async function cpuSeconds(pids: readonly number[]): Promise<number> {
  const stats = await Promise.all(pids.map(statOf));
  return sum(stats.map((fields) => sum(fields.slice(11, 15).map(Number)) / TICKS_PER_SECOND));
}

/** Sums the memory of the processes. `Rss` counts memory that they share for each of them, `Pss` only once. */
export async function residentMebibytes(
  pids: readonly number[],
  kind: 'Rss' | 'Pss' = 'Rss',
): Promise<number> {
  const rollups = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/smaps_rollup`, 'utf8')));
  return sum(rollups.map((text) => Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(text)?.[1]))) / 1024;
}

/** The peak resident memory of the process. */
export async function peakMebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
