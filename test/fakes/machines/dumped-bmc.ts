// A BMC that answers with the resources of a real one: a dump of them, which requests change in memory.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import consumers from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { isJsonObject, type Json, type JsonObject } from '../../../daemon/model/json.ts';

/** The resources of a BMC by path; no path ends in a slash. */
export type Dump = ReadonlyMap<string, JsonObject>;

export interface DumpedBmc {
  /** Scheme, host and port; accepts any user name and password. */
  readonly address: string;
  /** The status with which the BMC refuses requests for a path. */
  readonly refused: Map<string, number>;
  /**
   * The paths of resources that the BMC has only in gzip. `asked`: it refuses to send them unless the request says that it takes gzip.
   */
  readonly compressed: Map<string, 'always' | 'asked'>;
  /** The paths of the resources that were read, those that are not there included. */
  readonly read: ReadonlySet<string>;
  stop(): Promise<void>;
}

/** `file`: gzip of a JSON object with the resources by path. */
export const readDump = (file: string): Dump =>
  new Map(
    Object.entries(JSON.parse(gunzipSync(readFileSync(file)).toString()) as Record<string, JsonObject>),
  );

export async function startDumpedBmc(dump: Dump): Promise<DumpedBmc> {
  const resources = new Map(structuredClone([...dump]));
  const [refused, compressed] = [new Map<string, number>(), new Map<string, 'always' | 'asked'>()];
  const read = new Set<string>();
  const server = http.createServer((request, response) => void answer(request, response));
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const asked = askedIn(request, await consumers.text(request));
    const { path, method } = asked;
    if (method === 'GET') read.add(path);
    const takesGzip = request.headers['accept-encoding']?.includes('gzip') === true;
    const status = compressed.get(path) === 'asked' && !takesGzip ? 406 : refused.get(path);
    const reply = status === undefined ? answered(resources, asked) : refusal(status, `${path} is refused`);
    const body = reply.body === undefined ? '' : JSON.stringify(reply.body);
    const isGzip = reply.status === 200 && compressed.has(path);
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      ...(isGzip && { 'content-encoding': 'gzip' }),
      ...reply.headers,
    });
    response.end(isGzip ? gzipSync(body) : body);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    refused,
    compressed,
    read,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly expands: boolean;
  readonly body: JsonObject;
}

function askedIn({ url = '/', method = 'GET' }: http.IncomingMessage, text: string): Asked {
  const { pathname, search } = new URL(url, 'http://bmc.test');
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  return { method, path, expands: search.includes('$expand'), body: bodyIn(text) };
}

interface Answered {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

type Resources = Map<string, JsonObject>;

function answered(resources: Resources, { method, path, expands, body }: Asked): Answered {
  const resource = resources.get(path);
  if (method === 'POST') return posted(resources, path, body);
  if (method === 'DELETE') return { status: 204 };
  if (resource === undefined) return refusal(404, `${path} is not there`);
  if (method === 'PATCH') resources.set(path, merged(resource, body));
  return { status: 200, body: expands ? expanded(resources, resource) : (resources.get(path) ?? {}) };
}

const refusal = (status: number, message: string): Answered => ({
  status,
  body: { error: { code: 'Base.1.0.GeneralError', message } },
});

function posted(resources: Resources, path: string, body: JsonObject): Answered {
  if (path.endsWith('/SessionService/Sessions'))
    return { status: 201, headers: { 'x-auth-token': 'token', location: `${path}/1` } };
  const [owner = '', action = ''] = path.split('/Actions/');
  const change = changeBy(action, body);
  const resource = resources.get(owner);
  if (resource === undefined || change === undefined) return refusal(404, `${path} is not there`);
  resources.set(owner, { ...resource, ...change });
  return { status: 204 };
}

function changeBy(action: string, { ResetType: type, Image: image }: JsonObject): JsonObject | undefined {
  if (action === 'ComputerSystem.Reset')
    return { PowerState: type === 'ForceOff' || type === 'GracefulShutdown' ? 'Off' : 'On' };
  if (action === 'VirtualMedia.InsertMedia')
    return { Image: image ?? null, Inserted: true, ConnectedVia: 'URI' };
  return action === 'VirtualMedia.EjectMedia'
    ? { Image: null, Inserted: false, ConnectedVia: 'NotConnected' }
    : undefined;
}

const merged = (resource: JsonObject, change: JsonObject): JsonObject => ({
  ...resource,
  ...Object.fromEntries(
    Object.entries(change).map(([name, value]) => {
      const known = resource[name];
      return [name, isJsonObject(known) && isJsonObject(value) ? merged(known, value) : value];
    }),
  ),
});

/** The resource with the resources that it links in place of the links, except those in `Links`. */
const expanded = (resources: Resources, resource: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(resource).map(([name, value]) => [
      name,
      Array.isArray(value) && name !== 'Links'
        ? (value as readonly Json[]).map((each) => linked(resources, each) ?? each)
        : value,
    ]),
  );

function linked(resources: Resources, link: Json): JsonObject | undefined {
  const { '@odata.id': path, ...rest } = isJsonObject(link) ? link : {};
  return typeof path === 'string' && Object.keys(rest).length === 0 ? resources.get(path) : undefined;
}

function bodyIn(text: string): JsonObject {
  const value: unknown = text === '' ? {} : JSON.parse(text);
  return isJsonObject(value) ? value : {};
}
