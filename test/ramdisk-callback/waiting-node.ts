// Starts a daemon with a node in inspect wait; reads a node's driver_internal_info, and adds to it.
import type { Node } from '../../daemon/model/records/node.ts';
import {
  type InProcessDaemon,
  type InProcessOptions,
  startInProcess,
} from '../fakes/daemon/in-process-daemon.ts';

export const MAC = '52:54:00:00:00:01';
export const UNKNOWN = '00000000-0000-4000-8000-000000000000';
/** The fault text of a lookup or an inspection report that matches no node; it is the same for every reason. */
export const GENERIC = 'Resource could not be found.';

/** The node has one port, with the address MAC. */
export async function waitingNode(
  test: Parameters<typeof startInProcess>[0],
  options: InProcessOptions = {},
  fields: object = {},
) {
  const daemon = await startInProcess(test, options);
  const { uuid } = await daemon.createNode({ driver: 'lab', ...fields });
  await daemon.createPort(uuid, MAC);
  daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait', power_state: 'power on' });
  return { daemon, uuid };
}

export const internal = (daemon: InProcessDaemon, uuid: string): Node['driver_internal_info'] =>
  daemon.node(uuid).driver_internal_info;

export const remember = (daemon: InProcessDaemon, uuid: string, more: Node['driver_internal_info']) =>
  daemon.services.db.nodes.update(uuid, { driver_internal_info: { ...internal(daemon, uuid), ...more } });
