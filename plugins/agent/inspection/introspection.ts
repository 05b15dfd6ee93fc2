// Requests to an ironic-inspector service, which calls inspection "introspection".
import { readFile } from 'node:fs/promises';
import {
  defineFault,
  failureReason,
  fault,
  HttpClient,
  type HttpClientSettings,
  type HttpReply,
  type HttpRequest,
  isJsonObject,
  jsonObjectIn,
  type JsonObject,
  type Task,
  type TlsSettings,
} from '#plugin-api';
import { versionOne } from './inspected-machine.ts';
import { inspectorOptions } from '../options.ts';

const inspectorFailure = defineFault(
  'InspectorFailure',
  503,
  'ironic-inspector ([inspector] endpoint_override) failed at {request}: {reason}',
);

export interface Introspection {
  readonly finished: boolean;
  /** Why the inspection failed; null when it did not fail. */
  readonly error: string | null;
}

/** `isBootManaged`: whether the daemon, and not ironic-inspector, boots the machine. */
export function startIntrospection(task: Task, isBootManaged: boolean): Promise<void> {
  return post(task, `introspection/${task.node.uuid}${isBootManaged ? '?manage_boot=False' : ''}`);
}

/** Returns undefined when ironic-inspector has no introspection of the node. */
export async function introspectionOf(task: Task): Promise<Introspection | undefined> {
  const path = `introspection/${task.node.uuid}`;
  const reply = await get(task, path);
  if (reply === undefined) return undefined;
  const { finished, error = null } = objectIn(reply) ?? {};
  if (typeof finished === 'boolean' && (error === null || typeof error === 'string'))
    return { finished, error };
  throw inspectorFailure({
    request: `GET ${urlOf(task, path)}`,
    reason: 'its answer lacks a valid "finished" or "error"',
  });
}

/** Returns the collected data; undefined when ironic-inspector does not store any. */
export async function introspectionData(task: Task): Promise<Uint8Array | undefined> {
  const reply = await get(task, `introspection/${task.node.uuid}/data`);
  if (reply === undefined)
    task.log.warn(
      {},
      'ironic-inspector stores no data (see its option [processing] store_data), so the daemon stores no inventory',
    );
  return reply?.bytes;
}

/** Aborts the introspection; does nothing when it is already over. */
export async function abortIntrospection(task: Task): Promise<void> {
  const introspection = await introspectionOf(task);
  if (introspection?.finished === false) await post(task, `introspection/${task.node.uuid}/abort`);
}

/** Forwards a ramdisk's report. */
export const continueIntrospection = (task: Task, report: Uint8Array): Promise<void> =>
  post(task, 'continue', report);

/** Returns the URL in option `name` of [inspector]. Throws InvalidParameter when it is not a usable URL. */
export function endpointOf(
  task: Task,
  name: 'endpoint_override' | 'callback_endpoint_override' = 'endpoint_override',
): URL {
  const url = URL.parse(inspectorOptions(task)[name] ?? '');
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return url;
  throw fault('InvalidParameter', {
    name: `[inspector] ${name}`,
    reason: 'expected a URL such as http://192.0.2.1:5050, without user and password',
  });
}

/** Returns undefined when ironic-inspector answers 404. Throws InspectorFailure. */
async function get(task: Task, path: string): Promise<HttpReply | undefined> {
  const url = urlOf(task, path);
  const reply = await send(task, { method: 'GET', url });
  if (isGood(reply)) return reply;
  // a proxy may answer 404 too; only the answer of ironic-inspector itself has an error message
  if (reply.status === 404 && sentenceIn(reply) !== undefined) return undefined;
  throw refusal(`GET ${url}`, reply);
}

/** Throws InspectorFailure. */
async function post(task: Task, path: string, body?: Uint8Array): Promise<void> {
  const url = urlOf(task, path);
  const reply = await send(task, { method: 'POST', url, ...(body && { body }) });
  if (!isGood(reply)) throw refusal(`POST ${url}`, reply);
}

const urlOf = (task: Task, path: string): string => versionOne(endpointOf(task).href, path);

async function send(task: Task, request: Pick<HttpRequest, 'method' | 'url' | 'body'>): Promise<HttpReply> {
  try {
    const client = new HttpClient({
      url: request.url,
      ...login(task),
      tls: await tlsSettings(task),
      clock: task.clock,
    });
    return await client.send({
      ...request,
      timeoutSeconds: inspectorOptions(task).timeout,
      signal: task.signal,
    });
  } catch (error) {
    task.signal.throwIfAborted();
    const { method, url } = request;
    const reason = failureReason(error);
    throw inspectorFailure({ request: `${method} ${url}`, reason }, { cause: error });
  }
}

function login(task: Task): Pick<HttpClientSettings, 'login'> {
  const { auth_type, username: user, password } = inspectorOptions(task);
  return auth_type === 'http_basic' ? { login: { user, password } } : {};
}

async function tlsSettings(task: Task): Promise<TlsSettings> {
  const { cafile: file, insecure } = inspectorOptions(task);
  return {
    ...(file !== null && { ca: await readFile(file, 'utf8') }),
    rejectUnauthorized: !insecure,
  };
}

const isGood = ({ status }: HttpReply): boolean => status >= 200 && status < 300;

function refusal(request: string, reply: HttpReply) {
  const sentence = sentenceIn(reply);
  const words = sentence === undefined ? '' : `: ${sentence}`;
  return inspectorFailure({
    request,
    reason: `it answered with HTTP status ${reply.status}${words}`,
  });
}

/** Returns the error message in an answer of ironic-inspector; undefined when the answer has none. */
function sentenceIn(reply: HttpReply): string | undefined {
  const { error } = objectIn(reply) ?? {};
  const message = isJsonObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : undefined;
}

const LARGEST_DOCUMENT = 1_048_576;

/** Returns the JSON object in a reply; undefined when the reply is longer than 1 MiB or is not a JSON object. */
function objectIn({ bytes }: HttpReply): JsonObject | undefined {
  return bytes.length > LARGEST_DOCUMENT ? undefined : jsonObjectIn(bytes);
}
