// The HTTP client of the commands that talk to a running daemon.
import { readFileSync } from 'node:fs';
import { systemClock } from '../lib/clock.ts';
import { HttpClient, type HttpClientSettings } from '../lib/http-client/http-client.ts';
import { failureReason } from '../lib/http-client/http-failure.ts';
import type { HttpReply } from '../lib/http-client/received.ts';
import { isJsonObject, type Json } from '../model/json.ts';
import { MAXIMUM_MINOR, versionText } from '../model/microversions.ts';

export interface ApiReply extends Omit<HttpReply, 'bytes'> {
  /** null when the reply has no body. */
  readonly body: Json;
}

export interface ApiClient {
  /** `path` includes the query. Throws a one-sentence error when the daemon is unreachable or refuses the request. */
  request(method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: Json): Promise<ApiReply>;
}

/** The environment variables, the same that Ironic's command-line client reads. */
export const ENVIRONMENT_HELP = `environment:
  OS_ENDPOINT               URL of the API (default http://127.0.0.1:6385), or unix:/PATH of [api] unix_socket
  OS_USERNAME, OS_PASSWORD  credentials, for [DEFAULT] auth_strategy = http_basic
  OS_CACERT                 file of the CA certificate that verifies the API's certificate
`;

const DEFAULT_URL = 'http://127.0.0.1:6385';

/** Longer than any request takes that the daemon answers. */
const TIMEOUT_SECONDS = 600;

export function createApiClient(environment: Readonly<Record<string, string | undefined>>): ApiClient {
  const { OS_ENDPOINT: endpoint = DEFAULT_URL } = environment;
  const { OS_USERNAME: user, OS_PASSWORD: password = '', OS_CACERT: authority } = environment;
  const { url, route } = serverAt(endpoint);
  const client = new HttpClient({
    url,
    ...(route && { route }),
    ...(user !== undefined && { login: { user, password } }),
    ...(authority !== undefined && { tls: { ca: readFileSync(authority, 'utf8') } }),
    clock: systemClock,
  });
  return {
    async request(method, path, body) {
      const { status, headers, bytes } = await client
        .send({
          method,
          url: url + path,
          headers: { 'openstack-api-version': `baremetal ${versionText(MAXIMUM_MINOR)}` },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          timeoutSeconds: TIMEOUT_SECONDS,
        })
        .catch((error: unknown) => {
          throw new Error(
            `Cannot reach the API at ${endpoint}: ${failureReason(error)}. Is the daemon running? Set OS_ENDPOINT to the URL where it listens.`,
          );
        });
      const reply = { status, headers, body: parsed(bytes.toString()) };
      if (status < 400) return reply;
      throw new Error(`${method} ${path} was refused with ${status}: ${refusalIn(reply)}`);
    },
  };
}

function serverAt(endpoint: string): Pick<HttpClientSettings, 'url' | 'route'> {
  if (endpoint.startsWith('unix:/'))
    return { url: 'http://localhost', route: { kind: 'socket', path: endpoint.slice('unix:'.length) } };
  if (/^https?:\/\//.test(endpoint) && URL.canParse(endpoint))
    return { url: endpoint.replace(/\/(v1\/?)?$/, '') };
  throw new Error(
    `OS_ENDPOINT = ${JSON.stringify(endpoint)}: expected a URL such as ${DEFAULT_URL}, or unix:/PATH of the API's socket`,
  );
}

// text that is not JSON came from a proxy or another server; it is shown as it is
function parsed(text: string): Json {
  if (text === '') return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

// {"error_message": "{\"faultstring\": ...}"}
function refusalIn({ body }: ApiReply): string {
  const message = isJsonObject(body) ? body['error_message'] : undefined;
  const inner = typeof message === 'string' ? parsed(message) : message;
  const told = isJsonObject(inner) ? inner['faultstring'] : undefined;
  return typeof told === 'string' ? told : JSON.stringify(body);
}
