// A machine's serial line: connected as long as its console is enabled, kept in a log, read by any number of readers and written
// by one writer at a time.
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { reasonOf } from '../../model/faults.ts';
import type { SerialProgram } from '../../plugin-api/index.ts';
import type { ConsoleLog } from './console-log.ts';
import { type Connection, runSerialProgram } from './run-serial-program.ts';

export interface LineSettings {
  /** Returns the program to run; called for each connection, because the node's address or login may have changed. */
  readonly program: () => Promise<SerialProgram>;
  readonly kept: ConsoleLog;
  readonly clock: Clock;
  readonly log: Logger;
}

export type Reader = (bytes: Buffer) => void;

export interface Writer {
  /** Returns false when the line does not take the bytes. Bytes that are written while it is being connected again are lost. */
  readonly write: (bytes: Buffer) => boolean;
  readonly end: () => void;
}

const FIRST_PAUSE_MILLISECONDS = 1000;
const LONGEST_PAUSE_MILLISECONDS = 60_000;
const LONGEST_CONNECT_MILLISECONDS = 60_000;

export class SerialLine {
  readonly #settings: LineSettings;
  readonly #readers = new Set<Reader>();
  readonly #ending = new AbortController();
  #connection: Connection | undefined;
  #hasWriter = false;

  private constructor(settings: LineSettings) {
    this.#settings = settings;
  }

  /** Resolves when the line is connected; rejects with the reason when the first attempt fails. */
  static async open(first: SerialProgram, settings: LineSettings): Promise<SerialLine> {
    const line = new SerialLine(settings);
    await new Promise<void>((resolve, reject) => {
      void line.#run(first, resolve).catch(reject);
    });
    return line;
  }

  /** Returns a function that ends the reading. */
  read(reader: Reader): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /** Returns the only writer; undefined while there is one already. */
  write(): Writer | undefined {
    if (this.#hasWriter) return undefined;
    this.#hasWriter = true;
    return {
      write: (bytes) => this.#connection?.write(bytes) ?? true,
      end: () => {
        this.#hasWriter = false;
      },
    };
  }

  close(): void {
    this.#ending.abort();
    this.#connection?.end();
    this.#readers.clear();
  }

  /** Resolves when the connection has ended, to the reason. */
  async #connect(choose: LineSettings['program'], connected: () => void): Promise<string> {
    let cancel: (() => void) | undefined;
    try {
      const program = await choose();
      this.#ending.signal.throwIfAborted();
      this.#connection = runSerialProgram(program, {
        shown: (bytes) => this.#show(bytes),
        connected() {
          cancel?.();
          connected();
        },
      });
      cancel = this.#settings.clock.after(LONGEST_CONNECT_MILLISECONDS, () => this.#connection?.end());
      const remarks = await this.#connection.ended;
      return lastLine(remarks) || `${program.command} ended`;
    } catch (error) {
      return reasonOf(error);
    } finally {
      cancel?.();
      this.#connection = undefined;
    }
  }

  /** Rejects when the first attempt fails; otherwise connects again and again until the line is closed. */
  async #run(first: SerialProgram, connected: () => void): Promise<void> {
    const { clock, log, program } = this.#settings;
    const { signal } = this.#ending;
    let wasConnected = false;
    let pause = FIRST_PAUSE_MILLISECONDS;
    const begin = () => {
      wasConnected = true;
      pause = FIRST_PAUSE_MILLISECONDS;
      connected();
    };
    let reason = await this.#connect(async () => first, begin);
    if (!wasConnected) throw new Error(reason);
    while (!signal.aborted) {
      log.warn({ reason, pause_seconds: pause / 1000 }, 'the serial console is not connected');
      await sleep(clock, pause, signal).catch(() => {});
      if (signal.aborted) return;
      pause = Math.min(pause * 2, LONGEST_PAUSE_MILLISECONDS);
      reason = await this.#connect(program, begin);
    }
  }

  #show(bytes: Buffer): void {
    try {
      this.#settings.kept.append(bytes);
    } catch (error) {
      this.#settings.log.error({ reason: reasonOf(error) }, 'the console log could not be written');
    }
    for (const reader of this.#readers) reader(bytes);
  }
}

const lastLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '') ?? '';
