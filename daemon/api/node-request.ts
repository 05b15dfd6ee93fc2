// What requests below /v1/nodes/{node} have in common.
import type { Node } from '../model/node.ts';
import { findNode } from './node-identifiers.ts';
import type { ApiRequest, Reply } from './route.ts';

/** The node in the path. Throws InvalidUuidOrName or NodeNotFound. */
export const nodeOf = ({
  services,
  parameters,
  minor,
}: Pick<ApiRequest, 'services' | 'parameters' | 'minor'>): Node =>
  findNode(services, parameters['node'] ?? '', minor);

/** Work goes on in the background; its outcome is seen at `below` the node, which keeps the request's name for it. */
export const accepted = (
  { baseUrl, parameters }: Pick<ApiRequest, 'baseUrl' | 'parameters'>,
  below: 'states' | 'states/console',
): Reply => ({
  status: 202,
  location: `${baseUrl}/v1/nodes/${parameters['node']}/${below}`,
});
