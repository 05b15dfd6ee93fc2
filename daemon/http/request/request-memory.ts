// The memory that one request occupies: its body while it is processed, and its answer until the client has read it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Services } from '../../conductor/services.ts';
import type { SocketService } from '../../lib/socket-service.ts';
import { type Claimant, type Release, sharesOf } from '../../lib/limits/memory-budget.ts';
import type { Caller } from '../../model/caller.ts';
import { fault } from '../../model/faults.ts';
import type { Answer } from '../answer.ts';
import { type BodyLimit, expectedBody, readBytes, type SharedBytes } from './body.ts';
import { type BodyStream, streamedBody } from './streamed-body.ts';

/** What comes with a request. One that a page or a test sends to the application directly has no `incoming` and `outgoing`. */
export interface Bindings {
  readonly incoming?: IncomingMessage;
  readonly outgoing?: ServerResponse;
  /** The remote address of the visitor on whose behalf a page sends the request. */
  readonly visitor?: string | undefined;
  /** Who this visitor is, if a page sends the request. */
  readonly visitedBy?: Pick<Caller, 'user' | 'role' | 'session'>;
  /** Makes the connection a WebSocket once the request is answered; undefined when the client asked for none. */
  readonly upgrade?: (service: SocketService) => void;
  /** Takes the listener's limit for the time of a whole request from this one. */
  readonly unhurried?: () => void;
}

/**
 * Returns the remote address of the connection; for a request that a page sends, of the visitor's connection. Undefined for a
 * Unix socket.
 */
export const peerOf = ({ incoming, visitor }: Bindings): string | undefined =>
  incoming?.socket.remoteAddress ?? visitor;

export const MEBIBYTE = 1_048_576;
const KIBIBYTE = 1024;
/** Answers below this size are not counted: the number of connections limits them. */
const SMALL_ANSWER_CHARACTERS = 16_384;
/** How long a client may take to send the body of a request that needs no login. */
const BODY_LIMIT_MILLISECONDS = 60_000;

/** Throws when an option allows a body that is too large for the memory budget. */
export function checkMemoryBudget({ api }: Services['config']): void {
  const shares = sharesOf(api.memory_budget * MEBIBYTE);
  const limits = [
    ['max_json_body_size', shares.operators],
    ['max_json_body_size_provision', shares.operators],
    ['max_json_body_size_inspection', shares.strangers],
  ] as const;
  for (const [option, share] of limits) {
    if (api[option] * KIBIBYTE <= share) continue;
    throw new Error(
      `[api] ${option} = ${api[option]} KiB exceeds what all requests of that kind may occupy together, ${share / KIBIBYTE} KiB ([api] memory_budget = ${api.memory_budget} MiB; half of it for inspection reports). Raise memory_budget or lower ${option}.`,
    );
  }
}

export class RequestMemory {
  readonly #services: Services;
  readonly #claimant: Claimant;
  readonly #bindings: Bindings;
  #body: Release = () => {};

  /** `claimant`: the client for whom the memory is counted. Throws Overloaded when this client may use no more memory. */
  constructor(services: Services, claimant: Claimant, bindings: Bindings) {
    this.#services = services;
    this.#claimant = claimant;
    this.#bindings = bindings;
    if (!services.memory.hasRoom(claimant)) throw this.#overloaded();
  }

  /** Resolves with the body. Rejects with BodyTooLarge, or with Overloaded before anything is read. */
  async readBody(request: Request, limit: BodyLimit): Promise<SharedBytes> {
    const { incoming } = this.#bindings;
    const expected = expectedBody(request.headers.get('content-length'), limit);
    const { memory, clock } = this.#services;
    const reserved = memory.reserve(this.#claimant, expected.largest);
    if (reserved === undefined) throw this.#overloaded();
    const cancel =
      this.#claimant.share === 'strangers'
        ? clock.after(BODY_LIMIT_MILLISECONDS, () => incoming?.destroy())
        : () => {};
    try {
      const bytes = await readBytes(this.#piecesOf(request), expected);
      this.#body = memory.occupy(this.#claimant, bytes.byteLength);
      return bytes;
    } finally {
      cancel();
      reserved();
    }
  }

  /** Returns the body unread; reading it may take as long as the client sends. Throws BodyTooLarge. */
  streamBody(request: Request, limit: BodyLimit): BodyStream {
    const expected = expectedBody(request.headers.get('content-length'), limit);
    return streamedBody(
      () => {
        this.#bindings.unhurried?.();
        return this.#piecesOf(request);
      },
      expected,
      this.#services.clock,
    );
  }

  /** Who stops reading can still answer: the connection stays open. */
  #piecesOf(request: Request): AsyncIterable<Uint8Array> {
    const { incoming } = this.#bindings;
    return (incoming?.iterator({ destroyOnReturn: false }) ??
      request.body ??
      []) as AsyncIterable<Uint8Array>;
  }

  /** Keeps the body counted after the answer, until the returned function is called. */
  keepBody(): Release {
    const release = this.#body;
    this.#body = () => {};
    return release;
  }

  /** Stops counting the body, and counts the answer until the client has read it. */
  countAnswer(content: Answer['content']): void {
    this.#body();
    const { outgoing } = this.#bindings;
    if (outgoing === undefined || typeof content !== 'string') return;
    // a response whose client has disconnected emits no second 'close'
    if (content.length < SMALL_ANSWER_CHARACTERS || outgoing.closed) return;
    outgoing.once('close', this.#services.memory.occupy(this.#claimant, content.length));
  }

  #overloaded() {
    const { memory_budget: mebibytes } = this.#services.config.api;
    return fault('Overloaded', { mebibytes, peer: this.#claimant.peer });
  }
}
