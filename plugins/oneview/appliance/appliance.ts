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
import { type AnswerBody, bodyOf, textOf } from './answer.ts';
import { type Question, Session, UnsupportedVersion } from './session.ts';

const DISPOSAL_SECONDS = 5;
const BUSY_PAUSE_SECONDS = 10;
const BUSY_TRIES = 12;
const READ_PAUSE_SECONDS = 1;
const READ_TRIES = 3;

export const applianceNotConfigured = defineFault(
  'OneviewNotConfigured',
  400,
  'The OneView appliance is not configured: [oneview] {option} is "{value}"; expected {expected}.',
);

export interface Answer {
  readonly status: number;
  readonly body: AnswerBody;
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

/** Reads a resource; repeats the request when the appliance does not answer. Throws like `ask`. */
export async function read(task: Task, operation: string, url: string): Promise<AnswerBody> {
  for (let tries = 1; ; tries += 1) {
    try {
      return (await ask(task, operation, { url })).body;
    } catch (error) {
      if (!isSilence(error) || tries === READ_TRIES) throw error;
      await task.clock.sleep(READ_PAUSE_SECONDS * 1000);
    }
  }
}

/** Whether the appliance did not answer, in which case nobody knows whether it carried out the request. */
export const isSilence = (error: unknown): boolean => error instanceof Fault && error.code === 'BmcFailure';

/** Whether the error is BmcRefused: the appliance refused the request, with this HTTP status if one is given. */
export const isRefusal = (error: unknown, status?: number): error is Fault =>
  error instanceof Fault &&
  error.code === 'BmcRefused' &&
  (status === undefined || error.parameters['status'] === status);

/**
 * Sends a request, and repeats it for about two minutes while the appliance cannot carry it out yet. `operation` is for messages.
 * When the appliance does not answer, throws BmcFailure. When it refuses, throws BmcCredentialsRefused, BmcRefused or BmcNotReady.
 * Also throws OneviewNotConfigured.
 */
export async function ask(task: Task, operation: string, question: Question): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await askOnce(task, operation, question);
    } catch (error) {
      const isBusy = error instanceof Fault && error.code === 'BmcNotReady';
      if (!isBusy || tries === BUSY_TRIES) throw error;
      await task.clock.sleep(BUSY_PAUSE_SECONDS * 1000);
    }
  }
}

function askOnce(task: Task, operation: string, question: Question): Promise<Answer> {
  const url = applianceUrl(task);
  const options = oneviewOptions(task);
  const { username, password, request_timeout: timeoutSeconds, max_parallel_requests: parallel } = options;
  const state = {
    key: 'session',
    create: () => openSession(task, url),
    dispose: (session: Session, signal: AbortSignal) =>
      session.logOut({ signal, timeoutSeconds: DISPOSAL_SECONDS }),
  };
  const place = { operation, node: task.node.uuid, address: url };
  return task.bmc(
    url,
    { deadline: (timeoutSeconds + 1) * 1000, parallel, credentials: [username, password], state },
    async ({ signal, state: session }) => {
      const reply = await session
        .send(question, { userName: username, password }, { signal, timeoutSeconds })
        .catch((error: unknown) => {
          throw failure(place, error);
        });
      if (reply.status < 300) return answerIn(reply);
      throw refusal(place, reply);
    },
  );
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

function answerIn(reply: HttpReply): Answer {
  const body = bodyOf(reply);
  const location = reply.headers['location']?.[0] ?? '';
  const place = location === '' ? textOf(body, 'uri') : location;
  const path = URL.parse(place, 'https://appliance.invalid')?.pathname ?? '';
  return { status: reply.status, body, task: path.startsWith('/rest/tasks/') ? path : '' };
}

function failure(place: Place, error: unknown): unknown {
  if (error instanceof HttpFailure)
    return fault('BmcFailure', { ...place, reason: failureReason(error) }, { cause: error });
  if (!(error instanceof UnsupportedVersion)) return error;
  return fault('BmcRefused', { ...place, status: 412, message: 'version', reason: error.message });
}

function refusal(place: Place, reply: HttpReply) {
  const { status } = reply;
  const body: JsonObject = bodyOf(reply);
  const reason = textOf(body, 'message') || `HTTP status ${status}`;
  if (status === 401)
    return fault('BmcCredentialsRefused', {
      ...place,
      reason: `${reason} ([oneview] username and password)`,
    });
  const code = textOf(body, 'errorCode') || 'no code';
  if (status === 408 || status === 503 || (status === 409 && code === 'POWER_CONTROL_NOT_ALLOWED'))
    return fault('BmcNotReady', { ...place, seconds: BUSY_PAUSE_SECONDS, reason: `${reason} (${code})` });
  return fault('BmcRefused', { ...place, status, message: code, reason });
}
