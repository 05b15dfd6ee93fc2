// The watchdog of the main thread's event loop: a second thread logs what blocked the loop, and kills the process if
// the loop stays blocked.
import { Worker } from 'node:worker_threads';
import { activities } from './activity.ts';
import type { Logger } from '../logger.ts';

export interface WatchLimits {
  /** A blockage is logged if it lasted longer than this; 0: never. */
  readonly warningMilliseconds: number;
  /** A blockage that lasts longer than this kills the process; 0: never. */
  readonly deadlineSeconds: number;
}

export interface WatchSetup extends WatchLimits {
  /** Counts how often the main thread's timer has fired. */
  readonly turns: Int32Array<SharedArrayBuffer>;
  readonly intervalMilliseconds: number;
}

/** What the main thread was doing while it blocked the loop. */
export interface Blockage {
  readonly activity: Readonly<Record<string, string>>;
  /** The innermost function first. */
  readonly stack: readonly string[];
}

/** Reported by the thread when a blockage ends; without a Blockage if the main thread was not running JavaScript. */
export interface BlockedLoop extends Partial<Blockage> {
  readonly milliseconds: number;
}

/** The name of the global symbol by which the thread finds `readBlockage` in the main thread. */
export const READ_BLOCKAGE = 'ironic-edge.readBlockage';
const DEEPEST_STACK = 12;

/** Starts the watchdog and returns a function that stops it. Does nothing if both limits are 0. */
export function watchLoop(limits: WatchLimits, log: Logger): () => Promise<void> {
  const { warningMilliseconds, deadlineSeconds } = limits;
  if (warningMilliseconds === 0 && deadlineSeconds === 0) return () => Promise.resolve();
  // a quarter, so that the stack is read well before the blockage is long enough to be reported
  const intervalMilliseconds = (warningMilliseconds === 0 ? 1000 : warningMilliseconds) / 4;
  const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const timer = setInterval(() => Atomics.add(turns, 0, 1), intervalMilliseconds);
  Reflect.set(globalThis, Symbol.for(READ_BLOCKAGE), readBlockage);
  const setup: WatchSetup = { ...limits, turns, intervalMilliseconds };
  const thread = new Worker(new URL('loop-watch-thread.ts', import.meta.url), {
    workerData: setup,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
  thread.on('message', (blocked: BlockedLoop) => log.warn(blocked, 'the event loop was blocked'));
  thread.on('error', (error) =>
    log.error({ error }, 'the event loop watchdog failed; the event loop is no longer watched'),
  );
  return async () => {
    clearInterval(timer);
    await thread.terminate();
  };
}

/** Returns a Blockage as JSON. The thread calls it by interrupting the code that blocks the loop. */
function readBlockage(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = DEEPEST_STACK;
  const { stack = '' } = new Error('blocked');
  Error.stackTraceLimit = limit;
  // the first three lines are the message, this function and the thread's call of it
  const frames = stack.split('\n').slice(3);
  const blockage: Blockage = {
    activity: activities.getStore() ?? {},
    stack: frames.map((frame) => frame.trim().replace(/^at /, '')),
  };
  return JSON.stringify(blockage);
}
