// What inspection needs.
import type { RecentMap } from '../../lib/limits/recent-map.ts';
import type { FindingServices } from '../finding/services.ts';
import type { ReportProcessor } from './report-processor.ts';
import type { NodeTask } from '../tasks/task.ts';

export interface InspectionServices extends FindingServices {
  readonly inspection: ReportProcessor;
  /** MAC addresses of discovered machines whose report is being processed. */
  readonly discovering: Set<string>;
  /** Digests of the sealed logins of BMCs that were opened. */
  readonly seenLogins: RecentMap<string, true>;
}

export type InspectionTask = NodeTask<InspectionServices>;
