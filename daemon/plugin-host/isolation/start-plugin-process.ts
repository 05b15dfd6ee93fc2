// Starts the process of a plugin, with a limit on its memory. The process runs only when the daemon does not need the processor.
// Signals to the daemon's process group do not reach the process, which ends when the daemon ends.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';

const MEBIBYTE = 1_048_576;
/** How much address space Node.js reserves before any code runs; most of it is never used. */
const RESERVED_MEBIBYTES = 600;
/** Variables of the environment that are for the daemon alone: options, credentials, sockets, notifications to systemd. */
const WITHHELD = /^(?:IRONIC_|LISTEN_|NOTIFY_|WATCHDOG_|CREDENTIALS_)/;

/**
 * Makes a process group, so that signals to the plugin's group do not reach the daemon, and Ctrl-C does not reach the plugin. It
 * makes no session: Linux with autogroups first divides the processor among sessions, and compares scheduling policies only
 * within a session.
 */
const OWN_GROUP = ['-e', 'setpgrp(0, 0); exec @ARGV or die "$ARGV[0]: $!\n"'];

export interface StartedProcess {
  readonly child: ChildProcess;
  readonly border: Duplex;
}

/** The program of the process: it talks to the daemon over descriptor 3. */
export const pluginProgram = new URL('inside/plugin-process.ts', import.meta.url);

export function startPluginProcess(program: URL, memoryMebibytes: number): StartedProcess {
  const data = `--data=${(RESERVED_MEBIBYTES + memoryMebibytes) * MEBIBYTE}`;
  // --pdeathsig: the kernel kills the process when the daemon ends, even if the process is in a loop
  const limits = [data, '--core=0', '--', 'chrt', '--idle', '0', 'setpriv', '--pdeathsig', 'KILL', '--'];
  const flags = [`--max-old-space-size=${memoryMebibytes}`, '--max-semi-space-size=2'];
  const node = [process.execPath, ...flags, fileURLToPath(program)];
  const child = spawn('perl', [...OWN_GROUP, 'prlimit', ...limits, ...node], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !WITHHELD.test(name))),
  });
  return { child, border: child.stdio[3] as Duplex };
}
