// Connects to the API of an Ironic, at the newest version that both sides know, reads machines from it, and sets
// and ends the maintenance of nodes.
import type { CommandContext } from '../../command.ts';
import { readGivenFile } from '../../given-file.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import { MAXIMUM_MINOR, versionText } from '../../../model/microversions.ts';
import { maskSecrets } from '../../../model/secrets.ts';
import { type ApiClient, ApiRefusal, connectApi, pathOfNode } from '../../api-client.ts';
import { partKinds } from './carried-fields.ts';
import { type MovedMachine, nodeFrom } from './machine.ts';

const ADVICE = 'Set --url to the URL of the Ironic API.';

export interface Service {
  readonly api: ApiClient;
  /** The newest version that both sides know. */
  readonly minor: number;
  /** The service's name in messages: its URL without the user and password, or `ironic-edge`. */
  readonly name: string;
}

/** The environment variables for Ironic, for the usage texts of commands. */
export const IRONIC_ENVIRONMENT_HELP = `  IRONIC_USERNAME, IRONIC_PASSWORD  credentials for Ironic's http_basic
  IRONIC_TOKEN                      a Keystone token, instead of a user and password
  IRONIC_CACERT                     file of the CA certificate that verifies Ironic's certificate
`;

export async function connectIronic(
  url: string,
  environment: CommandContext['environment'],
): Promise<Service> {
  const address = url.replace(/\/(v1\/?)?$/, '');
  const name = maskSecrets(address);
  const { headers } = await clientOf(address, 1, environment).request('GET', '/v1');
  const newest = headers['x-openstack-ironic-api-maximum-version']?.[0] ?? '';
  const known = Number(newest.split('.')[1]);
  if (!Number.isInteger(known))
    throw new Error(`${name} does not report its newest API version: expected the URL of an Ironic API.`);
  const minor = Math.min(known, MAXIMUM_MINOR);
  return { api: clientOf(address, minor, environment), minor, name };
}

function clientOf(url: string, minor: number, environment: CommandContext['environment']): ApiClient {
  const { IRONIC_USERNAME: user, IRONIC_PASSWORD: password = '', IRONIC_TOKEN: token } = environment;
  const { IRONIC_CACERT: authority } = environment;
  return connectApi({
    settings: {
      url,
      ...(user !== undefined && { login: { user, password } }),
      ...(authority !== undefined && { tls: { ca: readGivenFile('IRONIC_CACERT', authority).toString() } }),
    },
    endpoint: maskSecrets(url),
    headers: {
      'x-openstack-ironic-api-version': versionText(minor),
      ...(token !== undefined && { 'x-auth-token': token }),
    },
    advice: { unreachable: ADVICE, foreign: ADVICE },
  });
}

/** Returns the object at the path; undefined when the API says that there is none. */
export async function find(api: ApiClient, path: string): Promise<JsonObject | undefined> {
  try {
    const { body } = await api.request('GET', path);
    if (isJsonObject(body)) return body;
  } catch (error) {
    if (error instanceof ApiRefusal && error.isAbsence) return undefined;
    throw error;
  }
  throw new Error(`GET ${path} was not answered with a JSON object. ${ADVICE}`);
}

export const requestMaintenance = ({ api }: Pick<Service, 'api'>, node: string, reason: string | null) =>
  api.request('PUT', `${pathOfNode(node)}/maintenance`, reason === null ? {} : { reason });

export const endMaintenance = ({ api }: Pick<Service, 'api'>, node: string) =>
  api.request('DELETE', `${pathOfNode(node)}/maintenance`);

/** Returns the machine as the service shows it, with masked secrets; undefined when there is no such node. */
export async function readMachine({ api, minor }: Service, uuid: string): Promise<MovedMachine | undefined> {
  const shown = await find(api, pathOfNode(uuid));
  if (shown === undefined) return undefined;
  const node = nodeFrom(shown);
  const parts = partKinds.map(async ({ part, path, key, since }) => {
    const records = since > minor ? [] : await api.list(`${path}?node=${uuid}&detail=True`, key);
    return [part, records] as const;
  });
  const { allocation_uuid: allocation, chassis_uuid: chassis } = node;
  return {
    node,
    ...(Object.fromEntries(await Promise.all(parts)) as Record<
      (typeof partKinds)[number]['part'],
      JsonObject[]
    >),
    allocation: allocation === null ? undefined : await find(api, `/v1/allocations/${allocation}`),
    chassis: chassis === null ? undefined : await find(api, `/v1/chassis/${chassis}`),
  };
}
