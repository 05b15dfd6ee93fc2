// Logs what a plugin's process writes to its standard output and error, up to a limit.
import type { Readable } from 'node:stream';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';

const MINUTE_MILLISECONDS = 60_000;
const MOST_LINES = 60;
const LONGEST_LINE = 2000;
const MOST_BYTES = 16_777_216;
/** What V8 and Node.js write when they end for lack of memory. */
const LACK_OF_MEMORY = ['out of memory', 'Failed to allocate', 'llocation failed', 'bad_alloc'];

interface Surroundings {
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when the process writes so much that reading the output would cost the daemon time. */
  readonly flooded: (reason: string) => void;
}

export class PluginOutput {
  readonly #surroundings: Surroundings;
  #until = 0;
  #bytes = 0;
  #lines = 0;
  #last = '';
  #ranOutOfMemory = false;

  constructor(streams: readonly (Readable | null)[], surroundings: Surroundings) {
    this.#surroundings = surroundings;
    for (const stream of streams) {
      stream?.setEncoding('utf8');
      stream?.on('data', (text: string) => this.#take(text));
      stream?.on('error', () => undefined);
    }
  }

  /** Whether Node.js wrote that it ended for lack of memory. */
  get ranOutOfMemory(): boolean {
    return this.#ranOutOfMemory;
  }

  #take(text: string): void {
    const { clock, log, flooded } = this.#surroundings;
    if (clock.monotonic() >= this.#until) {
      this.#until = clock.monotonic() + MINUTE_MILLISECONDS;
      this.#bytes = 0;
      this.#lines = 0;
    }
    this.#bytes += text.length;
    this.#last = (this.#last + text).slice(-LONGEST_LINE - text.length);
    this.#ranOutOfMemory ||= LACK_OF_MEMORY.some((words) => this.#last.includes(words));
    if (this.#bytes > MOST_BYTES) return flooded(`it wrote more than ${MOST_BYTES} bytes within a minute`);
    if (this.#lines >= MOST_LINES) return;
    for (const line of text.split('\n', MOST_LINES).filter((one) => one.trim() !== '')) {
      this.#lines += 1;
      if (this.#lines <= MOST_LINES) log.info({ line: line.slice(0, LONGEST_LINE) }, 'output of a plugin');
    }
    if (this.#lines >= MOST_LINES)
      log.warn({}, 'a plugin writes too many lines; the rest of this minute is not logged');
  }
}
