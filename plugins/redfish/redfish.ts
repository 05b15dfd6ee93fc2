// Requests to a node's BMC, with its refusals as faults.
import {
  failureReason,
  fault,
  HttpFailure,
  type HttpReply,
  isJsonObject,
  type JsonObject,
  type Task,
} from '#plugin-api';
import { BmcSession, type Request } from './bmc-session.ts';
import { connectionOf, type Connection } from './connection.ts';
import { refusalIn } from './error-body.ts';
import { redfishOptions } from './options.ts';

const DISPOSAL_SECONDS = 5;

export interface Bmc {
  /** Resolves to the resource. Throws the faults of `converse`. */
  get(path: string): Promise<JsonObject>;
  /** Sent once: when its answer is lost, look whether it took effect. Throws the faults of `converse`. */
  post(path: string, body: object): Promise<void>;
  /** The path of the node's system. */
  systemPath(): Promise<string>;
}

/**
 * Runs `work` in a conversation with the node's BMC. `operation` is for messages. Throws BmcFailure when the BMC does not
 * answer, BmcCredentialsRefused, BmcNotReady or BmcRefused when it does.
 */
export function converse<T>(task: Task, operation: string, work: (bmc: Bmc) => Promise<T>): Promise<T> {
  const connection = connectionOf(task);
  const { address, username, password, verifies, caFile, login } = connection;
  const timeoutSeconds = redfishOptions(task).read_timeout;
  const { clock } = task;
  const state = {
    key: JSON.stringify([verifies, caFile ?? null, login]),
    create: () => BmcSession.open(connection, clock),
    dispose: (session: BmcSession, signal: AbortSignal) =>
      session.close({ signal, timeoutSeconds: DISPOSAL_SECONDS }),
  };
  const options = { deadline: timeoutSeconds * 1000, credentials: [username, password], state };
  return task.bmc(address, options, async ({ signal, state: session }) => {
    const place: Place = { task, connection, operation };
    const send = async (request: Request) => {
      const reply = await session.send(request, { signal, timeoutSeconds }).catch((error: unknown) => {
        throw error instanceof HttpFailure ? silence(place, error) : error;
      });
      if (reply.status < 300) return reply;
      throw refusal(place, reply);
    };
    const get = async (path: string) => document(place, await send({ method: 'GET', path }));
    const systemPath = async () => {
      const known = connection.systemPath ?? session.paths.get('system');
      const path = known ?? onlySystem(place, await get('/redfish/v1/Systems'));
      session.paths.set('system', path);
      return path;
    };
    return work({
      get,
      systemPath,
      post: async (path, body) => void (await send({ method: 'POST', path, body })),
    });
  });
}

interface Place {
  readonly task: Task;
  readonly connection: Connection;
  readonly operation: string;
}

const about = ({ task, connection: { address }, operation }: Place) => ({
  operation,
  node: task.node.uuid,
  address,
});

const silence = (place: Place, error: HttpFailure) =>
  fault('BmcFailure', { ...about(place), reason: failureReason(error) }, { cause: error });

function refusal(place: Place, reply: HttpReply) {
  const { message, reason } = refusalIn(reply);
  if (reply.status === 401) return fault('BmcCredentialsRefused', { ...about(place), reason });
  const [retryAfter = ''] = reply.headers['retry-after'] ?? [];
  if (reply.status === 503)
    return fault('BmcNotReady', { ...about(place), reason, seconds: secondsIn(retryAfter) });
  return fault('BmcRefused', { ...about(place), status: reply.status, message, reason });
}

const secondsIn = (retryAfter: string) =>
  /^\d{1,4}$/.test(retryAfter) ? Math.min(Math.max(Number(retryAfter), 1), 60) : 10;

function document(place: Place, { status, bytes }: HttpReply): JsonObject {
  const value = parsed(bytes.toString('utf8'));
  if (isJsonObject(value)) return value;
  throw fault('BmcRefused', {
    ...about(place),
    status,
    message: 'no message',
    reason: 'its answer is not a JSON object',
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function onlySystem(place: Place, { Members: members }: JsonObject): string {
  const paths = Array.isArray(members)
    ? members.flatMap((member) => (isJsonObject(member) ? [member['@odata.id']] : []))
    : [];
  const [path] = paths;
  if (paths.length === 1 && typeof path === 'string') return path;
  throw fault('DriverInfoInvalid', {
    node: place.task.node.uuid,
    name: 'redfish_system_id',
    value: 'not set',
    expected: `the path of one of the ${paths.length} systems of the BMC`,
  });
}
