// /v1/hardware_classes: what the machines of a resource class were ordered with.
import { findHardwareClass } from '../../conductor/inspection/hardware.ts';
import {
  changeSimpleRecord,
  createSimpleRecord,
  type SimpleKind,
} from '../../conductor/records/simple-records.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { withCheckedName } from '../bodies/named-record.ts';
import { type Resource, resourceRoutes } from '../../http/resource.ts';
import type { Route } from '../../http/route.ts';
import {
  type HardwareClass,
  hardwareClassFields,
  hardwareClassSummary,
} from '../../model/hardware/hardware-class.ts';

const kind: SimpleKind<HardwareClass> = {
  resource: 'hardware class',
  fields: hardwareClassFields,
  table: (services) => services.db.hardwareClasses,
};

const bodies = createBodies<HardwareClass>({
  resource: kind.resource,
  fields: hardwareClassFields,
  required: ['name'],
  unremovable: ['name'],
  normalise: (given) => withCheckedName(kind.resource, given),
});

const hardwareClasses: Resource<HardwareClass> = {
  title: 'HardwareClass',
  path: 'hardware_classes',
  key: 'hardware_classes',
  since: 1,
  namedIn: ({ db }) => db.hardwareClasses,
  detailByArgument: true,
  fields: hardwareClassFields,
  summary: hardwareClassSummary,
  filters: {},
  shown: {},
  list: ({ services }, names, paging) => services.db.hardwareClasses.list(names, [], paging),
  find: ({ services }, identifier) => findHardwareClass(services, identifier),
  create: ({ services, body, minor }) => createSimpleRecord(services, kind, bodies.fromPost(body, minor)),
  bodies,
  change: ({ services }, record, changesOf) => changeSimpleRecord(services, kind, record, changesOf(record)),
  remove: ({ services }, { uuid }) => void services.db.hardwareClasses.remove(uuid),
};

export const hardwareClassRoutes: readonly Route[] = resourceRoutes(hardwareClasses);
