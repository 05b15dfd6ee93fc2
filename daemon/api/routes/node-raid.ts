// RAID: a node's target configuration, and the properties of logical disks that a driver accepts.
import { nodeOf } from '../../conductor/records/find-record.ts';
import { describeLogicalDisk, setTargetRaidConfig } from '../../conductor/hardware/raid-config.ts';
import { fault } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { mapSchema, textSchema } from '../../http/schema-parts.ts';

export const nodeRaidRoutes: readonly Route[] = [
  route({
    method: 'PUT',
    path: '/v1/nodes/:node/states/raid',
    since: 12,
    below: 406,
    body: { json: { type: 'object', properties: { logical_disks: { type: 'array' } } } },
    answers: { 204: null },
    handler: changeTarget,
  }),
  route({
    method: 'GET',
    path: '/v1/drivers/:driver/raid/logical_disk_properties',
    since: 12,
    below: 406,
    answers: { 200: mapSchema(textSchema) },
    handler: ({ services, parameters }) => ({
      status: 200,
      body: describeLogicalDisk(services, parameters['driver'] ?? ''),
    }),
  }),
];

async function changeTarget(request: ApiRequest): Promise<Reply> {
  const { body = {} } = request;
  if (!isJsonObject(body))
    throw fault('InvalidSchema', {
      resource: 'target_raid_config',
      reason: 'the body is not of type object',
    });
  await setTargetRaidConfig(request, nodeOf(request).uuid, body);
  return { status: 204 };
}
