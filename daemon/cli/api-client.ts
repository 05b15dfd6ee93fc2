// The HTTP client of the commands that talk to a running daemon.
import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isJsonObject, type Json } from '../model/json.ts';
import { reasonOf } from '../model/faults.ts';
import { MAXIMUM_MINOR, versionText } from '../model/microversions.ts';

export interface ApiReply {
  readonly status: number;
  /** Keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** null when the reply has no body. */
  readonly body: Json;
}

export interface ApiClient {
  /** `path` includes the query. Throws a one-sentence error when the daemon is unreachable or refuses the request. */
  request(method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: Json): Promise<ApiReply>;
}

/** The environment variables, the same that Ironic's command-line client reads. */
export const ENVIRONMENT_HELP = `environment:
  OS_ENDPOINT               URL of the API (default http://127.0.0.1:6385)
  OS_USERNAME, OS_PASSWORD  credentials, for [DEFAULT] auth_strategy = http_basic
  OS_CACERT                 file of the CA certificate that verifies the API's certificate
`;

const DEFAULT_URL = 'http://127.0.0.1:6385';

export function createApiClient(environment: Readonly<Record<string, string | undefined>>): ApiClient {
  const base = baseUrl(environment['OS_ENDPOINT'] ?? DEFAULT_URL);
  const { OS_USERNAME: user, OS_PASSWORD: password = '', OS_CACERT: authority } = environment;
  const options = {
    ...(user !== undefined && { auth: `${user}:${password}` }),
    ...(authority !== undefined && { ca: readFileSync(authority) }),
  };
  return {
    async request(method, path, body) {
      const reply = await exchange(new URL(base + path), { method, ...options }, body).catch(
        (error: unknown) => {
          throw new Error(
            `Cannot reach the API at ${base}: ${reasonOf(error)}. Is the daemon running? Set OS_ENDPOINT to the URL where it listens.`,
          );
        },
      );
      if (reply.status < 400) return reply;
      throw new Error(`${method} ${path} was refused with ${reply.status}: ${refusalIn(reply)}`);
    },
  };
}

function baseUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text.replace(/\/(v1\/?)?$/, '');
  throw new Error(`OS_ENDPOINT = ${JSON.stringify(text)}: expected a URL such as ${DEFAULT_URL}`);
}

function exchange(url: URL, options: object, body: Json | undefined): Promise<ApiReply> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    accept: 'application/json',
    'openstack-api-version': `baremetal ${versionText(MAXIMUM_MINOR)}`,
    ...(text !== undefined && { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: parsed(Buffer.concat(chunks).toString()),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(text);
  });
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
