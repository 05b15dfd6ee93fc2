// Requests to the OneView appliance, with one session for all nodes.
import { readFile } from 'node:fs/promises';
import {
  defineFault,
  failureReason,
  Fault,
  fault,
  HttpFailure,
  type HttpReply,
  type JsonObject,
  type Task,
  type TlsSettings,
} from '#plugin-api';
import { oneviewOptions } from '../options.ts';
import { answerBody, StrangeAnswer, textOf } from './answer.ts';
import { type ApplianceResource, resources } from './resources.ts';
import { type ApplianceRequest, Session, UnsupportedVersion } from './session.ts';

const DISPOSAL_SECONDS = 5;
const BUSY_PAUSE_SECONDS = 10;
const BUSY_TRIES = 12;
const READ_PAUSE_SECONDS = 1;
const READ_TRIES = 3;
// the appliance refuses more than it can do, and other programs ask it too
const REQUESTS_AT_ONCE = 8;

export const applianceNotConfigured = defineFault(
  'OneviewNotConfigured',
  400,
  'The OneView appliance is not configured: [oneview] {option} is "{value}"; expected {expected}.',
);

export interface ApplianceAnswer {
  /** Empty when the answer has no body. */
  readonly body: JsonObject;
  /** The URI of the task that carries out the request; empty when there is none. */
  readonly task: string;
}

interface Place {
  readonly operation: string;
  readonly node: string;
  readonly address: string;
}

/** Returns the URL of the appliance, without a path. Throws OneviewNotConfigured. */
export function applianceUrl(task: Task): string {
  const value = oneviewOptions(task).manager_url;
  const url = URL.parse(value.includes('://') || value === '' ? value : `https://${value}`);
  const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '';
  if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return url.origin;
  const expected = 'an http or https URL without user, password and query';
  throw applianceNotConfigured({ option: 'manager_url', value: withoutLogin(value), expected });
}

const withoutLogin = (url: string): string => url.slice(url.lastIndexOf('@') + 1);

/** What to read, and the operation that reads it, for messages. */
export interface Reading {
  readonly operation: string;
  readonly url: string;
  readonly kind: keyof typeof resources;
}

/** Reads a resource; repeats the request when the appliance fails or does not answer. Throws like `ask`. */
export async function readFromAppliance(task: Task, reading: Reading): Promise<JsonObject> {
  for (let tries = 1; ; tries += 1) {
    try {
      return recognised(task, reading, await askAppliance(task, reading.operation, { url: reading.url }));
    } catch (error) {
      if (!(isSilence(error) || isRefusal(error, 500)) || tries === READ_TRIES) throw error;
      await task.clock.sleep(READ_PAUSE_SECONDS * 1000);
    }
  }
}

/** Reads a resource with a single request. Throws like `ask`. */
export const readOnce = async (task: Task, reading: Reading): Promise<JsonObject> =>
  recognised(task, reading, await askOnce(task, reading.operation, { url: reading.url }));

function recognised(task: Task, { operation, url, kind }: Reading, { body }: ApplianceAnswer): JsonObject {
  const { what, fits }: ApplianceResource = resources[kind];
  const path = url.split('?', 1)[0] ?? '';
  if (fits(body, path)) return body;
  const place = { operation, node: task.node.uuid, address: applianceUrl(task) };
  throw strange(place, new StrangeAnswer(`its answer to GET ${path} is not ${what}`));
}

/**
 * Whether the appliance did not answer, or something else answered in its place. Nobody knows then whether the appliance carried out
 * the request.
 */
export const isSilence = (error: unknown): boolean => error instanceof Fault && error.code === 'BmcFailure';

/** Whether the same request may succeed later. */
export const isPassingFault = (error: unknown): error is Fault =>
  isSilence(error) || isRefusal(error, 500) || (error instanceof Fault && error.code === 'BmcNotReady');

const strange = (place: Place, answer: StrangeAnswer) =>
  fault('BmcFailure', { ...place, reason: answer.message }, { cause: answer });

/** Whether the error is BmcRefused: the appliance refused the request, with this HTTP status if one is given. */
export const isRefusal = (error: unknown, status?: number): error is Fault =>
  error instanceof Fault &&
  error.code === 'BmcRefused' &&
  (status === undefined || error.parameters['status'] === status);

/**
 * Sends a request, and repeats it for about two minutes, but not after `until`, while the appliance cannot carry it out yet.
 * `operation` is for messages. `until`: milliseconds of `task.clock.monotonic()`.
 * When the appliance does not answer, throws BmcFailure. When it refuses, throws BmcCredentialsRefused, BmcRefused or BmcNotReady.
 * Also throws OneviewNotConfigured.
 */
