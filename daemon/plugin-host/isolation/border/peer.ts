// One end of the border between the daemon and a plugin's process: asks the other side, and answers it.
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../lib/clock.ts';
import { reasonOf } from '../../../model/faults.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import { ErrorTraffic } from './error-traffic.ts';
import type { Credit, MessageKind } from './credit.ts';
import { type Frame, frameOf, FrameReader, type Sender } from './frames.ts';

/** What crosses the border: a JSON value, and bytes that belong to it. */
export interface Cargo {
  readonly value: unknown;
  readonly bytes?: Uint8Array | undefined;
}

export interface Asked extends Cargo {
  readonly value: JsonObject;
  /** Aborts when the other side no longer waits. */
  readonly signal: AbortSignal;
}

interface Side {
  readonly clock: Clock;
  readonly is: Sender;
  /** How fast the other side may send; without credit, there is no limit. */
  readonly credit?: Credit;
  answer(asked: Asked): Promise<Cargo>;
  /**
   * Called when the connection was closed, by either side, or when the other side has broken the protocol. Must lead to a call of
   * `close` or to the end of this process.
   */
  lost(reason: string): void;
}

/** How long an answer may still take after the asker's signal has aborted. */
const GRACE_MILLISECONDS = 5000;

/** How many frames are handled in one turn of the event loop; each may take up to a few milliseconds. */
const FRAMES_OF_A_TURN = 8;

interface Waiting {
  readonly resolve: (cargo: Cargo) => void;
  readonly reject: (reason: unknown) => void;
}

export class Peer {
  readonly #stream: Duplex;
  readonly #side: Side;
  readonly errors = new ErrorTraffic();
  readonly #waiting = new Map<number, Waiting>();
  readonly #answering = new Map<number, AbortController>();
  readonly #reader: FrameReader;
  #isPaused = false;
  #lastAsked = 0;
  #end: Error | undefined;

  constructor(stream: Duplex, side: Side) {
    this.#stream = stream;
    this.#side = side;
    this.#reader = new FrameReader(side.is === 'daemon' ? 'plugin' : 'daemon');
    stream.on('data', (chunk: Buffer) => {
      this.#reader.add(chunk);
      if (!this.#isPaused) this.#receiveAll();
    });
    // the event 'close' follows
    stream.on('error', () => undefined);
    stream.on('close', () => side.lost('the connection was closed'));
  }

  /** Whether reading is paused: until the other side may send more, or until the event loop has turned. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** How many questions the other side has not answered. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Asks the other side. Rejects with its error, or with the signal's reason if the other side has not answered within
   * `GRACE_MILLISECONDS` after the signal has aborted.
   */
  ask({ value, bytes }: Cargo, signal?: AbortSignal): Promise<Cargo> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const id = (this.#lastAsked += 1);
    const { promise, resolve, reject } = Promise.withResolvers<Cargo>();
    this.#send({ ask: id, value }, bytes);
    this.#waiting.set(id, { resolve, reject });
    if (signal === undefined) return promise;
    const onAbort = () => this.#cancel(id, signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #cancel(id: number, reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#send({ cancel: id, error: this.errors.encoded(reason) });
    this.#side.clock.after(GRACE_MILLISECONDS, () => {
      this.#waiting.get(id)?.reject(reason);
      this.#waiting.delete(id);
    });
  }

  /** Sends what needs no answer. */
  tell(value: JsonObject): void {
    if (this.#end === undefined) this.#send({ ask: 0, value });
  }

  /** Ends the connection: rejects the questions that wait for an answer, and aborts the answers in progress. */
  close(reason: Error): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#side.credit?.end();
    this.#stream.destroy();
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
    for (const answering of this.#answering.values()) answering.abort(reason);
  }

  #send(message: object, bytes?: Uint8Array): void {
    this.#stream.write(frameOf(this.#side.is, { json: JSON.stringify(message), bytes }));
  }

  /** Handles the received frames. Pauses after a few frames, so that the event loop turns, and when the other side sends too fast. */
  #receiveAll(): void {
    try {
      for (let received = 0; received < FRAMES_OF_A_TURN; received += 1) {
        const frame = this.#reader.next();
        if (frame === undefined) return;
        const kind = this.#receive(frame);
        if (this.#end !== undefined) return;
        const pause = this.#side.credit?.charge(sizeOf(frame), kind) ?? 0;
        if (pause > 0) return this.#pause((go) => void this.#side.clock.after(pause, go));
      }
      this.#pause(setImmediate);
    } catch (error) {
      this.#side.lost(reasonOf(error));
    }
  }

  #pause(until: (go: () => void) => unknown): void {
    this.#isPaused = true;
    this.#stream.pause();
    until(() => {
      this.#isPaused = false;
      if (this.#end !== undefined) return;
      this.#stream.resume();
      this.#receiveAll();
    });
  }

  /** Returns what kind of message the frame is charged as: an answer that nobody waits for counts like a line for the log. */
  #receive({ json, bytes }: Frame): MessageKind {
    const message: unknown = JSON.parse(json);
    if (!isJsonObject(message)) throw new Error('it sent a message that is not an object');
    const { ask, answer, cancel, value, error } = message;
    if (typeof answer === 'number') return this.#settle(answer, { value, bytes }, error) ? 'answer' : 'line';
    if (typeof ask === 'number' && isJsonObject(value)) {
      void this.#answer(ask, { value, bytes });
      return ask === 0 ? 'line' : 'question';
    }
    if (typeof cancel !== 'number') throw new Error('it sent a message of an unknown kind');
    this.#answering.get(cancel)?.abort(this.errors.decoded(error));
    return 'line';
  }

  /** Returns whether a question was waiting for the answer. */
  #settle(answer: number, cargo: Cargo, error: unknown): boolean {
    const waiting = this.#waiting.get(answer);
    this.#waiting.delete(answer);
    if (error === undefined) waiting?.resolve(cargo);
    else waiting?.reject(this.errors.decoded(error));
    return waiting !== undefined;
  }

  async #answer(id: number, asked: Omit<Asked, 'signal'>): Promise<void> {
    const stop = new AbortController();
    if (id !== 0) this.#answering.set(id, stop);
    try {
      const { value, bytes } = await this.#side.answer({ ...asked, signal: stop.signal });
      if (this.#end === undefined && id !== 0) this.#send({ answer: id, value }, bytes);
    } catch (error) {
      if (this.#end === undefined && id !== 0) this.#refuse(id, error);
    } finally {
      this.#answering.delete(id);
    }
  }

  /** Answers with an error, which a plugin may have made so that it cannot be sent. */
  #refuse(id: number, error: unknown): void {
    try {
      this.#send({ answer: id, error: this.errors.encoded(error) });
    } catch (reason) {
      const instead = new Error(`it failed with an error that cannot be handed over: ${reasonOf(reason)}`);
      this.#send({ answer: id, error: this.errors.encoded(instead) });
    }
  }
}

const sizeOf = ({ json, bytes }: Frame): number => json.length + (bytes?.length ?? 0);
