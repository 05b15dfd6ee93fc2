// What the records of a made-up site share: times before now, and MAC addresses.
import { timestamp } from '../../daemon/lib/clock.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const GIGABYTE = 1e9;

/** The time of day so many milliseconds ago, as the API writes it. */
export const ago = (milliseconds: number): string => timestamp(Date.now() - milliseconds);

export const two = (number: number): string => String(number).padStart(2, '0');

/** The MAC address of a network card of the machine with the number. */
export const macOf = (at: number, card = 0): string =>
  `52:54:00:1${card}:${two(Math.floor(at / 100))}:${two(at % 100)}`;
