// The thread that watches the main thread's event loop. It uses the inspector to interrupt the JavaScript that blocks the
// loop, even within a regular expression. During a blocking system call, the interruption waits until the call has returned.
import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';
import { type Blockage, type BlockedLoop, READ_BLOCKAGE, type WatchSetup } from './loop-watch.ts';

const { turns, intervalMilliseconds, warningMilliseconds, deadlineSeconds } = workerData as WatchSetup;

interface Watched {
  /** The turn counter at the last check. */
  turn: number;
  /** The time of the last check. */
  looked: number;
  /** How long the loop has been overdue. */
  blockedMilliseconds: number;
  session: Session | undefined;
  blockage: Blockage | undefined;
}

const watched: Watched = {
  turn: Atomics.load(turns, 0),
  looked: performance.now(),
  blockedMilliseconds: -intervalMilliseconds,
  session: undefined,
  blockage: undefined,
};
setInterval(() => look(watched), intervalMilliseconds);

function look(state: Watched): void {
  const passed = performance.now() - state.looked;
  state.looked += passed;
  const turn = Atomics.load(turns, 0);
  if (turn !== state.turn) {
    report(state);
    state.turn = turn;
    return;
  }
  // cap the time: a longer pause of this thread means that the process was stopped or the machine was asleep
  state.blockedMilliseconds += Math.min(passed, 2 * intervalMilliseconds);
  if (state.blockedMilliseconds > 2 * intervalMilliseconds && state.session === undefined) interrupt(state);
  if (deadlineSeconds > 0 && state.blockedMilliseconds > deadlineSeconds * 1000) end(state);
}

function interrupt(state: Watched): void {
  const session = new Session();
  state.session = session;
  session.connectToMainThread();
  const expression = `globalThis[Symbol.for(${JSON.stringify(READ_BLOCKAGE)})]()`;
  session.post('Runtime.evaluate', { expression, returnByValue: true }, (error, reply) => {
    const value: unknown = reply?.result.value;
    if (error === null && typeof value === 'string') state.blockage = JSON.parse(value) as Blockage;
  });
}

function report(state: Watched): void {
  const blocked: BlockedLoop = {
    milliseconds: Math.round(state.blockedMilliseconds),
    ...state.blockage,
  };
  if (warningMilliseconds > 0 && blocked.milliseconds > warningMilliseconds)
    parentPort?.postMessage(blocked, []);
  state.session?.disconnect();
  state.session = undefined;
  state.blockage = undefined;
  state.blockedMilliseconds = -intervalMilliseconds;
}

// SIGKILL, because the main thread can no longer end the process, and a core dump would contain passwords
function end({ blockage }: Watched): never {
  const where =
    blockage === undefined
      ? 'The main thread is in native code or in a system call; the caller is unknown.'
      : `The main thread was working on ${JSON.stringify(blockage.activity)}, at:\n  ${blockage.stack.join('\n  ')}`;
  writeSync(
    2,
    `ironic-edge: the event loop has been blocked for ${deadlineSeconds} s ([watchdog] timeout). Killing this process so that it can be restarted. ${where}\n`,
  );
  process.kill(process.pid, 'SIGKILL');
  throw new Error('killed');
}
