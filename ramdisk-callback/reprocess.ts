// POST /v1/nodes/{node}/inventory/reprocess, an extension: runs hooks and rules on the stored data of an inspection.
import { reprocessInventory } from '../daemon/conductor/inspection/reprocess-inventory.ts';
import { nodeOf } from '../daemon/conductor/records/find-record.ts';
import type { Parameters } from '../daemon/http/parameters.ts';
import { type ApiRequest, type Reply, route } from '../daemon/http/route.ts';
import { flagSchema, objectSchema, textSchema } from '../daemon/http/schema-parts.ts';

const givenParameters = { dry_run: { kind: 'flag' } } as const satisfies Parameters;

const changeSchema = objectSchema({ path: textSchema, before: {}, after: {} }, ['path']);
const lineSchema = objectSchema({ level: textSchema, message: textSchema }, ['level', 'message']);
const answerSchema = objectSchema(
  {
    dry_run: flagSchema,
    changes: { type: 'array', items: changeSchema },
    log: { type: 'array', items: lineSchema },
  },
  ['dry_run', 'changes', 'log'],
);

export const reprocessRoute = route({
  method: 'POST',
  path: '/v1/nodes/:node/inventory/reprocess',
  since: 1,
  body: { parameters: givenParameters },
  answers: { 200: answerSchema },
  handler: reprocess,
});

async function reprocess(request: ApiRequest<Parameters, typeof givenParameters>): Promise<Reply> {
  const { given } = request;
  const node = nodeOf(request);
  const isDryRun = given.dry_run === true;
  const { differences, lines } = await reprocessInventory(request, node, isDryRun);
  return { status: 200, body: { dry_run: isDryRun, changes: differences, log: lines } };
}
