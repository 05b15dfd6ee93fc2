// POST /v1/continue_inspection: takes a ramdisk's report and answers; the report is processed after that.
import { receiveReport } from '../daemon/conductor/flows/receive-report.ts';
import { wantsUnknownMachines } from '../daemon/model/zero-touch/unknown-machines.ts';
import { refuseWhenDisabled } from '../daemon/conductor/ramdisk/lookup.ts';
import type { Parameters } from '../daemon/http/parameters.ts';
import { type ApiRequest, type Reply, route } from '../daemon/http/route.ts';
import { textSchema, wholeSchema } from '../daemon/http/schema-parts.ts';
import type { Schema } from '../daemon/lib/json/typed-schema.ts';
import { fault } from '../daemon/model/faults.ts';
import { statesThat } from '../daemon/model/states/provision-states.ts';
import { lookupReply, lookupSchema } from './lookup-reply.ts';

const SINCE = 84;
const PATH = '/v1/continue_inspection';
const parameters = { node_uuid: { kind: 'uuid' } } as const satisfies Parameters;

/** The required part of a report; the ramdisk's collectors add other keys. */
const reportSchema: Schema = {
  type: 'object',
  properties: {
    inventory: {
      type: 'object',
      properties: { interfaces: { type: 'array', minItems: 1, items: { type: 'object' } } },
      required: ['interfaces'],
    },
  },
  required: ['inventory'],
};

export const continueInspectionRoute = route({
  method: 'POST',
  path: PATH,
  since: 1,
  public: true,
  // an agent tries up to five times within half a minute, so 100 machines behind one address can be inspected at once
  rate: { perSecond: 2, burst: 50 },
  unaudited: true,
  body: { bytes: reportSchema, admits: refuseUnexpected },
  query: parameters,
  answers: { 202: { anyOf: [lookupSchema, wholeSchema({ uuid: textSchema })] } },
  limit: ({ config }) => ({
    kibibytes: config.api.max_json_body_size_inspection,
    option: '[api] max_json_body_size_inspection',
  }),
  handler: continueInspection,
});

// anyone may send megabytes here without a login, so the body is read only while a report is expected
function refuseUnexpected({
  services,
  minor,
  query: { node_uuid: uuid },
}: Pick<ApiRequest, 'services' | 'minor' | 'query'>): void {
  refuseWhenDisabled(services);
  if (!isCompatible(minor, uuid) && minor < SINCE)
    throw fault('VersionedNotFound', { path: PATH, since: SINCE });
  const waiting = statesThat('inspectionReport');
  const node = typeof uuid === 'string' ? services.db.nodes.get(uuid) : undefined;
  const isExpected =
    uuid === undefined
      ? wantsUnknownMachines(services.config) || services.db.nodes.countInStates(waiting) > 0
      : node !== undefined && waiting.includes(node.provision_state);
  if (isExpected) return;
  services.log.warn({ uuid, reason: 'no node waits for it' }, 'inspection data matched no waiting node');
  throw fault('NotFound', {});
}

/** Whether the request is one for ironic-inspector: such requests name no version and expect that service's answers. */
const isCompatible = (minor: number, uuid: unknown): boolean => minor === 1 && uuid === undefined;

async function continueInspection(request: ApiRequest<typeof parameters>): Promise<Reply> {
  const { services, minor, query, baseUrl } = request;
  const compatible = isCompatible(minor, query.node_uuid);
  const { node, token } = await receiveReport(request, {
    bytes: request.body as Uint8Array,
    uuid: query.node_uuid,
    wantsToken: !compatible,
    release: request.keepBody(),
  });
  return {
    status: 202,
    body: compatible ? { uuid: node.uuid } : lookupReply(services, baseUrl, node, token),
  };
}
