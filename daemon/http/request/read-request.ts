// Reads the query and the body of a request as its route declares them.
import type { Services } from '../../conductor/services.ts';
import { jsonExcess, VALUES_LIMIT } from '../../lib/json/json-text.ts';
import { fault } from '../../model/faults.ts';
import { type BodyLimit, onceEach, namedValues, parseJson, withParametersOfBody } from './body.ts';
import { type Parameters, parseQuery, takeParameters } from '../parameters.ts';
import type { RequestMemory } from './request-memory.ts';
import type { ApiRequest, Route } from '../route.ts';

interface Received {
  readonly request: Request;
  readonly memory: RequestMemory;
  readonly minor: number;
}
type Read = Pick<ApiRequest, 'body' | 'given' | 'query'>;

const NOTHING: Read = { query: {}, given: {}, body: undefined };

export async function readRequest(services: Services, route: Route, received: Received): Promise<Read> {
  const { body } = route;
  if (body === 'ignored') return NOTHING;
  const query = queryOf(received.request.url);
  if (typeof body === 'object' && 'bytes' in body) {
    const parsed = parseQuery<Parameters>(query, route.query ?? {}, received.minor);
    body.admits({ services, minor: received.minor, query: parsed });
    return { ...NOTHING, query: parsed, body: await bytesOf(services, route, received) };
  }
  if (typeof body === 'object' && 'streamed' in body) {
    const { request, memory, minor } = received;
    const parsed = parseQuery<Parameters>(query, route.query ?? {}, minor);
    return { ...NOTHING, query: parsed, body: memory.streamBody(request, limitOf(services, route)) };
  }
  const bytes = await bytesOf(services, route, received);
  refuseExcess(bytes, services.config.api.max_json_body_depth);
  if (body === 'passthru') return { ...NOTHING, query: onceEach(query), body: parseJson(bytes) };
  return readDocument(route, { ...received, query, bytes });
}

function readDocument(
  { method, query: declared = {}, body }: Route,
  {
    request,
    minor,
    query,
    bytes,
  }: Received & { readonly query: URLSearchParams; readonly bytes: Uint8Array },
): Read {
  if (typeof body === 'object' && 'parameters' in body) {
    const sent = namedValues(bytes, request.headers.get('content-type') ?? '', query);
    return { ...NOTHING, given: takeParameters(sent, body.parameters, minor) };
  }
  const parameters = method === 'DELETE' ? withParametersOfBody(query, bytes) : query;
  return {
    ...NOTHING,
    query: parseQuery<Parameters>(parameters, declared, minor),
    ...(body !== undefined && { body: parseJson(bytes) }),
  };
}

function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
}

const NO_BYTES = new Uint8Array();

// the size of a body is limited even on routes that take none
async function bytesOf(services: Services, route: Route, { request, memory }: Received): Promise<Uint8Array> {
  const withoutBody = request.method === 'GET' || request.method === 'HEAD';
  if (withoutBody && route.body !== 'passthru') return NO_BYTES;
  return memory.readBody(request, limitOf(services, route));
}

const limitOf = (services: Services, { limit }: Route): BodyLimit =>
  limit?.(services) ?? {
    kibibytes: services.config.api.max_json_body_size,
    option: '[api] max_json_body_size',
  };

function refuseExcess(bytes: Uint8Array, depthLimit: number): void {
  if (bytes.byteLength === 0) return;
  const excess = jsonExcess(bytes, depthLimit);
  if (excess === 'depth') throw fault('BodyTooDeep', { limit: depthLimit });
  if (excess === 'values') throw fault('BodyTooManyValues', { limit: VALUES_LIMIT });
}
