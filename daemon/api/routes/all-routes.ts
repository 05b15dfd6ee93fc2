// The routes of the operators' API, except /v1/events/stream and /openapi.json, which main.ts adds.
import type { Route } from '../../http/route.ts';
import { allocationRoutes } from './allocations.ts';
import { bmcEventRoutes } from './bmc-events.ts';
import { bmcTestRoutes } from './bmc-tests.ts';
import { chassisRoutes } from './chassis.ts';
import { conductorRoutes } from './conductors.ts';
import { deployTemplateRoutes } from './deploy-templates.ts';
import { driverRoutes } from './drivers.ts';
import { eventRoutes } from './events.ts';
import { expectedMachineRoutes } from './expected-machines.ts';
import { foundBmcDecisionRoutes } from './found-bmc-decisions.ts';
import { foundBmcRoutes } from './found-bmcs.ts';
import { imageRoutes } from './images.ts';
import { hardwareClassRoutes } from './hardware-classes.ts';
import { profileRoutes } from './profiles.ts';
import { inspectionRuleRoutes } from './inspection-rules.ts';
import { nodeChildrenRoutes } from './node-children.ts';
import { nodeBmcPasswordRoutes } from './node-bmc-password.ts';
import { nodeBootModeRoutes } from './node-boot-mode.ts';
import { nodeConsoleRoutes } from './node-console.ts';
import { nodeIndicatorRoutes } from './node-indicators.ts';
import { nodeManagementRoutes } from './node-management.ts';
import { nodePartRoutes } from './node-parts.ts';
import { nodeRaidRoutes } from './node-raid.ts';
import { nodeRecordRoutes } from './node-records.ts';
import { nodeStateRoutes } from './node-states.ts';
import { nodeCleaningStepsRoutes } from './node-cleaning-steps.ts';
import { nodeSensorRoutes } from './node-sensors.ts';
import { nodeStepPlanRoutes } from './node-step-plans.ts';
import { nodeTraitRoutes } from './node-traits.ts';
import { nodeVifRoutes } from './node-vifs.ts';
import { nodeVirtualMediaRoutes } from './node-virtual-media.ts';
import { nodeRoutes } from './nodes.ts';
import { portgroupRoutes } from './portgroups.ts';
import { portRoutes } from './ports.ts';
import { pluginRoutes } from './plugins.ts';
import { quarantineRoutes } from './quarantine.ts';
import { runbookTraitRoutes } from './runbook-traits.ts';
import { runbookRoutes } from './runbooks.ts';
import { shardRoutes } from './shards.ts';
import { timelineRoutes } from './timelines.ts';
import { vendorPassthruRoutes } from './vendor-passthru.ts';
import { versionDocumentRoutes } from './version-documents.ts';
import { volumeRoutes } from './volume.ts';

export const apiRoutes: readonly Route[] = [
  ...versionDocumentRoutes,
  ...nodeRoutes,
  ...nodeStateRoutes,
  ...nodeManagementRoutes,
  ...nodeRecordRoutes,
  ...nodeRaidRoutes,
  ...nodeBootModeRoutes,
  ...nodeBmcPasswordRoutes,
  ...nodeConsoleRoutes,
  ...nodeIndicatorRoutes,
  ...nodeSensorRoutes,
  ...nodePartRoutes,
  ...nodeVirtualMediaRoutes,
  ...nodeVifRoutes,
  ...vendorPassthruRoutes,
  ...portRoutes,
  ...driverRoutes,
  ...conductorRoutes,
  ...chassisRoutes,
  ...deployTemplateRoutes,
  ...runbookRoutes,
  ...runbookTraitRoutes,
  ...inspectionRuleRoutes,
  ...imageRoutes,
  ...profileRoutes,
  ...hardwareClassRoutes,
  ...bmcTestRoutes,
  ...expectedMachineRoutes,
  ...portgroupRoutes,
  ...volumeRoutes,
  ...shardRoutes,
  ...eventRoutes,
  ...nodeTraitRoutes,
  ...nodeCleaningStepsRoutes,
  ...nodeStepPlanRoutes,
  ...nodeChildrenRoutes,
  ...allocationRoutes,
  ...timelineRoutes,
  ...pluginRoutes,
  ...quarantineRoutes,
  ...bmcEventRoutes,
  ...foundBmcRoutes,
  ...foundBmcDecisionRoutes,
];
