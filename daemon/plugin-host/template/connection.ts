// The address of a node's service processor, and requests to it.
import {
  driverInfoText,
  fault,
  invalidDriverInfo,
  type Node,
  optionsIn,
  type PropertySpec,
  reasonOf,
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
  /** What is being done, for error messages. */
  readonly operation: string;
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: string;
}

/** Sends a request and returns the body of the answer. Throws BmcFailure when there is no answer or an error status. */
export function ask(task: Task, { operation, method, path, body }: Request): Promise<string> {
  const address = addressOf(task.node);
  const password = driverInfoText(task.node, 'acme_password', '');
  const deadline = options(task).request_timeout * 1000;
  const failure = (reason: string) =>
    fault('BmcFailure', { operation, node: task.node.uuid, address, reason });
  // task.bmc allows one request to a service processor at a time, and skips unreachable ones for a while
  return task.bmc(address, { deadline }, async ({ signal }) => {
    const headers = { authorization: `Bearer ${password}` };
    const answer = await fetch(`${address}${path}`, {
      method,
      headers,
      signal,
      ...(body !== undefined && { body }),
    }).catch((error: unknown) => {
      throw failure(`it does not answer (${reasonOf(error)}); check driver_info/acme_address`);
    });
    const text = await answer.text();
    if (!answer.ok) throw failure(`it answered ${answer.status}: ${text.slice(0, 200)}`);
    return text;
  });
}
