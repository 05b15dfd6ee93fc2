// Sends events to each webhook (all or only errors: [webhooks] level), in order and signed as the Standard Webhooks specification
// says. The id of the last event that each webhook received is stored, so a restart loses no event. A receiver that was down gets
// the events that it missed, unless it was down for more than a day or missed more events than are kept ([events] keep).
import { createHmac } from 'node:crypto';
import type { Config } from '../../config/sections/core-sections.ts';
import type { Database } from '../../db/database.ts';
import type { StoredEvent } from '../../db/tables/events.ts';
import type { Clock } from '../../lib/clock.ts';
import { sleep } from '../../lib/clock.ts';
import { readSecretFile } from '../../lib/files/secret-file.ts';
import { HttpClient } from '../../lib/http-client/http-client.ts';
import { failureReason } from '../../lib/http-client/http-failure.ts';
import type { Logger } from '../../lib/logger.ts';
import type { EventLog } from './event-log.ts';

interface Surroundings {
  readonly config: Pick<Config, 'webhooks'>;
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Webhook {
  readonly host: string;
  /** How many events the webhook has not received yet. */
  readonly behind: number;
  readonly deliveries: number;
  readonly failures: number;
}

export interface Webhooks {
  readonly all: readonly Webhook[];
  start(): void;
  /** Resolves when no delivery is under way any more. Close the event log first: deliveries go on until it is closed. */
  ended(): Promise<void>;
}

const TIMEOUT_SECONDS = 5;
const FIRST_PAUSE_MILLISECONDS = 1000;
const LONGEST_PAUSE_MILLISECONDS = 3_600_000;
const GIVE_UP_MILLISECONDS = 86_400_000;
const BATCH = 100;
/** The content of answers does not matter. An answer that is larger than this counts as a failure. */
const LARGEST_ANSWER_BYTES = 65_536;
/** The longest single wait for new events; after it, the next wait begins. */
const WATCH_MILLISECONDS = 3_600_000;

/** Throws an Error for the operator when a URL is not an http or https URL, or the secret cannot be used. */
export function createWebhooks(surroundings: Surroundings, events: EventLog): Webhooks {
  const { urls, secret_file: secretFile } = surroundings.config.webhooks;
  const wrongUrl = urls.find((url) => !/^https?:$/.test(URL.parse(url)?.protocol ?? ''));
  if (wrongUrl !== undefined) throw new Error(`[webhooks] urls: ${wrongUrl} is not an http or https URL.`);
  const key = urls.length === 0 ? Buffer.alloc(0) : secretKey(secretFile);
  const senders = urls.map((url) => new Sender(url, key, { ...surroundings, events }));
  let running: readonly Promise<void>[] = [];
  return {
    all: senders,
    start() {
      running = senders.map((sender) => sender.run());
    },
    async ended() {
      await Promise.all(running);
    },
  };
}

/** Returns the key in a file that holds a secret such as `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`. */
function secretKey(file: string | null): Buffer {
  if (file === null) throw wrong('is not set, and [webhooks] urls need it');
  const text = readSecretFile(file).trim();
  const key = Buffer.from(text.replace(/^whsec_/, ''), 'base64');
  if (!text.startsWith('whsec_') || key.length < 24 || key.length > 64)
    throw wrong(`= ${file} does not hold whsec_ and base64 of 24 to 64 bytes`);
  return key;
}

const wrong = (what: string): Error =>
  new Error(
    `[webhooks] secret_file ${what}. Make one: (printf whsec_; openssl rand -base64 32) > FILE; chmod 600 FILE`,
  );

/** Returns the headers of a delivery. `seconds`: the time of sending, in seconds since the epoch. */
function signedHeaders(key: Buffer, event: Pick<StoredEvent, 'id' | 'body'>, seconds: number) {
  const signed = `${event.id}.${seconds}.${event.body}`;
  return {
    'content-type': 'application/json',
    'webhook-id': String(event.id),
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  };
}

class Sender implements Webhook {
  readonly host: string;
  deliveries = 0;
  failures = 0;
  readonly #url: string;
  readonly #key: Buffer;
  readonly #around: Surroundings & { readonly events: EventLog };
  readonly #client: HttpClient;
  #cursor: number;

