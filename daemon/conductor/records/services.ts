// What the records of nodes, ports and other resources need.
import type { Node } from '../../model/records/node.ts';
import type { Driver } from '../../plugin-api/index.ts';
import type { HardwareServices } from '../hardware/services.ts';
import type { NodeTask } from '../tasks/task.ts';

export interface RecordServices extends HardwareServices {
  /** Like `compose`, but also for a node in quarantine: only to find out which machine it is. */
  readonly composeQuarantined: (node: Node) => Driver;
}

export type RecordTask = NodeTask<RecordServices>;
