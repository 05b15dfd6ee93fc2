// The same requests to two servers, and what differs in their answers.
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Difference, differencesOf, type Extent } from './compare.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

export interface Options {
  /** Minor version, sent in the legacy header; the conversation's own unless given, null sends none. */
  readonly version?: number | null;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly extent?: Extent;
}

export interface Found extends Difference {
  readonly method: Method;
  readonly path: string;
  readonly body: string;
  /** `1.31`, or what was sent in its place. */
  readonly version: string;
}

export interface Conversation {
  /** Minor of the older server's newest version. */
  readonly maximum: number;
  /** Those of `minors` that both servers have. */
  readonly versions: (...minors: readonly number[]) => readonly number[];
  /** The same conversation at another version. */
  readonly at: (minor: number) => Conversation;
  readonly send: (method: Method, path: string, options?: Options) => Promise<readonly Answer[]>;
  /** The same without a comparison: what prepares or removes something. */
  readonly quietly: (method: Method, path: string, body?: unknown) => Promise<void>;
  /** Deletes what was created: at `path` where the answer does not say so. */
  readonly undo: (answers: readonly Answer[], path: string) => Promise<void>;
  /** Each of the requests in turn, such as `GET /v1/nodes`. */
  readonly sendAll: (...requests: readonly `${Method} ${string}`[]) => Promise<void>;
  /** Waits until neither side works on the node any more. */
  readonly settled: (node: string) => Promise<void>;
  /** Deletes everything on both sides. */
  readonly clear: () => Promise<void>;
}

export interface Transcript {
  readonly requests: () => number;
  readonly found: readonly Found[];
  readonly conversation: Conversation;
}

interface Sent {
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

// A connection each: Ironic closes those of refused requests unannounced
const agent = new Agent({ keepAlive: false });

function ask(base: string, { method, path, headers, body }: Sent): Promise<Answer> {
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

/** `theirs` and `ours`: where the servers are. */
export function converse(theirs: string, ours: string, maximum: number): Transcript {
  const found: Found[] = [];
  const count = { requests: 0 };
  const both = (sent: Sent) => Promise.all([ask(theirs, sent), ask(ours, sent)]);
  const at = (minor: number): Conversation => {
    const send = async (method: Method, path: string, options: Options = {}) => {
      const sent = sentBy(method, path, { version: minor, ...options });
      count.requests += 1;
      const [left, right] = await both(sent);
      const version = sent.headers[LEGACY] ?? sent.headers[STANDARD] ?? 'none';
      for (const difference of differencesOf(left, right, options.extent))
        found.push({ ...difference, method, path, body: sent.body ?? '', version });
      return [left, right];
    };
    return {
      maximum,
      versions: (...minors) => minors.filter((one) => one <= maximum),
      at,
      send,
      undo: async (answers, path) =>
        void (await Promise.all(answers.map((answer) => undo(answer, { path, version: maximum })))),
      async sendAll(...requests) {
        for (const request of requests) {
          const [method, ...path] = request.split(' ');
          await send(method as Method, path.join(' '));
        }
      },
      quietly: async (method, path, body) => void (await both(sentBy(method, path, { version: maximum, body }))),
      settled: (node) => bothSettled([theirs, ours], node),
      clear: async () => void (await Promise.all([clear(theirs), clear(ours)])),
    };
  };
  return { requests: () => count.requests, found, conversation: at(maximum) };
}

const LEGACY = 'x-openstack-ironic-api-version';
const STANDARD = 'openstack-api-version';

function sentBy(method: Method, path: string, { version, body, headers }: Options): Sent {
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

// Ironic creates some records that it can not show
async function undo(
  { base, status, headers: { location } }: Answer,
  { path, version }: { readonly path: string; readonly version: number },
): Promise<void> {
  if (status !== 201 && status !== 500) return;
  const place = location === undefined ? path : new URL(location).pathname;
  // in maintenance any node may be deleted
  if (place.startsWith('/v1/nodes/')) await ask(base, sentBy('PUT', `${place}/maintenance`, { version }));
  const ATTEMPTS = 40;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const gone = await ask(base, sentBy('DELETE', place, { version }));
    if (gone.status === 204 || gone.status === 404) return;
    await sleep(25);
  }
  throw new Error(`${base}${place} can not be deleted`);
}

interface Working {
  readonly reservation: string | null;
  readonly provision_state: string;
  readonly target_provision_state: string | null;
  readonly target_power_state: string | null;
}

const isWorking = (node: Working) =>
  node.reservation !== null ||
  node.target_power_state !== null ||
  (node.target_provision_state !== null && /ing$/.test(node.provision_state));

const json = <T>({ text }: Answer) => JSON.parse(text) as T;

async function bothSettled(bases: readonly string[], node: string): Promise<void> {
  const ATTEMPTS = 400;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const answers = await Promise.all(bases.map((base) => ask(base, sentBy('GET', `/v1/nodes/${node}`, { version: 31 }))));
    if (answers.every((answer) => answer.status !== 200 || !isWorking(json(answer)))) return;
    await sleep(25);
  }
  throw new Error(`a server never ends its work on node ${node}`);
}

/** In the order in which they can be deleted. */
const CLEARED = [
  { path: 'allocations', key: 'allocations', since: 52 },
  { path: 'nodes?include_children=true', key: 'nodes', since: 83 },
  { path: 'nodes', key: 'nodes', since: 1 },
  { path: 'chassis', key: 'chassis', since: 1 },
  { path: 'deploy_templates', key: 'deploy_templates', since: 55 },
  { path: 'runbooks', key: 'runbooks', since: 92 },
  { path: 'inspection_rules', key: 'inspection_rules', since: 96 },
];

async function clear(base: string): Promise<void> {
  const highest = await ask(base, sentBy('GET', '/v1', {}));
  const newest = Number(highest.headers['x-openstack-ironic-api-maximum-version']?.slice(2));
  for (const { path, key } of CLEARED.filter(({ since }) => since <= newest)) {
    const latest = { version: newest };
    const list = json<Record<string, readonly { readonly uuid: string }[]>>(
      await ask(base, sentBy('GET', `/v1/${path}`, latest)),
    );
    const [resource = ''] = path.split('?');
    for (const { uuid } of list[key] ?? []) {
      // in maintenance anything may be deleted
      if (key === 'nodes') await ask(base, sentBy('PUT', `/v1/nodes/${uuid}/maintenance`, { ...latest, body: {} }));
      await ask(base, sentBy('DELETE', `/v1/${resource}/${encodeURIComponent(uuid)}`, latest));
    }
  }
}

/** A UUID that both sides are given. */
export const uuid = (number: number): string =>
  `00000000-0000-4000-8000-${number.toString().padStart(12, '0')}`;
