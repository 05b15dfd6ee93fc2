// Every route of the operators' API.
import type { Route } from '../route.ts';
import { allocationRoutes } from './allocations.ts';
import { chassisRoutes } from './chassis.ts';
import { conductorRoutes } from './conductors.ts';
import { driverRoutes } from './drivers.ts';
import { eventRoutes } from './events.ts';
import { nodeChildrenRoutes } from './node-children.ts';
import { nodeManagementRoutes } from './node-management.ts';
import { nodeRecordRoutes } from './node-records.ts';
import { nodeStateRoutes } from './node-states.ts';
import { nodeTraitRoutes } from './node-traits.ts';
import { nodeRoutes } from './nodes.ts';
import { portgroupRoutes } from './portgroups.ts';
import { portRoutes } from './ports.ts';
import { shardRoutes } from './shards.ts';
import { versionDocumentRoutes } from './version-documents.ts';
import { volumeRoutes } from './volume.ts';

export const apiRoutes: readonly Route[] = [
  ...versionDocumentRoutes,
  ...nodeRoutes,
  ...nodeStateRoutes,
  ...nodeManagementRoutes,
  ...nodeRecordRoutes,
  ...portRoutes,
  ...driverRoutes,
  ...conductorRoutes,
  ...chassisRoutes,
  ...portgroupRoutes,
  ...volumeRoutes,
  ...shardRoutes,
  ...eventRoutes,
  ...nodeTraitRoutes,
  ...nodeChildrenRoutes,
  ...allocationRoutes,
];
