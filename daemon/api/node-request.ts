// Helpers of the routes below /v1/nodes/{node}.
import type { Node } from '../model/records/node.ts';
import { findNode } from '../conductor/records/find/find-node.ts';
import type { ApiRequest, Reply } from '../http/route.ts';

/** Returns the node in the path. Throws InvalidUuidOrName or NodeNotFound. */
export const nodeOf = ({
  services,
  parameters,
  minor,
}: Pick<ApiRequest, 'services' | 'parameters' | 'minor'>): Node =>
  findNode(services, parameters['node'] ?? '', minor);

/** Returns 202 for work in the background. The location is `below` the node, which is named as in the request. */
export const accepted = (
  { baseUrl, parameters }: Pick<ApiRequest, 'baseUrl' | 'parameters'>,
  below: 'states' | 'states/console',
): Reply => ({
  status: 202,
  location: `${baseUrl}/v1/nodes/${parameters['node']}/${below}`,
});
