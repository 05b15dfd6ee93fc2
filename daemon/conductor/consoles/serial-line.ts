// A machine's serial line, which is connected as long as its console is enabled. What the machine sends goes to a log and to any
// number of readers; one writer at a time sends input to the machine.
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { reasonOf } from '../../model/faults.ts';
import type { SerialProgram } from '../../plugin-api/index.ts';
import type { ConsoleLog } from './console-log.ts';
import { type SerialConnection, runSerialProgram } from './run-serial-program.ts';
import { consoleLimits } from '../limits.ts';

export interface LineSettings {
  /**
   * Returns the program to run. Called before each connection but the first, because the BMC's address or login may have changed
   * since the last one.
   */
  readonly program: () => Promise<SerialProgram>;
  readonly kept: ConsoleLog;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with each event of the line, for the timeline of the node. */
  readonly happened: (event: LineEvent) => void;
}

export interface LineEvent {
  readonly text: string;
  readonly failed?: true;
}

export interface Reader {
  readonly shown: (bytes: Buffer) => void;
  /** Called when the connection has ended. The line then connects again, and calls `connected` when it has succeeded. */
  readonly lost: (reason: string) => void;
  readonly connected: () => void;
  /** Called when another client types than before, or none. */
  readonly typing?: () => void;
  /** Called once, after all other calls, when the line is closed. */
  readonly ended: (reason: string) => void;
}

export interface Typist {
  /** The name that other clients and the timeline show, such as `alice at 192.0.2.7`. */
  readonly name: string;
  /** Called when another typist has taken over. */
  readonly displaced: (by: string) => void;
}

export interface Writer {
  /** Returns false when the line does not take the bytes. While the line is not connected, it takes them, but may lose them. */
  readonly write: (bytes: Buffer) => boolean;
  readonly end: () => void;
}

/** What a typist is told when the line does not take the bytes. */
export const INPUT_REFUSED =
  'The console does not take what is typed. Disable and enable it, then connect again.';

const FIRST_PAUSE_MILLISECONDS = 1000;
/** A connection that ends sooner than this counts as a failed attempt, so that the pauses grow. */
const STABLE_MILLISECONDS = 60_000;

export class SerialLine {
  readonly #settings: LineSettings;
  readonly #readers = new Set<Reader>();
  readonly #ending = new AbortController();
  #connection: SerialConnection | undefined;
  #typist: Typist | undefined;

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

  /** Returns a function that ends the reading. If the line is closed, calls `reader.ended` at once. */
  read(reader: Reader): () => void {
    if (this.#ending.signal.aborted) reader.ended(reasonOf(this.#ending.signal.reason));
    else this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /** The name of the client that types; undefined when none does. */
  get typist(): string | undefined {
    return this.#typist?.name;
  }

  /** Returns the writer for this typist. Returns undefined if another typist is there and `takeOver` is false. */
  write(typist: Typist, takeOver: boolean): Writer | undefined {
    const earlier = this.#typist;
    if (earlier !== undefined && !takeOver) return undefined;
    this.#setTypist(typist);
    const from = earlier === undefined ? '' : ` in place of ${earlier.name}`;
    this.#settings.happened({ text: `${typist.name} can type on its serial console${from}` });
    earlier?.displaced(typist.name);
    return {
      write: (bytes) => this.#typist === typist && (this.#connection?.write(bytes) ?? true),
      end: () => {
        if (this.#typist !== typist) return;
        this.#setTypist(undefined);
        this.#settings.happened({ text: `${typist.name} has left its serial console` });
      },
    };
  }

  #setTypist(typist: Typist | undefined): void {
    this.#typist = typist;
    for (const reader of this.#readers) reader.typing?.();
  }

  /** Closes the line, and tells the readers the reason, which is a sentence. */
  close(reason: string): void {
    this.#ending.abort(new Error(reason));
    this.#connection?.end();
    this.#settings.happened({ text: `its serial console is disconnected: ${reason}` });
    for (const reader of this.#readers) reader.ended(reason);
    this.#readers.clear();
  }

  /** Resolves with the reason when the connection has ended or could not be made. */
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
      let end = 'ended';
      cancel = this.#settings.clock.after(consoleLimits.connectMilliseconds, () => {
        end = `did not connect within ${consoleLimits.connectMilliseconds / 1000} s`;
        this.#connection?.end();
      });
      const remarks = await this.#connection.ended;
      return lastLine(remarks) || `${program.command} ${end}`;
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
    let pause = FIRST_PAUSE_MILLISECONDS;
    let attempt = await this.#attempt(async () => first, connected);
    if (attempt.connectedAt === undefined) throw new Error(attempt.reason);
    while (!signal.aborted) {
      const { connectedAt = Infinity, reason } = attempt;
      if (clock.monotonic() - connectedAt >= STABLE_MILLISECONDS) pause = FIRST_PAUSE_MILLISECONDS;
      if (Number.isFinite(connectedAt)) this.#lose(reason);
      log.warn({ reason, pause_seconds: pause / 1000 }, 'the serial console is not connected');
      await sleep(clock, pause, signal).catch(() => {});
      if (signal.aborted) return;
      pause = Math.min(pause * 2, consoleLimits.pauseMilliseconds);
      attempt = await this.#attempt(program, () => {
        for (const reader of this.#readers) reader.connected();
      });
    }
  }

  /** Connects once; resolves when the connection has ended, or could not be made. */
  async #attempt(choose: LineSettings['program'], connected: () => void): Promise<Attempt> {
    const { clock, happened } = this.#settings;
    let connectedAt: number | undefined;
    const reason = await this.#connect(choose, () => {
      connectedAt = clock.monotonic();
      happened({ text: 'its serial console is connected' });
      connected();
    });
    return { connectedAt, reason };
  }

  #lose(reason: string): void {
    this.#settings.happened({ text: `the connection to its serial console ended: ${reason}`, failed: true });
    for (const reader of this.#readers) reader.lost(reason);
  }

  #show(bytes: Buffer): void {
    try {
      this.#settings.kept.append(bytes);
    } catch (error) {
      this.#settings.log.error({ reason: reasonOf(error) }, 'the console log could not be written');
    }
    for (const reader of this.#readers) reader.shown(bytes);
  }
}

interface Attempt {
  /** When the line was connected; undefined when it could not be. */
  readonly connectedAt: number | undefined;
  /** Why the connection ended, or could not be made. */
  readonly reason: string;
}

const lastLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '') ?? '';
