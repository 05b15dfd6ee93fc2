// /v1/nodes/{node}/vendor_passthru and /v1/drivers/{driver}/vendor_passthru: list the vendor methods of plugins, and pass
// requests to them.
import { nodeOf } from '../../conductor/records/find-record.ts';
import {
  callDriverMethod,
  callNodeMethod,
  driverVendorMethods,
  nodeVendorMethods,
  type VendorCall,
  type VendorOutcome,
} from '../../conductor/hardware/vendor-passthru.ts';
import { fault } from '../../model/faults.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { type ApiRequest, type Method, type Reply, type Route, route } from '../../http/route.ts';
import { flagSchema, listSchema, mapSchema, textSchema, wholeSchema } from '../../http/schema-parts.ts';

const OF_NODE = '/v1/nodes/:node/vendor_passthru';
const OF_DRIVER = '/v1/drivers/:driver/vendor_passthru';
const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[];

type Call = (request: ApiRequest, call: VendorCall) => Promise<VendorOutcome>;

const methodSchema = wholeSchema({
  http_methods: listSchema({ enum: VERBS }),
  async: flagSchema,
  description: textSchema,
  attach: flagSchema,
  require_exclusive_lock: flagSchema,
});

export const vendorPassthruRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${OF_NODE}/methods`,
    since: 1,
    answers: { 200: mapSchema(methodSchema) },
    handler: (request) => ({
      status: 200,
      body: nodeVendorMethods(request, nodeOf(request).uuid),
    }),
  }),
  route({
    method: 'GET',
    path: `${OF_DRIVER}/methods`,
    since: 1,
    answers: { 200: mapSchema(methodSchema) },
    handler: ({ services, parameters }) => ({
      status: 200,
      body: driverVendorMethods(services, parameters['driver'] ?? ''),
    }),
  }),
  ...everyVerb(OF_NODE, (request, call) => callNodeMethod(request, nodeOf(request).uuid, call)),
  ...everyVerb(OF_DRIVER, (request, call) =>
    callDriverMethod(request, request.parameters['driver'] ?? '', call),
  ),
];

/** The vendor method is named in the path or by `?method=`. */
function everyVerb(path: string, call: Call): readonly Route[] {
  return VERBS.flatMap((verb) =>
    [path, `${path}/:method`].map((each) =>
      route({
        method: verb,
        path: each,
        since: 1,
        body: 'passthru',
        // a vendor method may return any JSON
        answers: { 200: {}, 202: null },
        handler: async (request) => replyTo(await call(request, requested(request, verb))),
      }),
    ),
  );
}

function requested({ parameters, query, body = {} }: ApiRequest, verb: (typeof VERBS)[number]): VendorCall {
  if (!isJsonObject(body))
    throw fault('InvalidSchema', { resource: 'vendor_passthru', reason: 'the body is not of type object' });
  const { method: named, ...others } = query as JsonObject;
  const method = parameters['method'] ?? named;
  if (typeof method !== 'string') throw fault('MissingParameter', { name: 'method' });
  return { method, verb, given: { ...others, ...body } };
}

const replyTo = (outcome: VendorOutcome): Reply =>
  outcome.kind === 'value' ? { status: 200, body: outcome.value } : { status: 202 };
