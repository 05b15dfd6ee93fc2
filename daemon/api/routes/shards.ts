// /v1/shards: how many nodes each shard has.
import { type Reply, type Route, route } from '../../http/route.ts';
import { listSchema, textSchema, wholeSchema } from '../../http/schema-parts.ts';

const shardSchema = wholeSchema({ name: textSchema, count: { type: 'integer' } });

export const shardRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/shards',
    since: 82,
    answers: { 200: wholeSchema({ shards: listSchema(shardSchema) }) },
    handler({ services }): Reply {
      const shards = services.db.nodes.countByShard();
      // clients expect the name None for the nodes that have no shard
      return {
        status: 200,
        body: { shards: shards.map(({ name, count }) => ({ name: name ?? 'None', count })) },
      };
    },
  }),
];
