// Ends the processes that a plugin has started, also those that it has detached: each has inherited a mark in its environment.
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

const NAME = 'IRONIC_EDGE_PLUGIN_PROCESS';
/** A process may start another one while it is being looked for. */
const MOST_SWEEPS = 10;

/** A variable of the environment that marks a process and all processes that it starts. */
export const newMark = (): Readonly<Record<string, string>> => ({ [NAME]: `${process.pid}-${randomUUID()}` });

/** Sends SIGKILL to the process group. */
export function killGroup(leader: number | undefined): void {
  if (leader !== undefined) kill(-leader);
}

/** Kills the processes with the mark. Resolves when there is none. */
export async function endMarked(mark: Readonly<Record<string, string>>): Promise<void> {
  for (let sweeps = 0; sweeps < MOST_SWEEPS; sweeps += 1) {
    const left = await processesWith(`${NAME}=${mark[NAME]}`);
    if (left.length === 0) return;
    for (const pid of left) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // the process has ended already
  }
}

async function processesWith(text: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // processes of other users cannot be read, and are not meant
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    if (environment.split('\0').includes(text)) found.push(Number(name));
  }
  return found;
}
