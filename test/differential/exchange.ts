// Sends one request to one server, and prepares a server for the next requests.
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './compare.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

export interface RequestOptions {
  /** Minor version, sent in the legacy header; null sends none. */
  readonly version?: number | null;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Sent {
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export type Document = Readonly<Record<string, unknown>>;

const LEGACY = 'x-openstack-ironic-api-version';
const STANDARD = 'openstack-api-version';

/** What was sent as the version, or `none`. */
export const versionOf = ({ headers }: Sent): string => headers[LEGACY] ?? headers[STANDARD] ?? 'none';

export function sentBy(method: Method, path: string, { version, body, headers }: RequestOptions): Sent {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  return {
    method,
    path,
    body: text,
    headers: {
      ...(typeof version === 'number' && { [LEGACY]: `1.${version}` }),
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
      }),
      ...headers,
    },
  };
}

// One connection for each request: Ironic closes those of refused requests without notice
const agent = new Agent({ keepAlive: false });

export function ask(base: string, { method, path, headers, body }: Sent): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ agent, hostname, port, method, path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      answer.on('end', () => {
        const headersSeen = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
        resolve({
          status: answer.statusCode ?? 0,
          headers: Object.fromEntries(headersSeen) as Record<string, string>,
          text: Buffer.concat(chunks).toString(),
          base,
        });
      });
    });
    sent.on('error', reject).end(body);
  });
}

export const json = ({ text }: Answer): Document => JSON.parse(text) as Document;

/** Repeats the requests until `is` holds for every answer with status 200; throws after 1,000 attempts. */
export async function asksUntil(
  answers: () => Promise<readonly Answer[]>,
  is: (document: Document) => boolean,
): Promise<void> {
  const ATTEMPTS = 1000;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if ((await answers()).every((answer) => answer.status !== 200 || is(json(answer)))) return;
    await sleep(25);
  }
  throw new Error('a server never ends its work');
}

/** Whether no work on the node is running. */
export const isIdle = (node: Document): boolean =>
  node['reservation'] === null &&
  node['target_power_state'] === null &&
  (node['target_provision_state'] === null || !String(node['provision_state']).endsWith('ing'));

/** Deletes the record that a request created; even a request with status 500 may have created one, at `path`. */
export async function undo(
  { base, status, headers: { location } }: Answer,
  { path, version }: { readonly path: string; readonly version: number },
): Promise<void> {
  if (status !== 201 && status !== 500) return;
  const place = location === undefined ? path : new URL(location).pathname;
  await remove(base, place, version);
}

const ATTEMPTS = 40;

/** Deletes a record; tries again up to 40 times, because the server refuses while work on the record is running. */
async function remove(base: string, place: string, version: number): Promise<void> {
  // in maintenance any node may be deleted
  if (place.startsWith('/v1/nodes/')) await ask(base, sentBy('PUT', `${place}/maintenance`, { version }));
  for (let left = ATTEMPTS; ; left -= 1) {
    const { status, text } = await ask(base, sentBy('DELETE', place, { version }));
    // Ironic cannot find records that it created with an impossible UUID
    if ([204, 400, 404].includes(status)) return;
    if (left === 0) throw new Error(`${base}${place} can not be deleted: ${status} ${text}`);
    await sleep(25);
  }
}

/** The kinds of records, in the order in which they can be deleted; records that belong to a node are deleted with the node. */
const CLEARED = [
  { path: 'allocations', key: 'allocations', since: 52 },
  { path: 'nodes?include_children=true', key: 'nodes', since: 83 },
  { path: 'nodes', key: 'nodes', since: 1 },
  { path: 'chassis', key: 'chassis', since: 1 },
  { path: 'deploy_templates', key: 'deploy_templates', since: 55 },
  { path: 'runbooks', key: 'runbooks', since: 92 },
  { path: 'inspection_rules', key: 'inspection_rules', since: 96 },
];

/** Deletes everything that the server has. */
export async function clear(base: string): Promise<void> {
  const highest = await ask(base, sentBy('GET', '/v1', {}));
  const version = Number(highest.headers['x-openstack-ironic-api-maximum-version']?.slice(2));
  for (const { path, key } of CLEARED.filter(({ since }) => since <= version)) {
    const list = json(await ask(base, sentBy('GET', `/v1/${path}`, { version })));
    const [resource = ''] = path.split('?');
    for (const { uuid } of list[key] as readonly { readonly uuid: string }[])
      await remove(base, `/v1/${resource}/${encodeURIComponent(uuid)}`, version);
    const left = json(await ask(base, sentBy('GET', `/v1/${path}`, { version })))[key] as readonly unknown[];
    if (key === 'nodes' && left.length > 0) throw new Error(`${base} keeps ${key}: ${JSON.stringify(left)}`);
  }
}
