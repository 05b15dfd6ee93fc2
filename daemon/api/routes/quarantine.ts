// /v1/quarantine and /v1/nodes/{node}/quarantine: nodes that an operator must release before the daemon uses their machines.
// Their records come from a backup or a copy of the database, or they were handed over to another service.
import { handOver, release } from '../../conductor/records/quarantine.ts';
import { nodeOf } from '../../conductor/records/find-record.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type Route, route } from '../../http/route.ts';
import { listSchema, orNull, textSchema, wholeSchema } from '../../http/schema-parts.ts';

const given = { serial: { kind: 'text' }, unchecked: { kind: 'flag' } } as const satisfies Parameters;

const destination = { handed_to: { kind: 'text', required: true } } as const satisfies Parameters;

const quarantinedSchema = wholeSchema(
  {
    node_uuid: textSchema,
    name: orNull(textSchema),
    since: textSchema,
    reason: textSchema,
    provision_state: textSchema,
    handed_to: orNull(textSchema),
  },
  'QuarantinedNode',
);

export const quarantineRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/quarantine',
    since: 1,
    answers: { 200: wholeSchema({ quarantine: listSchema(quarantinedSchema) }) },
    handler({ services: { db } }) {
      const nodes = db.quarantine.list().flatMap(({ node_uuid, since, reason, handed_to }) => {
        const node = db.nodes.get(node_uuid);
        const { name = null, provision_state = 'enroll' } = node ?? {};
        return [{ node_uuid, name, since, reason, provision_state, handed_to }];
      });
      return { status: 200, body: { quarantine: nodes } };
    },
  }),
  route({
    method: 'POST',
    path: '/v1/nodes/:node/quarantine',
    since: 1,
    body: { parameters: destination },
    answers: { 204: null },
    async handler(request) {
      await handOver(request, nodeOf(request).uuid, request.given.handed_to);
      return { status: 204 };
    },
  }),
  route({
    method: 'POST',
    path: '/v1/nodes/:node/quarantine/release',
    since: 1,
    body: { parameters: given },
    answers: { 200: wholeSchema({ evidence: textSchema }) },
    async handler(request) {
      const { uuid } = nodeOf(request);
      const { serial, unchecked } = request.given;
      const evidence = await release(request, uuid, {
        serial: serial ?? undefined,
        unchecked: unchecked ?? false,
      });
      return { status: 200, body: { evidence } };
    },
  }),
];