  constructor(url: string, key: Buffer, around: Surroundings & { readonly events: EventLog }) {
    const { db, events, clock } = around;
    this.#url = url;
    this.#key = key;
    this.#around = around;
    this.#client = new HttpClient({ url, clock, idleSeconds: 30 });
    this.host = new URL(url).host;
    const delivered = db.events.deliveredTo(url);
    this.#cursor = delivered ?? events.newestId;
    if (delivered === undefined) db.events.setDelivered(url, this.#cursor);
  }

  get behind(): number {
    return Math.max(0, this.#around.events.newestId - this.#cursor);
  }

  async run(): Promise<void> {
    const { events, log } = this.#around;
    const { closing } = events;
    while (!closing.aborted) {
      try {
        await this.#deliverAll();
        if (!closing.aborted) await events.next(WATCH_MILLISECONDS);
      } catch (error) {
        if (closing.aborted) break;
        log.error({ webhook: this.host, error }, 'webhook failed unexpectedly');
        await this.#pause(LONGEST_PAUSE_MILLISECONDS);
      }
    }
    this.#client.close();
  }

  async #deliverAll(): Promise<void> {
    const { events, log } = this.#around;
    for (let batch = this.#next(); batch.length > 0; batch = this.#next())
      for (const event of batch) {
        if (event.id > this.#cursor + 1 && events.hasGapAfter(this.#cursor))
          log.warn(
            { webhook: this.host },
            'webhook: events were deleted before this webhook received them; [events] keep says how many are kept',
          );
        if (!(await this.#deliver(event))) return;
        this.#advance(event.id);
      }
  }

  #next(): readonly StoredEvent[] {
    const { events } = this.#around;
    if (events.closing.aborted) return [];
    // after a restore from a backup, event ids continue from a lower number
    if (this.#cursor > events.newestId) this.#advance(events.newestId);
    return events.read(this.#cursor, BATCH).events;
  }

  #advance(id: number): void {
    this.#cursor = id;
    this.#around.db.events.setDelivered(this.#url, id);
  }

  /** Resolves with false when the daemon stops before the event is delivered or given up. */
  async #deliver(event: StoredEvent): Promise<boolean> {
    const { clock, config, events, log } = this.#around;
    const { priority } = JSON.parse(event.body) as { readonly priority: string };
    if (config.webhooks.level === 'error' && priority !== 'error') return true;
    const since = clock.monotonic();
    let pause = FIRST_PAUSE_MILLISECONDS;
    for (;;) {
      const reason = await this.#send(event);
      if (reason === undefined) return true;
      if (events.closing.aborted) return false;
      log.warn({ webhook: this.host, event: event.id, reason }, 'webhook was not delivered');
      if (clock.monotonic() - since >= GIVE_UP_MILLISECONDS) {
        log.error({ webhook: this.host, event: event.id }, 'webhook: the event is given up after a day');
        return true;
      }
      if (!(await this.#pause(pause))) return false;
      pause = Math.min(pause * 2, LONGEST_PAUSE_MILLISECONDS);
    }
  }

  /** Resolves with the reason why the receiver did not take the event; with undefined when it took the event. */
  async #send(event: StoredEvent): Promise<string | undefined> {
    const { clock, events } = this.#around;
    try {
      const { status } = await this.#client.send({
        method: 'POST',
        url: this.#url,
        headers: signedHeaders(this.#key, event, Math.floor(clock.now() / 1000)),
        body: event.body,
        timeoutSeconds: TIMEOUT_SECONDS,
        largestReplyBytes: LARGEST_ANSWER_BYTES,
        signal: events.closing,
      });
      if (status >= 200 && status < 300) {
        this.deliveries += 1;
        return undefined;
      }
      this.failures += 1;
      return `it answered ${status}`;
    } catch (error) {
      this.failures += 1;
      return failureReason(error);
    }
  }

  /** Resolves with false when the daemon stops. */
  async #pause(milliseconds: number): Promise<boolean> {
    const { clock, events } = this.#around;
    return sleep(clock, milliseconds, events.closing).then(
      () => true,
      () => false,
    );
  }
}
