// Every route of the operators' API.
import type { Route } from '../route.ts';
import { chassisRoutes } from './chassis.ts';
import { conductorRoutes } from './conductors.ts';
import { deployTemplateRoutes } from './deploy-templates.ts';
import { driverRoutes } from './drivers.ts';
import { inspectionRuleRoutes } from './inspection-rules.ts';
import { nodeManagementRoutes } from './node-management.ts';
import { nodeRecordRoutes } from './node-records.ts';
import { nodeStateRoutes } from './node-states.ts';
import { nodeRoutes } from './nodes.ts';
import { portRoutes } from './ports.ts';
import { runbookTraitRoutes } from './runbook-traits.ts';
import { runbookRoutes } from './runbooks.ts';
import { versionDocumentRoutes } from './version-documents.ts';

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
  ...deployTemplateRoutes,
  ...runbookRoutes,
  ...runbookTraitRoutes,
  ...inspectionRuleRoutes,
];
