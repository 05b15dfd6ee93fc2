// /v1/nodes/{node}/vifs.
import { isLogicalName, nodeOf } from '../../conductor/records/find-record.ts';
import { attachVif, detachVif, listVifs } from '../../conductor/hardware/vifs.ts';
import { fault } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { listSchema, textSchema, wholeSchema } from '../../http/schema-parts.ts';

const VIFS = '/v1/nodes/:node/vifs';
const ONE_PORT_SINCE = 67;

export const nodeVifRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: VIFS,
    since: 28,
    answers: { 200: wholeSchema({ vifs: listSchema(wholeSchema({ id: textSchema })) }) },
    handler: list,
  }),
  route({
    method: 'POST',
    path: VIFS,
    since: 28,
    body: { json: { type: 'object', properties: { id: textSchema }, required: ['id'] } },
    answers: { 204: null },
    handler: attach,
  }),
  route({ method: 'DELETE', path: `${VIFS}/:vif`, since: 28, answers: { 204: null }, handler: detach }),
];

async function list(request: ApiRequest): Promise<Reply> {
  const vifs = await listVifs(request, nodeOf(request).uuid);
  return { status: 200, body: { vifs: vifs.map(({ id }) => ({ id })) } };
}

async function attach(request: ApiRequest): Promise<Reply> {
  const { body = {}, minor } = request;
  if (!isJsonObject(body))
    throw fault('InvalidSchema', { resource: 'VIF', reason: 'it is not of type object' });
  if (body['id'] === undefined) throw fault('MissingParameter', { name: 'id' });
  if (minor >= ONE_PORT_SINCE && 'port_uuid' in body && 'portgroup_uuid' in body) {
    throw fault('Invalid', { reason: 'Give either port_uuid or portgroup_uuid of the VIF, not both.' });
  }
  await attachVif(request, nodeOf(request).uuid, { ...body, id: checkedId(body['id']) });
  return { status: 204 };
}

async function detach(request: ApiRequest): Promise<Reply> {
  const id = checkedId(request.parameters['vif']);
  await detachVif(request, nodeOf(request).uuid, id);
  return { status: 204 };
}

/** Returns the ID if it is a logical name; every UUID is one. Throws InvalidUuidOrName. */
function checkedId(id: unknown): string {
  if (typeof id === 'string' && isLogicalName(id)) return id;
  throw fault('InvalidUuidOrName', { value: JSON.stringify(id) });
}
