// Decides whether a request to a BMC is sent again, and after which pause.
import { HttpFailure, type HttpReply, type TaskClock } from '#plugin-api';
import { mentions, type Refusal, refusalIn } from './error-body.ts';
import { redfishLimits } from '../limits.ts';

/** Other statuses, such as 501, stay the same. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const PASSING_PAUSE_SECONDS = 3;
const PASSING_TRIES = 10;
/** How long a change is sent again to a BMC in such a weakness, once a reading has shown that the change was not made. */
export const WEAKNESS_MILLISECONDS = 30_000;
export const WEAKNESS_PAUSE_MILLISECONDS = 3000;
/** For a request that had such a status until its tries were used up, when it was sent last. */
const BROKEN_TRIES = 2;

/** Messages of BMCs that are busy or not ready. The BMC has not begun to carry out such a request. */
const NOT_READY = ['SYS518', 'SWC0700', 'InvalidOperationForSystemState', 'ServiceTemporarilyUnavailable'];
/** The pause when the BMC does not say how long it will take. */
export const NOT_READY_SECONDS = 5;
/** How many times a request is sent again because the BMC says that it was not ready. */
const NOT_READY_REPETITIONS = 6;

/** How long all optional parts of one conversation may wait. */
const OPTIONAL_SECONDS = 30;

export interface Sending {
  /** Names the request, as in `GET /redfish/v1/Systems/1`. */
  readonly name: string;
  /** Whether the request may be sent again although the BMC may have carried it out. */
  readonly isSafe: boolean;
  /** How many times it was sent. */
  readonly tries: number;
}

interface Settings {
  readonly clock: Pick<TaskClock, 'monotonic'>;
  /** When the conversation must end, as the clock's `monotonic` counts. */
  readonly until: number;
  /** How many times a request is sent when the BMC closes the connection without an answer. */
  readonly attempts: number;
  /** See `Learnt`. */
  readonly broken: Set<string>;
}

/** The patience of one conversation. No pause goes beyond the end of the conversation. */
export class Patience {
  readonly #settings: Settings;
  #mostTries = PASSING_TRIES;
  #optionalSeconds = OPTIONAL_SECONDS;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Runs `work`, whose requests are sent at most `tries` times because of a passing weakness, and wait little in all. */
  async shortened<T>(tries: number, work: () => Promise<T>): Promise<T> {
    const before = this.#mostTries;
    this.#mostTries = Math.min(before, tries);
    try {
      return await work();
    } finally {
      this.#mostTries = before;
    }
  }

  /** Returns the seconds to wait before the request is sent again; undefined when it must not be, or that would be of no use. */
  secondsAfter(outcome: HttpReply | HttpFailure, sending: Sending): number | undefined {
    const { broken } = this.#settings;
    const seconds =
      outcome instanceof HttpFailure
        ? this.#afterFailure(outcome, sending)
        : this.#afterReply(outcome, sending);
    if (seconds !== undefined && this.#affords(seconds)) return seconds;
    if (outcome instanceof HttpFailure || !isPassing(outcome)) broken.delete(sending.name);
    else broken.add(sending.name);
    return undefined;
  }

  /** Returns the seconds to wait before a reading is repeated whose answer was not JSON; undefined when it must not be. */
  secondsAfterNonsense(tries: number): number | undefined {
    return tries < this.#settings.attempts && this.#affords(tries) ? tries : undefined;
  }

  #afterFailure({ kind }: HttpFailure, { isSafe, tries }: Sending): number | undefined {
    const canHelp = kind === 'closed' || kind === 'other';
    if (!isSafe || !canHelp || tries >= this.#settings.attempts) return undefined;
    // the BMC may have closed a kept connection: the first repetition is on a new one, at once
    return tries === 1 ? 0 : tries;
  }

  #afterReply(reply: HttpReply, { name, isSafe, tries }: Sending): number | undefined {
    if (reply.status < 300) return undefined;
    const told = secondsUntilReady(reply);
    if (told !== undefined) return tries <= NOT_READY_REPETITIONS ? told : undefined;
    const most = this.#settings.broken.has(name) ? BROKEN_TRIES : PASSING_TRIES;
    const mayRepeat = isSafe && isPassing(reply) && tries < Math.min(most, this.#mostTries);
    return mayRepeat ? PASSING_PAUSE_SECONDS : undefined;
  }

  #affords(seconds: number): boolean {
    const { clock, until } = this.#settings;
    if (clock.monotonic() + seconds * 1000 >= until) return false;
    if (this.#mostTries === PASSING_TRIES) return true;
    if (seconds > this.#optionalSeconds) return false;
    this.#optionalSeconds -= seconds;
    return true;
  }
}

/** Whether the answer is a sign of a passing weakness, as while a BMC starts or has too much to do. */
export const isPassing = ({ status }: Pick<HttpReply, 'status'>): boolean => PASSING.has(status);

/** Returns after how many seconds the BMC may be ready, if it says that it is not ready and has not begun the request. */
export function secondsUntilReady(reply: HttpReply): number | undefined {
  const refusal = refusalIn(reply);
  const header = retryAfter(reply);
  if (NOT_READY.some((word) => mentions(refusal, word)) || RETRY_IN.test(refusal.reason))
    return header ?? secondsInMessage(refusal) ?? NOT_READY_SECONDS;
  return reply.status === 429 || reply.status === 503 ? header : undefined;
}

/** The seconds in the standard message "Retry in 30 seconds", from its text or its argument. */
function secondsInMessage({ reason, subjects }: Refusal): number | undefined {
  const given = RETRY_IN.exec(reason)?.[1] ?? subjects.find((subject) => SECONDS.test(subject));
  return given === undefined ? undefined : bounded(Number(given));
}

const SECONDS = /^\d{1,9}$/;
const RETRY_IN = /\bretry in (\d{1,9}) second/i;

const bounded = (seconds: number) => Math.min(Math.max(Math.ceil(seconds), 1), redfishLimits.waitSeconds);

/**
 * Returns the seconds to wait that `Retry-After` gives as a number or a date: at least 1, at most the longest pause. Returns
 * undefined when there is no such header, or its value is of no use.
 */
export function retryAfter({ headers }: Pick<HttpReply, 'headers'>): number | undefined {
  const [given] = headers['retry-after'] ?? [];
  if (given === undefined) return undefined;
  const [now] = headers['date'] ?? [];
  const seconds = SECONDS.test(given) ? Number(given) : (Date.parse(given) - Date.parse(now ?? '')) / 1000;
  return Number.isFinite(seconds) ? bounded(seconds) : undefined;
}
