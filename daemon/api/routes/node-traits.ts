// /v1/nodes/{node}/traits.
import { findNode } from '../../conductor/records/find/find-node.ts';
import { changeTraits } from '../../conductor/records/node-traits.ts';
import type { Route } from '../../http/route.ts';
import { fault } from '../../model/faults.ts';
import { traitRoutes } from './trait-lists.ts';

export const nodeTraitRoutes: readonly Route[] = traitRoutes({
  of: '/v1/nodes/:node',
  parameter: 'node',
  since: 37,
  belowForGet: 406,
  belowForPut: 405,
  traitsOf: (request) => request.named('node', findNode).traits,
  change: (request, next) => changeTraits(request, request.named('node', findNode).uuid, next),
  refuseAbsent(request, trait) {
    throw fault('NodeTraitNotFound', { node: request.named('node', findNode).uuid, trait });
  },
});
