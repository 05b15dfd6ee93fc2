// The server hardware of a node, and who uses it.
import {
  driverInfoText,
  fault,
  invalidDriverInfo,
  type JsonObject,
  type Node,
  type PropertySpec,
  requireDriverInfo,
  type Task,
} from '#plugin-api';
import { converse } from './appliance.ts';

export const properties = {
  server_hardware_uri: {
    description:
      'URI of the server in OneView, as in /rest/server-hardware/30373237-3132-4D32-3235-303930524D57.',
    required: true,
    example: '/rest/server-hardware/30373237-3132-4D32-3235-303930524D57',
  },
  applied_server_profile_uri: {
    description: 'URI of the server profile that a deployment has applied. Written by the driver.',
  },
} as const satisfies Readonly<Record<string, PropertySpec>>;

/** Throws DriverInfoMissing or DriverInfoInvalid. */
export function serverHardwareOf(node: Node): string {
  requireDriverInfo(node, properties);
  driverInfoText(node, 'applied_server_profile_uri', '');
  const uri = driverInfoText(node, 'server_hardware_uri', '');
  if (/^\/rest\/server-hardware\/[\w-]+$/.test(uri)) return uri;
  throw invalidDriverInfo(node, 'server_hardware_uri', 'a URI as in /rest/server-hardware/30373237-3132');
}

/** Throws the faults of `converse`. */
export const readServer = (task: Task, operation: string): Promise<JsonObject> =>
  converse(task, operation, (appliance) => appliance.get(serverHardwareOf(task.node)));

/** Whether a OneView user has assigned a profile of his own to the node's server. */
export function isUsedByOneview({ serverProfileUri: assigned }: JsonObject, node: Node): boolean {
  if (typeof assigned !== 'string' || assigned === '') return false;
  return comparable(assigned) !== comparable(driverInfoText(node, 'applied_server_profile_uri', ''));
}

const comparable = (uri: string) => (uri.endsWith('/') ? uri.slice(0, -1) : uri).toLowerCase();

/** Throws PowerStateFailure when a OneView user has the server. */
export function refuseTaken(server: JsonObject, node: Node, target: string): void {
  if (!isUsedByOneview(server, node)) return;
  throw fault('PowerStateFailure', {
    target,
    node: node.uuid,
    reason: `its server is in use by OneView: it has the profile ${JSON.stringify(server['serverProfileUri'])}`,
  });
}
