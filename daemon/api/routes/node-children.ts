// /v1/nodes/{node}/children.
import { nodeOf } from '../../conductor/records/find-record.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { linkSchema, listSchema, textSchema, wholeSchema } from '../../http/schema-parts.ts';

export const nodeChildrenRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/nodes/:node/children',
    since: 83,
    answers: { 200: wholeSchema({ children: listSchema(textSchema), links: linkSchema }) },
    handler: list,
  }),
];

function list(request: ApiRequest): Reply {
  const { services, baseUrl } = request;
  const { uuid } = nodeOf(request);
  return {
    status: 200,
    body: {
      children: services.db.nodes.childrenOf(uuid),
      links: { href: `${baseUrl}/v1/nodes?parent_node=${uuid}`, rel: 'children' },
    },
  };
}
