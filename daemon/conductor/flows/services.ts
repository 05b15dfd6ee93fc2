// What provisioning needs.
import type { FindingServices } from '../finding/services.ts';
import type { InspectionServices } from '../inspection/services.ts';
import type { TimelineServices } from '../timeline/services.ts';
import type { WorkTimes } from '../timeline/work-times.ts';
import type { NodeTask } from '../tasks/task.ts';
import type { BackgroundWork } from '../tasks/run-task.ts';

export interface FlowServices extends InspectionServices, FindingServices, TimelineServices {
  /** The work that runs on nodes, since when, and how long earlier work took. */
  readonly workTimes: WorkTimes;
}

export type FlowTask = NodeTask<FlowServices>;
export type FlowWork = BackgroundWork<FlowServices>;
