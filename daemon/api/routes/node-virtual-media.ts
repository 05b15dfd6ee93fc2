// /v1/nodes/{node}/vmedia.
import {
  attachVirtualMedia,
  detachVirtualMedia,
  listVirtualMedia,
  type VirtualMedium,
} from '../../conductor/virtual-media.ts';
import { fault } from '../../model/faults.ts';
import { field, type FieldTable, schema } from '../../model/fields.ts';
import { isVirtualMediaDevice, virtualMediaDevices } from '../../model/virtual-media.ts';
import { nodeOf } from '../node-request.ts';
import { type ApiRequest, type Parameters, type Reply, type Route, route } from '../route.ts';
import { validatorFor } from '../schemas.ts';

const MEDIA = '/v1/nodes/:node/vmedia';
const ATTACH_SINCE = 89;

const detachParameters = { device_types: { kind: 'list' } } as const satisfies Parameters;

export const nodeVirtualMediaRoutes: readonly Route[] = [
  route({ method: 'GET', path: MEDIA, since: 93, handler: list }),
  route({ method: 'POST', path: MEDIA, since: ATTACH_SINCE, body: 'json', handler: attach }),
  route({ method: 'DELETE', path: MEDIA, since: ATTACH_SINCE, query: detachParameters, handler: detach }),
];

const text = (rest: object) => field(schema.text(rest), { since: ATTACH_SINCE, create: true, initial: '' });
const medium: FieldTable = {
  device_type: text({ enum: virtualMediaDevices }),
  image_url: text({ pattern: '^(https?|nfs|cifs)://.' }),
  image_download_source: text({ enum: ['http', 'local', 'swift'] }),
};
const validate = validatorFor(medium, 'create', ['device_type', 'image_url']);

async function list(request: ApiRequest): Promise<Reply> {
  return {
    status: 200,
    body: await listVirtualMedia(request.services, request.caller, nodeOf(request).uuid),
  };
}

async function attach(request: ApiRequest): Promise<Reply> {
  const given = validate('vmedia', request.body);
  await attachVirtualMedia(request.services, request.caller, nodeOf(request).uuid, {
    device: given['device_type'],
    imageUrl: given['image_url'],
    source: given['image_download_source'] ?? 'local',
  } as VirtualMedium);
  return { status: 204 };
}

async function detach(request: ApiRequest<typeof detachParameters>): Promise<Reply> {
  const devices = request.query.device_types ?? virtualMediaDevices;
  const unknown = devices.find((device) => !isVirtualMediaDevice(device));
  if (unknown !== undefined) {
    throw fault('InvalidParameter', {
      name: 'device_types',
      reason: `${unknown} is not one of ${virtualMediaDevices.join(', ')}`,
    });
  }
  const { uuid } = nodeOf(request);
  await detachVirtualMedia(request.services, request.caller, uuid, devices.filter(isVirtualMediaDevice));
  return { status: 204 };
}
