// The address of a node's service processor, and requests to it.
import {
  type BmcState,
  driverInfoText,
  failureReason,
  fault,
  HttpClient,
  invalidDriverInfo,
  type Node,
  optionsIn,
  type PropertySpec,
  requireDriverInfo,
  type Task,
} from '#plugin-api';
import manifest from './plugin.json' with { type: 'json' };

const options = optionsIn(manifest, 'acme');

export const connectionProperties = {
  acme_address: {
    description: 'URL of the service processor, as in http://10.0.0.11:8080.',
    required: true,
    example: 'http://192.0.2.1:8080',
  },
  acme_password: { description: 'Password of the service processor. Default: none.', secret: true },
} as const satisfies Readonly<Record<string, PropertySpec>>;

/** Returns the URL of the service processor. Throws DriverInfoMissing or DriverInfoInvalid. */
export function addressOf(node: Node): string {
  requireDriverInfo(node, connectionProperties);
  driverInfoText(node, 'acme_password', '');
  const address = driverInfoText(node, 'acme_address', '');
  if (/^https?:\/\/[^/\s]+$/.test(address) && URL.canParse(address)) return address;
  throw invalidDriverInfo(node, 'acme_address', 'a URL without a path, as in http://10.0.0.11:8080');
}

export interface Request {
  /** The operation, for error messages. */
  readonly operation: string;
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: string;
}

/**
 * Sends a request and returns the body of the answer. Throws BmcFailure when there is no answer, BmcCredentialsRefused or
 * BmcRefused when the service processor refuses.
 */
export function ask(task: Task, { operation, method, path, body }: Request): Promise<string> {
  const address = addressOf(task.node);
  const password = driverInfoText(task.node, 'acme_password', '');
  const { request_timeout: timeoutSeconds } = options(task);
  const { clock } = task;
  const place = { operation, node: task.node.uuid, address };
  // the daemon keeps the client, and with it the connection, for the next requests
  const state: BmcState<HttpClient> = {
    key: 'client',
    create: () => new HttpClient({ url: address, clock, idleSeconds: 30 }),
    dispose: async (client) => client.close(),
  };
  // task.bmc allows one conversation with a service processor at a time; after three conversations in a row without an answer,
  // those that no operator asks for fail at once for a while
  return task.bmc(
    address,
    { deadline: timeoutSeconds * 1000, credentials: [password], state },
    async ({ signal, state: client }) => {
      const headers = { authorization: `Bearer ${password}` };
      const request = {
        method,
        url: path,
        headers,
        timeoutSeconds,
        signal,
        // what changes something must not meet the end of a kept connection
        isFresh: method !== 'GET',
        ...(body !== undefined && { body }),
      };
      const { status, bytes } = await client.send(request).catch((error: unknown) => {
        const reason = `it does not answer (${failureReason(error)}); check driver_info/acme_address`;
        throw fault('BmcFailure', { ...place, reason });
      });
      const text = bytes.toString('utf8');
      if (status < 300) return text;
      const reason = text.slice(0, 200);
      if (status === 401) throw fault('BmcCredentialsRefused', { ...place, reason });
      throw fault('BmcRefused', { ...place, status, message: 'no code', reason });
    },
  );
}
