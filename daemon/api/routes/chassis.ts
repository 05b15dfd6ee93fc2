// /v1/chassis.
import {
  changeSimpleRecord,
  createSimpleRecord,
  type SimpleKind,
} from '../../conductor/records/simple-records.ts';
import { type Chassis, chassisFields, chassisSummary } from '../../model/records/chassis.ts';
import { fault } from '../../model/faults.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { parseUuidOrThrow } from '../../http/parameter-kinds.ts';
import { findChassis } from '../resource-identifiers.ts';
import { type Resource, resourceRoutes } from '../../http/resource.ts';
import type { Route } from '../../http/route.ts';
import { linkPair, linksSchema, listSchema } from '../../http/schema-parts.ts';

const kind: SimpleKind<Chassis> = {
  resource: 'chassis',
  fields: chassisFields,
  table: (services) => services.db.chassis,
};

const bodies = createBodies<Chassis>({
  resource: 'chassis',
  fields: chassisFields,
  required: [],
  normalise: (given) => ({
    ...given,
    ...(given.uuid !== undefined && { uuid: parseUuidOrThrow(given.uuid) }),
  }),
});

const chassis: Resource<Chassis> = {
  title: 'Chassis',
  path: 'chassis',
  argument: 'chassis_uuid',
  key: 'chassis',
  since: 1,
  fields: chassisFields,
  summary: chassisSummary,
  filters: {},
  list: ({ services }, names, paging) => services.db.chassis.list(names, [], paging),
  find: ({ services }, identifier) => findChassis(services, identifier),
  extras: {
    // the API has always shown a list within a list here
    nodes: {
      schema: listSchema(linksSchema),
      show: ({ uuid }, { baseUrl }) => [linkPair(baseUrl, `chassis/${uuid}/nodes`)],
    },
  },
  create: ({ services, body, minor }) => createSimpleRecord(services, kind, bodies.fromPost(body, minor)),
  bodies,
  change({ services }, record, changesOf) {
    const changes = changesOf(record);
    if (changes.uuid !== undefined)
      throw fault('Invalid', { reason: 'Cannot overwrite UUID for an existing chassis.' });
    return changeSimpleRecord(services, kind, record, changes);
  },
  remove({ services }, { uuid }) {
    if (services.db.nodes.inChassis(uuid).length > 0) {
      throw fault('Invalid', {
        reason: `Cannot complete the requested action because chassis ${uuid} contains nodes.`,
      });
    }
    services.db.chassis.remove(uuid);
  },
};

export const chassisRoutes: readonly Route[] = resourceRoutes(chassis);
