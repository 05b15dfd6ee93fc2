// Helpers of the node tests: a function that patches a node, and the type of a table of refused requests.
import type { InProcessDaemon } from '../../../fakes/daemon/in-process-daemon.ts';

export type RefusedCases = readonly (readonly [
  body: unknown,
  status: number,
  fault: RegExp,
  version?: number,
])[];

export const patchNode = (daemon: InProcessDaemon, node: string, body: unknown, version = 115) =>
  daemon.request('PATCH', `/v1/nodes/${node}`, { body, version });
