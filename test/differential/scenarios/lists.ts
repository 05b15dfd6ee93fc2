// Filters, pages, order and chosen fields.
import { nodeFields } from '../../../daemon/model/records/node.ts';
import { portFields } from '../../../daemon/model/records/port.ts';
import { uuid } from '../conversation.ts';
import { CHASSIS, NODE, OTHER, populate, PORTGROUP } from './populate.ts';
import type { Scenario } from './scenario.ts';

const FLAGS = ['associated', 'maintenance', 'retired', 'sharded', 'include_children'];

const NODE_FILTERS = [
  ...FLAGS.flatMap((name) => ['true', 'False', '1', 'no', 'maybe', ''].map((value) => `${name}=${value}`)),
  `chassis_uuid=${CHASSIS}`,
  `chassis_uuid=${uuid(999)}`,
  'chassis_uuid=text',
  `instance_uuid=${uuid(999)}`,
  'instance_uuid=text',
  'driver=fake-hardware',
  'driver=ipmi',
  'resource_class=gold',
  'resource_class=silver',
  'provision_state=enroll',
  'provision_state=active',
  'provision_state=text',
  'fault=power failure',
  'fault=text',
  'conductor_group=',
  'conductor_group=Other',
  'conductor=lab-host',
  'conductor=other-host',
  'owner=someone',
  'lessee=tenant',
  'project=tenant',
  'project=other',
  'description_contains=first',
  'description_contains=none',
  'shard=s1',
  'shard=S1',
  'shard=s1,s2',
  'shard=s1&shard=s2',
  `parent_node=${NODE}`,
  'parent_node=node-1',
  'instance_name=text',
  'unknown=text',
  'driver=a&driver=b',
  'lessee=tenant&maintenance=false&driver=fake-hardware',
];

const PAGES = [
  'limit=1',
  'limit=2',
  'limit=0',
  'limit=-1',
  'limit=5000',
  'limit=text',
  'limit=',
  'limit=1.5',
  `limit=1&marker=${NODE}`,
  `marker=${OTHER}`,
  `marker=${uuid(999)}`,
  'marker=text',
  'marker=',
  'sort_dir=desc',
  'sort_dir=asc',
  'sort_dir=text',
  'sort_key=text',
  'sort_key=',
  'sort_key=uuid&sort_dir=desc&limit=1',
];

const encoded = (query: string) => query.replaceAll(' ', '%20');

export const lists: Scenario = async (both) => {
  await populate(both);
  for (const minor of both.versions(1, 7, 8, 20, 42, 43, 60, 82, 83, 104, 115)) {
    const here = both.at(minor);
    for (const query of NODE_FILTERS) await here.sendAll(`GET /v1/nodes?${encoded(query)}`);
  }
  for (const list of [
    'nodes',
    'nodes/detail',
    'ports',
    'portgroups',
    'chassis',
    'allocations',
    'deploy_templates',
    'volume/connectors',
    'volume/targets',
    'conductors',
    `nodes/${NODE}/ports`,
    `nodes/${NODE}/portgroups`,
    `chassis/${CHASSIS}/nodes`,
    `portgroups/${PORTGROUP}/ports`,
    'runbooks',
    'inspection_rules',
    `nodes/${NODE}/history`,
  ])
    for (const query of PAGES) await both.sendAll(`GET /v1/${list}?${query}`);
  for (const list of [
    'nodes?limit=1',
    'nodes/detail?limit=1',
    'nodes?limit=1&fields=uuid,name',
    'nodes?limit=1&sort_key=name&sort_dir=desc',
    'ports?limit=1',
    'nodes?limit=1&detail=true',
  ])
    await both.sendPages(`/v1/${list}`);
  for (const key of Object.keys(nodeFields)) await both.sendAll(`GET /v1/nodes?sort_key=${key}`);
  for (const key of Object.keys(portFields)) await both.sendAll(`GET /v1/ports?sort_key=${key}`);
  for (const minor of both.versions(20, 60, 115))
    for (const key of ['resource_class', 'owner', 'shard', 'driver_internal_info', 'name'])
      await both.at(minor).sendAll(`GET /v1/nodes?sort_key=${key}`);
};

export const fields: Scenario = async (both) => {
  await populate(both);
  const names = [...Object.keys(nodeFields), 'links', 'ports', 'states', 'volume', 'portgroups', 'unknown'];
  for (const name of names) {
    const since = Object.entries(nodeFields).find(([field]) => field === name)?.[1].since ?? 8;
    for (const minor of both.versions(Math.max(since, 8), Math.max(since - 1, 7)))
      await both
        .at(minor)
        .sendAll(`GET /v1/nodes/${NODE}?fields=${name}`, `GET /v1/nodes?fields=uuid,${name}`);
  }
  await both.sendAll(
    'GET /v1/nodes?fields=',
    'GET /v1/nodes?fields=UUID,Name',
    'GET /v1/nodes?fields=uuid&fields=name',
    'GET /v1/nodes?fields=uuid&detail=true',
    'GET /v1/nodes?fields=uuid&detail=false',
    'GET /v1/nodes?detail=maybe',
    'GET /v1/nodes/detail?fields=uuid',
    'GET /v1/nodes/detail?detail=true',
    `GET /v1/nodes/${NODE}?fields=uuid,,name`,
    `GET /v1/nodes/${NODE}?detail=true`,
    `GET /v1/nodes/${NODE}?fields=uuid,uuid`,
    `GET /v1/nodes/${NODE}/uuid`,
    `GET /v1/nodes/${NODE}/unknown`,
    `GET /v1/nodes/${uuid(999)}/uuid`,
  );
  for (const name of [...Object.keys(portFields), 'links', 'unknown'])
    await both.sendAll(`GET /v1/ports?fields=${name}`, `GET /v1/ports/${uuid(11)}?fields=${name}`);
  for (const list of [
    'portgroups',
    'chassis',
    'allocations',
    'deploy_templates',
    'volume/connectors',
    'volume/targets',
    'conductors',
    'drivers',
    'runbooks',
    'inspection_rules',
  ])
    for (const name of [
      'uuid',
      'name',
      'uuid,extra',
      'node_uuid',
      'steps',
      'links',
      'created_at',
      'hostname',
      'unknown',
      '',
    ])
      await both.sendAll(`GET /v1/${list}?fields=${name}`);
  for (const filter of [
    `node=${NODE}`,
    'node=node-1',
    'node=none',
    `node_uuid=${NODE}`,
    'node_uuid=node-1',
    'address=52:54:00:aa:00:02',
    'address=52:54:00:AA:00:02',
    'address=52-54-00-aa-00-02',
    `portgroup=${PORTGROUP}`,
    'portgroup=bond-0',
    'portgroup=none',
    'shard=s1',
    `node=${NODE}&portgroup=${PORTGROUP}`,
    `node=${NODE}&address=52:54:00:aa:00:09`,
    'description_contains=x',
    'conductor_groups=',
    'resource_class=none-such',
    'state=error',
    'owner=x',
    'phase=main',
    'type=classic',
  ])
    for (const list of ['ports', 'portgroups', 'allocations', 'volume/connectors', 'volume/targets'])
      await both.sendAll(`GET /v1/${list}?${filter}`);
};
