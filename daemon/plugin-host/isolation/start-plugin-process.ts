// Starts the process of a plugin, with a limit on its memory and an environment that holds nothing of the daemon. Signals to the
// daemon's process group do not reach the process, which ends when the daemon ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { endMarked, killGroup, newMark } from './started-processes.ts';

const MEBIBYTE = 1_048_576;
/** How much address space Node.js reserves before any code runs; most of it is never used. */
const RESERVED_MEBIBYTES = 600;
/** The variables that the process gets of the daemon's environment, where options, credentials and passwords may be too. */
const PASSED_ON = /^(?:PATH|HOME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|SSL_CERT_\w+|NODE_\w+)$/;

/**
 * Makes a process group, so that signals to the plugin's group do not reach the daemon, and Ctrl-C does not reach the plugin. It
 * makes no session: Linux with autogroups first divides the processor among sessions, and compares scheduling policies only
 * within a session.
 */
const OWN_GROUP = ['-e', 'setpgrp(0, 0); exec @ARGV or die "$ARGV[0]: $!\n"'];

export interface StartedProcess {
  readonly child: ChildProcess;
  readonly border: Duplex;
  /** Resolves when the process has ended, and every process that it has started. */
  readonly gone: Promise<void>;
  /** Ends the process, and those that it has started. */
  readonly kill: () => void;
  /** From now on, the process gets the processor only when the daemon does not need it. */
  readonly comeSecond: () => void;
}

/** The program of the process: it talks to the daemon over descriptor 3. */
export const pluginProgram = new URL('inside/plugin-process.ts', import.meta.url);

export function startPluginProcess(program: URL, memoryMebibytes: number): StartedProcess {
  const data = `--data=${(RESERVED_MEBIBYTES + memoryMebibytes) * MEBIBYTE}`;
  // --pdeathsig: the kernel kills the process when the daemon ends, even if the process is in a loop
  const limits = [data, '--core=0', '--', 'setpriv', '--pdeathsig', 'KILL', '--'];
  const flags = [`--max-old-space-size=${memoryMebibytes}`, '--max-semi-space-size=2'];
  const node = [process.execPath, ...flags, fileURLToPath(program)];
  const mark = newMark();
  const passedOn = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  const child = spawn('perl', [...OWN_GROUP, 'prlimit', ...limits, ...node], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(passedOn), ...mark },
  });
  return {
    child,
    border: child.stdio[3] as Duplex,
    gone: endOf(child, mark),
    kill() {
      killGroup(child.pid);
      // a process that has only just been started has not made its group yet
      child.kill('SIGKILL');
    },
    comeSecond: () => comeSecond(child.pid),
  };
}

async function endOf(child: ChildProcess, mark: Parameters<typeof endMarked>[0]): Promise<void> {
  // a process that could not be started has no `exit`
  await once(child, 'exit').catch(() => undefined);
  killGroup(child.pid);
  await endMarked(mark);
}

/** Gives all threads of the process the scheduling policy SCHED_IDLE, which a process without privileges cannot take back. */
function comeSecond(pid: number | undefined): void {
  const command = ['--idle', '--all-tasks', '--pid', '0', String(pid)];
  // when the process has ended, the command fails; nothing is lost
  spawn('chrt', command, { stdio: 'ignore' }).on('error', () => undefined);
}
