// The watch over the event loop of the main thread: a thread beside it logs what blocked the loop, and ends the process
// when the loop stays blocked.
import { Worker } from 'node:worker_threads';
import { currentActivity } from './activity.ts';
import type { Logger } from './logger.ts';

export interface WatchLimits {
  /** A loop that was blocked for longer is logged. */
  readonly warningMilliseconds: number;
  /** A loop that is blocked for longer ends the process; 0: never. */
  readonly deadlineSeconds: number;
}

export interface WatchSetup extends WatchLimits {
  /** How often the main thread's timer has fired. */
  readonly turns: Int32Array<SharedArrayBuffer>;
  readonly intervalMilliseconds: number;
}

/** Where the loop was while it was blocked. */
export interface Blockage {
  readonly activity: Readonly<Record<string, string>>;
  /** The innermost functions first. */
  readonly stack: readonly string[];
}

/** What the thread reports of a loop that turns again; without a blockage when no JavaScript ran meanwhile. */
export interface BlockedLoop extends Partial<Blockage> {
  readonly milliseconds: number;
}

/** The name under which the thread finds `readBlockage` in the main thread. */
export const READ_BLOCKAGE = 'ironic-edge.readBlockage';
const DEEPEST_STACK = 12;

/** The result ends the watch. Nothing is watched when both limits are 0. */
export function watchLoop(limits: WatchLimits, log: Logger): () => Promise<void> {
  const { warningMilliseconds, deadlineSeconds } = limits;
  if (warningMilliseconds === 0 && deadlineSeconds === 0) return () => Promise.resolve();
  // a quarter: the blockage is looked at well before it is long enough to be reported
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
  thread.on('error', (error) => log.error({ error }, 'the event loop is no longer watched'));
  return async () => {
    clearInterval(timer);
    await thread.terminate();
  };
}

/** Called by the thread, in the middle of whatever blocks the loop: JSON of a Blockage. */
function readBlockage(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = DEEPEST_STACK;
  const { stack = '' } = new Error('blocked');
  Error.stackTraceLimit = limit;
  // after the message: this function, and the thread's call of it
  const frames = stack.split('\n').slice(3);
  const blockage: Blockage = {
    activity: currentActivity(),
    stack: frames.map((frame) => frame.trim().replace(/^at /, '')),
  };
  return JSON.stringify(blockage);
}
