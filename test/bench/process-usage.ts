// What a process has used so far, from /proc.
import { readFile } from 'node:fs/promises';

const TICKS_PER_SECOND = 100;

/** Seconds of CPU, threads included. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** `VmRSS`: now; `VmHWM`: the most so far. */
export async function residentMebibytes(pid: number, when: 'VmRSS' | 'VmHWM' = 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${when}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}
