// Requests to a simulated machine's BMC.
import {
  driverInfoText,
  fault,
  invalidDriverInfo,
  isJsonObject,
  type JsonObject,
  type PropertySpec,
  reasonOf,
  requireDriverInfo,
  type Task,
} from '#plugin-api';

export const simulatedProperties: Readonly<Record<string, PropertySpec>> = {
  simulated_address: {
    description: 'URL of the BMC, as `ironic-edge rack` shows it.',
    required: true,
    example: 'http://127.0.0.1:8000',
  },
  simulated_username: { description: 'User name for the BMC.', required: true },
  simulated_password: {
    description: 'Password for the BMC.',
    required: true,
    secret: true,
    example: 'password',
  },
};

interface Connection {
  readonly address: string;
  readonly authorization: string;
}

/** Throws DriverInfoMissing or DriverInfoInvalid. */
export function validateConnection(task: Task): void {
  connectionOf(task);
}

function connectionOf({ node }: Task): Connection {
  requireDriverInfo(node, simulatedProperties);
  const address = driverInfoText(node, 'simulated_address', '');
  const user = driverInfoText(node, 'simulated_username', '');
  const password = driverInfoText(node, 'simulated_password', '');
  if (URL.parse(address)?.protocol !== 'http:')
    throw invalidDriverInfo(node, 'simulated_address', 'a URL as in http://127.0.0.1:8000');
  return { address, authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

const SYSTEM = '/redfish/v1/Systems/1';
const DEADLINE_MILLISECONDS = 30_000;

export const readSystem = (task: Task): Promise<JsonObject> => converse(task, 'GET', SYSTEM);

export async function changeBoot(task: Task, boot: JsonObject): Promise<void> {
  await converse(task, 'PATCH', SYSTEM, { Boot: boot });
}

export async function resetSystem(task: Task, type: string): Promise<void> {
  await converse(task, 'POST', `${SYSTEM}/Actions/ComputerSystem.Reset`, { ResetType: type });
}

/** Throws BmcFailure. */
function converse(task: Task, method: string, path: string, body?: JsonObject): Promise<JsonObject> {
  const { address, authorization } = connectionOf(task);
  return task.bmc(address, { deadline: DEADLINE_MILLISECONDS }, async ({ signal }) => {
    try {
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await fetch(address + path, {
        method,
        headers,
        signal,
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`HTTP status ${answer.status} ${text.slice(0, 500)}`);
      const json: unknown = text === '' ? {} : JSON.parse(text);
      return isJsonObject(json) ? json : {};
    } catch (error) {
      signal.throwIfAborted();
      const operation = `${method} ${path}`;
      throw fault('BmcFailure', { operation, node: task.node.uuid, address, reason: reasonOf(error) });
    }
  });
}
