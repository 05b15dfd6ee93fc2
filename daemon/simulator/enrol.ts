// Enrols simulated machines in a daemon through its API.
import { systemClock } from '../lib/clock.ts';
import { HttpClient, type HttpClientSettings } from '../lib/http-client/http-client.ts';
import { failureReason } from '../lib/http-client/http-failure.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';

export interface DaemonApi {
  readonly url: string;
  /** The user and password for the API, and the authority that verifies its certificate. */
  readonly access?: Pick<HttpClientSettings, 'login' | 'tls'>;
}

/** The fields of a node. */
export interface EnrolledNode {
  readonly name: string;
  readonly driver: string;
  readonly driver_info: JsonObject;
  readonly properties?: JsonObject;
}

/**
 * Creates the node and returns its UUID. `address`: the MAC address of a port to create for the node; undefined for no port. If a
 * node of this name exists, only its `driver_info` is replaced. Throws an Error if the daemon cannot be reached or refuses.
 */
export async function enrolNode(
  api: DaemonApi,
  node: EnrolledNode,
  address: string | undefined,
): Promise<string> {
  const known = await ask(api, 'GET', `/v1/nodes/${node.name}`);
  if (known.status === 200) {
    const change = [{ op: 'add', path: '/driver_info', value: node.driver_info }];
    return uuidIn(await ask(api, 'PATCH', `/v1/nodes/${node.name}`, change));
  }
  const node_uuid = uuidIn(await ask(api, 'POST', '/v1/nodes', { ...node, resource_class: 'rack' }));
  if (address !== undefined) uuidIn(await ask(api, 'POST', '/v1/ports', { node_uuid, address }));
  return node_uuid;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const TIMEOUT_SECONDS = 600;

async function ask(
  { url, access }: DaemonApi,
  method: string,
  path: string,
  body?: JsonObject | readonly JsonObject[],
): Promise<Answer> {
  const headers = { 'x-openstack-ironic-api-version': '1.95' };
  const answer = await new HttpClient({ ...access, url, clock: systemClock })
    .send({
      method,
      url: url + path,
      headers,
      ...(body && { body: JSON.stringify(body) }),
      timeoutSeconds: TIMEOUT_SECONDS,
    })
    .catch((error: unknown) => {
      throw new Error(
        `no daemon can be reached at ${url}: ${failureReason(error)}. Start one there, or set OS_ENDPOINT to the URL where it listens`,
        { cause: error },
      );
    });
  return { status: answer.status, text: answer.bytes.toString() };
}

function uuidIn({ status, text }: Answer): string {
  const body: unknown = status < 300 ? JSON.parse(text) : undefined;
  if (isJsonObject(body) && typeof body['uuid'] === 'string') return body['uuid'];
  throw new Error(`the daemon refuses (${status}): ${text}`);
}
