// /v1/found_bmcs: the BMCs that the daemon found on the network, and the scan for more.
import { withNodes } from '../../conductor/finding/nodes-at.ts';
import { readRoutes } from '../../http/resource.ts';
import { type Route, route } from '../../http/route.ts';
import { listSchema, orNull, textSchema, wholeSchema } from '../../http/schema-parts.ts';
import { foundBmcFields, foundBmcSummary } from '../../model/zero-touch/found-bmc.ts';
import { findFoundBmc } from '../resource-identifiers.ts';

const count = { type: 'integer' };
const scanSchema = wholeSchema(
  {
    networks: listSchema(textSchema),
    addresses: count,
    asked: count,
    answered: count,
    started_at: textSchema,
    ended_at: orNull(textSchema),
  },
  'BmcScan',
);

const records = readRoutes({
  title: 'FoundBmc',
  path: 'found_bmcs',
  key: 'found_bmcs',
  since: 1,
  detailByArgument: true,
  fields: foundBmcFields,
  summary: foundBmcSummary,
  filters: {},
  list: ({ services: { db } }, names, paging) =>
    withNodes(db, db.foundBmcs.list([...new Set([...names, 'address' as const])], [], paging)),
  find: ({ services }, identifier) => {
    const found = findFoundBmc(services, identifier);
    return withNodes(services.db, [found])[0] ?? found;
  },
  remove: ({ services: { db } }, { uuid }) => void db.foundBmcs.remove(uuid),
});

export const foundBmcRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/found_bmcs/scan',
    since: 1,
    body: { parameters: { networks: { kind: 'array' } } },
    answers: { 202: scanSchema },
    handler: ({ services, given }) => ({
      status: 202,
      body: services.foundBmcs.startScan(given.networks ?? []),
    }),
  }),
  route({
    method: 'GET',
    path: '/v1/found_bmcs/scan',
    since: 1,
    answers: { 200: wholeSchema({ scan: orNull(scanSchema) }) },
    handler: ({ services }) => ({ status: 200, body: { scan: services.foundBmcs.scan ?? null } }),
  }),
  ...records,
];
