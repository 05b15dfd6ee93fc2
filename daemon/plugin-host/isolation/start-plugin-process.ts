// Starts the process of a plugin, with limits on its memory and a low priority. The daemon's signals do not reach it, and
// it ends with the daemon.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';

const MEBIBYTE = 1_048_576;
/** How much address space Node.js reserves as data before any code runs; most of it is never used. */
const RESERVED_MEBIBYTES = 600;
/** Variables of the environment that are for the daemon alone: options, credentials, sockets, notifications to systemd. */
const WITHHELD = /^(?:IRONIC_|LISTEN_|NOTIFY_|WATCHDOG_|CREDENTIALS_)/;

/** A lower priority than the daemon's, but not so low that other programs take all the processor. */
const NICENESS = '10';

export interface StartedProcess {
  readonly child: ChildProcess;
  readonly border: Duplex;
}

/** The program of the process: it speaks over descriptor 3. */
export const pluginProgram = new URL('inside/plugin-process.ts', import.meta.url);

export function startPluginProcess(program: URL, memoryMebibytes: number): StartedProcess {
  const data = `--data=${(RESERVED_MEBIBYTES + memoryMebibytes) * MEBIBYTE}`;
  // the kernel ends the process with the daemon, even while it loops
  const limits = [data, '--core=0', '--', 'setpriv', '--pdeathsig', 'KILL', '--', 'nice', '-n', NICENESS];
  const flags = [`--max-old-space-size=${memoryMebibytes}`, '--max-semi-space-size=2'];
  const child = spawn('prlimit', [...limits, process.execPath, ...flags, fileURLToPath(program)], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // a process group of its own: its signals to the group do not reach the daemon, and Ctrl-C does not reach it
    detached: true,
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !WITHHELD.test(name))),
  });
  return { child, border: child.stdio[3] as Duplex };
}