export async function askAppliance(
  task: Task,
  operation: string,
  question: ApplianceRequest,
  until = Number.POSITIVE_INFINITY,
): Promise<ApplianceAnswer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await askOnce(task, operation, question);
    } catch (error) {
      const isBusy = error instanceof Fault && error.code === 'BmcNotReady';
      const isOver = task.clock.monotonic() + BUSY_PAUSE_SECONDS * 1000 > until;
      if (!isBusy || isOver || tries === BUSY_TRIES) throw error;
      if (tries === 1)
        task.log.warn({ reason: error.message }, 'the appliance is busy; the request is repeated');
      await task.clock.sleep(BUSY_PAUSE_SECONDS * 1000);
    }
  }
}

async function askOnce(task: Task, operation: string, question: ApplianceRequest): Promise<ApplianceAnswer> {
  const url = applianceUrl(task);
  const options = oneviewOptions(task);
  const { username, password, request_timeout: timeoutSeconds } = options;
  const state = {
    key: 'session',
    create: () => openSession(task, url),
    dispose: (session: Session, signal: AbortSignal) =>
      session.logOut({ signal, timeoutSeconds: DISPOSAL_SECONDS }),
  };
  const place = { operation, node: task.node.uuid, address: url };
  const conversation = { deadline: (timeoutSeconds + 1) * 1000, parallel: REQUESTS_AT_ONCE, state } as const;
  try {
    return await task.bmc(
      url,
      { ...conversation, credentials: [username, password] },
      async ({ signal, state: session }) => {
        const reply = await session
          .send(question, { userName: username, password }, { signal, timeoutSeconds })
          .catch((error: unknown) => {
            throw failure(place, error);
          });
        return answerIn(place, reply);
      },
    );
  } catch (error) {
    // not thrown in the conversation: the appliance is not silent, so requests for other nodes may succeed
    if (error instanceof StrangeAnswer) throw strange(place, error);
    throw error;
  }
}

/** Allowing insecure connections takes precedence over a file with CA certificates. */
function openSession(task: Task, url: string): Session {
  const { clock, log } = task;
  const options = oneviewOptions(task);
  const { allow_insecure_connections: isInsecure, tls_cacert_file: file } = options;
  if (isInsecure && file !== null)
    log.warn(
      { tls_cacert_file: file },
      '[oneview] allow_insecure_connections is set: tls_cacert_file is ignored',
    );
  const tls = async (): Promise<TlsSettings> => {
    if (isInsecure) return { rejectUnauthorized: false };
    return file === null ? {} : { ca: await readFile(file, 'utf8') };
  };
  return new Session({ url, tls, clock }, options.api_version);
}

/** Throws StrangeAnswer, BmcCredentialsRefused, BmcNotReady or BmcRefused. */
function answerIn(place: Place, reply: HttpReply): ApplianceAnswer {
  if (reply.status >= 300) throw refusal(place, reply);
  const body = reply.bytes.length === 0 ? {} : answerBody(reply);
  if (body === undefined) throw new StrangeAnswer('its answer is not JSON, or is cut off');
  const location = reply.headers['location']?.[0] ?? '';
  const named = location === '' ? textOf(body, 'uri') : location;
  const path = URL.parse(named, 'https://appliance.invalid')?.pathname ?? '';
  return { body, task: path.startsWith('/rest/tasks/') ? path : '' };
}

function failure(place: Place, error: unknown): unknown {
  if (error instanceof HttpFailure)
    return fault('BmcFailure', { ...place, reason: failureReason(error) }, { cause: error });
  if (!(error instanceof UnsupportedVersion)) return error;
  return fault('BmcRefused', { ...place, status: 412, message: 'version', reason: error.message });
}

function refusal(place: Place, reply: HttpReply): Error {
  const { status } = reply;
  const body = answerBody(reply) ?? {};
  const code = textOf(body, 'errorCode');
  const reason = textOf(body, 'message') || `HTTP status ${status}`;
  if (status === 401)
    return fault('BmcCredentialsRefused', {
      ...place,
      reason: `${reason} ([oneview] username and password)`,
    });
  if (status === 408 || status === 503 || (status === 409 && code === 'POWER_CONTROL_NOT_ALLOWED'))
    return fault('BmcNotReady', {
      ...place,
      seconds: BUSY_PAUSE_SECONDS,
      reason: `${reason} (${code || 'no code'})`,
    });
  // a proxy also answers 404, which does not mean that the appliance does not have the resource
  if (code === '')
    return new StrangeAnswer(`it answered ${status} without an error code of OneView, as a proxy does`);
  return fault('BmcRefused', { ...place, status, message: code, reason });
}
