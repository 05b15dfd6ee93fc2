// How long the operations of a fake interface take: `[fake] <type>_delay`, "a" or "a,b" seconds.
import { fault, optionsIn, type Task } from '#plugin-api';
import manifest from './plugin.json' with { type: 'json' };

const options = optionsIn(manifest, 'fake');

/** An interface type whose operations take time. */
type Delayed =
  | 'bios'
  | 'boot'
  | 'deploy'
  | 'firmware'
  | 'inspect'
  | 'management'
  | 'power'
  | 'rescue'
  | 'vendor';

/** The shortest and the longest delay in seconds; equal values mean a fixed time. */
export interface DelayRange {
  readonly minimum: number;
  readonly maximum: number;
}

const SECONDS = /^\d+(\.\d+)?$/;
const DAY = 86_400;

/** Returns undefined unless `text` is one number of seconds up to a day, or two in ascending order. */
export function parseDelay(text: string): DelayRange | undefined {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > 2 || !parts.every((part) => SECONDS.test(part))) return undefined;
  const minimum = Number(parts[0]);
  const maximum = Number(parts.at(-1));
  return minimum <= maximum && maximum <= DAY ? { minimum, maximum } : undefined;
}

/** Returns the seconds for a `random` number in [0, 1): triangular distribution with its peak at the minimum. */
export function drawDelay({ minimum, maximum }: DelayRange, random: number): number {
  return minimum + (maximum - minimum) * (1 - Math.sqrt(1 - random));
}

/** Throws Invalid when the delay option of this interface type is malformed. */
export function delayRange(task: Task, type: Delayed): DelayRange {
  const text = options(task)[`${type}_delay`];
  const range = parseDelay(text);
  if (range === undefined) {
    throw fault('Invalid', {
      reason: `[fake] ${type}_delay is "${text}": expected seconds from 0 to ${DAY}, such as 1.5, or a range such as 1,5.`,
    });
  }
  return range;
}

export function delay(task: Task, type: Delayed): Promise<void> {
  return task.clock.sleep(drawDelay(delayRange(task, type), Math.random()) * 1000);
}
