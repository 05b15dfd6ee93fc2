// What the tests of nodes share: a patch of a node, and tables of bodies that are refused.
import type { InProcessDaemon } from '../../../fakes/in-process-daemon.ts';

export type RefusedCases = readonly (readonly [
  body: unknown,
  status: number,
  fault: RegExp,
  version?: number,
])[];

export const patchNode = (daemon: InProcessDaemon, node: string, body: unknown, version = 115) =>
  daemon.request('PATCH', `/v1/nodes/${node}`, { body, version });
