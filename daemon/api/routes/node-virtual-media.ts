// /v1/nodes/{node}/vmedia.
import { nodeOf } from '../../conductor/records/find-record.ts';
import {
  attachVirtualMedia,
  detachVirtualMedia,
  listVirtualMedia,
  type VirtualMedium,
} from '../../conductor/hardware/virtual-media.ts';
import { field, type FieldTable, schema } from '../../model/records/fields.ts';
import { virtualMediaDevices } from '../../model/machine/virtual-media.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import {
  createSchema,
  flagSchema,
  listSchema,
  orNull,
  textSchema,
  wholeSchema,
} from '../../http/schema-parts.ts';
import { validatorFor } from '../../model/records/field-validator.ts';

const MEDIA = '/v1/nodes/:node/vmedia';
const ATTACH_SINCE = 89;

const detachParameters = {
  device_types: { kind: 'list', values: virtualMediaDevices },
} as const satisfies Parameters;

const text = (rest: object) => field(schema.text(rest), { since: ATTACH_SINCE, create: true, initial: '' });
const medium: FieldTable = {
  device_type: text({ enum: virtualMediaDevices }),
  image_url: text({ pattern: '^(https?|nfs|cifs)://.' }),
  image_download_source: text({ enum: ['http', 'local', 'swift'] }),
};
const REQUIRED = ['device_type', 'image_url'];
const validate = validatorFor(medium, 'create', REQUIRED);

const driveSchema = wholeSchema({
  media_types: listSchema(textSchema),
  inserted: flagSchema,
  image: orNull(textSchema),
});

export const nodeVirtualMediaRoutes: readonly Route[] = [
  route({ method: 'GET', path: MEDIA, since: 93, answers: { 200: listSchema(driveSchema) }, handler: list }),
  route({
    method: 'POST',
    path: MEDIA,
    since: ATTACH_SINCE,
    body: { json: createSchema(medium, REQUIRED) },
    answers: { 204: null },
    handler: attach,
  }),
  route({
    method: 'DELETE',
    path: MEDIA,
    since: ATTACH_SINCE,
    query: detachParameters,
    answers: { 204: null },
    handler: detach,
  }),
];

async function list(request: ApiRequest): Promise<Reply> {
  return {
    status: 200,
    body: await listVirtualMedia(request, nodeOf(request).uuid),
  };
}

async function attach(request: ApiRequest): Promise<Reply> {
  const given = validate('vmedia', request.body);
  await attachVirtualMedia(request, nodeOf(request).uuid, {
    device: given['device_type'],
    imageUrl: given['image_url'],
    source: given['image_download_source'] ?? 'local',
  } as VirtualMedium);
  return { status: 204 };
}

async function detach(request: ApiRequest<typeof detachParameters>): Promise<Reply> {
  const { query } = request;
  const devices = query.device_types ?? virtualMediaDevices;
  await detachVirtualMedia(request, nodeOf(request).uuid, devices);
  return { status: 204 };
}
