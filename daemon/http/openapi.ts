// Generates the OpenAPI 3.1 description of the API from its routes and their schemas.
import type { Schema } from '../lib/json/typed-schema.ts';
import { faultTable } from '../model/faults.ts';
import { MAXIMUM_MINOR, versionText } from '../model/microversions.ts';
import { isList } from './parameter-kinds.ts';
import { type Parameter, parameterSchema, parametersSchema } from './parameters.ts';
import type { Route } from './route.ts';
import { objectSchema, textSchema, versioned } from './schema-parts.ts';

type Entries = Record<string, unknown>;

/** Returns the document. Routes that always refuse are left out. */
export function openApiDocument(routes: readonly Route[]): object {
  const operations = routes.filter(({ answers }) => Object.keys(answers).length > 0);
  const schemas: Record<string, Schema> = { Error: errorSchema };
  const paths = [...Map.groupBy(operations, ({ path }) => documentPath(path))].map(([path, group]) => [
    path,
    {
      parameters: [...pathParameters(path), ...versionParameters],
      ...Object.fromEntries(group.map((route) => [route.method.toLowerCase(), operationOf(route, schemas)])),
    },
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bare Metal API of ironic-edge',
      version: versionText(MAXIMUM_MINOR),
      description: INTRODUCTION,
    },
    security: [{}, { basic: [] }, { bearer: [] }, { token: [] }],
    paths: Object.fromEntries(paths),
    components: {
      schemas,
      parameters: versionHeaders,
      responses: refusals,
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        bearer: { type: 'http', scheme: 'bearer' },
        token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
      },
    },
  };
}

const INTRODUCTION = `Every request has an API version: 1.1, unless a header names another. An operation, parameter or property
that came later names its first version as min-ver in x-openstack. Booleans may also be sent as strings: true, yes, on, 1
and their opposites. The prefix /v1 may be left out.`;

/** Returns the path that clients use for a route: the path of the route, except for this document, which is at /openapi.json. */
export const clientPath = (path: string): string => (path === DOCUMENT_ROUTE ? DOCUMENT_PATH : path);

/** `:name` in the routes is `{name}` in the document. */
const documentPath = (path: string): string => clientPath(path).replace(/:(\w+)/g, '{$1}');
const DOCUMENT_PATH = '/openapi.json';
export const DOCUMENT_ROUTE = `/v1${DOCUMENT_PATH}`;

const pathParameters = (path: string): readonly object[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }));

const versionPattern = String.raw`(1\.([1-9]|[1-9][0-9]|10[0-9]|11[0-5])|latest)`;
const versionHeader = (name: string, prefix: string) => ({
  name,
  in: 'header',
  description: 'The API version of the request.',
  schema: { type: 'string', pattern: `^${prefix}${versionPattern}$` },
});
const versionHeaders = {
  version: versionHeader('X-OpenStack-Ironic-API-Version', ''),
  standardVersion: versionHeader('OpenStack-API-Version', 'baremetal '),
};
const versionParameters = Object.keys(versionHeaders).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

function operationOf(route: Route, schemas: Record<string, Schema>): object {
  const body = bodySchema(route);
  return versioned(route.since, {
    operationId: operationId(route),
    parameters: Object.entries(route.query ?? {}).map(queryParameter),
    ...(body !== undefined && {
      requestBody: { content: { [bodyType(route)]: { schema: named(body, schemas) } } },
    }),
    responses: { ...successes(route, schemas), ...refusalsOf(route, body !== undefined) },
  });
}

/** Returns the ID in the form of OpenStack's documents: `nodes/{node}/states/power:put`. */
const operationId = ({ method, path }: Route): string =>
  `${documentPath(path).replace(/^\/v1\/|^\//, '')}:${method.toLowerCase()}`;

const JSON_TYPE: string = 'application/json';
const json = (schema: Schema) => ({ [JSON_TYPE]: { schema } });

const bodyType = ({ body }: Route): string =>
  typeof body === 'object' && 'streamed' in body ? 'application/octet-stream' : JSON_TYPE;

function bodySchema({ body, method }: Route): Schema | undefined {
  if (body === undefined || body === 'ignored') return undefined;
  if (body === 'passthru') return method === 'GET' || method === 'DELETE' ? undefined : { type: 'object' };
  if ('parameters' in body) return parametersSchema(body.parameters);
  if ('streamed' in body) return body.streamed;
  return 'json' in body ? body.json : body.bytes;
}

function queryParameter([name, parameter]: readonly [string, Parameter]): object {
  return versioned(parameter.since ?? 1, {
    name,
    in: 'query',
    ...(isList(parameter.kind) && { style: 'form', explode: false }),
    schema: parameterSchema(parameter),
  });
}

function successes({ answers, media }: Route, schemas: Record<string, Schema>): Entries {
  const entries = Object.entries(answers).map(([status, schema]) => [
    status,
    {
      description: SUCCESS[status] ?? '',
      ...(status === '201' && { headers: { Location: { schema: { type: 'string', format: 'uri' } } } }),
      ...(schema !== null && { content: { [media ?? JSON_TYPE]: { schema: named(schema, schemas) } } }),
    },
  ]);
  return Object.fromEntries(entries) as Entries;
}

const SUCCESS: Readonly<Record<string, string>> = {
  101: 'The connection becomes a WebSocket.',
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; the work continues in the background.',
  204: 'Done; the answer has no body.',
};

const errorSchema: Schema = {
  description: 'Most errors are JSON encoded as a string in error_message.',
  anyOf: [
    objectSchema({ error_message: { type: 'string', contentMediaType: 'application/json' } }, [
      'error_message',
    ]),
    objectSchema({ faultcode: textSchema, faultstring: textSchema }, ['faultcode', 'faultstring']),
    objectSchema({ error: objectSchema({ message: textSchema, code: { type: 'integer' } }, ['message']) }, [
      'error',
    ]),
  ],
};

const faultsByStatus = Map.groupBy(faultTable, ({ status }) => status);

const refusals = Object.fromEntries(
  [...faultsByStatus].map(([status, faults]) => [
    `Refused${status}`,
    {
      description: faults.map(({ sentence }) => sentence).join('\n\n'),
      content: json({ $ref: '#/components/schemas/Error' }),
    },
  ]),
);

function refusalsOf({ below, media }: Route, hasBody: boolean): Entries {
  const statuses = [...faultsByStatus.keys()].filter(
    (status) =>
      (status !== 405 || below === 405) &&
      (status !== 413 || hasBody) &&
      (status !== 426 || media === 'websocket'),
  );
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/Refused${status}` }]),
  );
}

/** Returns the schema with every titled part moved to `schemas` and replaced by a reference. */
function named(schema: Schema, schemas: Record<string, Schema>): Schema {
  const { title, ...parts } = schema;
  const resolved = Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, within(part, schemas)]),
  );
  if (typeof title !== 'string') return resolved;
  schemas[title] = resolved;
  return { $ref: `#/components/schemas/${title}` };
}

function within(part: unknown, schemas: Record<string, Schema>): unknown {
  if (Array.isArray(part)) return part.map((each) => within(each, schemas));
  return typeof part === 'object' && part !== null ? named(part as Schema, schemas) : part;
}
