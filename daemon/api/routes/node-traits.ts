// /v1/nodes/{node}/traits.
import { nodeOf } from '../../conductor/records/find-record.ts';
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
  traitsOf: (request) => nodeOf(request).traits,
  change: (request, next) => changeTraits(request, nodeOf(request).uuid, next),
  refuseAbsent(request, trait) {
    throw fault('NodeTraitNotFound', { node: nodeOf(request).uuid, trait });
  },
});
