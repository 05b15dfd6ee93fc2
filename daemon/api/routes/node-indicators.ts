// /v1/nodes/{node}/management/indicators and inject_nmi.
import { nodeOf } from '../../conductor/records/find-record.ts';
import {
  getIndicator,
  type IndicatorId,
  injectNmi,
  listIndicators,
  setIndicator,
} from '../../conductor/hardware/indicators.ts';
import { fault } from '../../model/faults.ts';
import { indicatorComponents, indicatorStates } from '../../model/machine/indicators.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import {
  flagSchema,
  linkPair,
  linksSchema,
  listSchema,
  textSchema,
  wholeSchema,
} from '../../http/schema-parts.ts';

const MANAGEMENT = '/v1/nodes/:node/management';
const INDICATORS = `${MANAGEMENT}/indicators`;

const stateSchema = { enum: indicatorStates };
const indicatorSchema = wholeSchema({
  name: textSchema,
  component: { enum: indicatorComponents },
  readonly: flagSchema,
  states: listSchema(stateSchema),
  links: linksSchema,
});

// the paths of indicators are documented since API 1.63, but answered in every version
export const nodeIndicatorRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: INDICATORS,
    since: 1,
    answers: { 200: wholeSchema({ indicators: listSchema(indicatorSchema) }) },
    handler: list,
  }),
  route({
    method: 'GET',
    path: `${INDICATORS}/:indicator`,
    since: 1,
    answers: { 200: wholeSchema({ state: stateSchema }) },
    handler: show,
  }),
  route({
    method: 'PUT',
    path: `${INDICATORS}/:indicator`,
    since: 1,
    body: { parameters: { state: { kind: 'text', required: true, values: indicatorStates } } },
    answers: { 204: null },
    async handler(request) {
      const { given } = request;
      const indicator = { ...indicatorOf(request), state: given.state };
      await setIndicator(request, nodeOf(request).uuid, indicator);
      return { status: 204 };
    },
  }),
  route({
    method: 'PUT',
    path: `${MANAGEMENT}/inject_nmi`,
    since: 29,
    body: { parameters: {} },
    answers: { 204: null },
    async handler(request) {
      await injectNmi(request, nodeOf(request).uuid);
      return { status: 204 };
    },
  }),
];

async function list(request: ApiRequest): Promise<Reply> {
  const { baseUrl } = request;
  const { uuid } = nodeOf(request);
  const indicators = await listIndicators(request, uuid);
  const shown = indicators.map((indicator) => {
    const name = `${indicator.name}@${indicator.component}`;
    return { ...indicator, name, links: linkPair(baseUrl, `nodes/${uuid}/management/indicators/${name}`) };
  });
  return { status: 200, body: { indicators: shown } };
}

async function show(request: ApiRequest): Promise<Reply> {
  const state = await getIndicator(request, nodeOf(request).uuid, indicatorOf(request));
  return { status: 200, body: { state } };
}

function indicatorOf({ parameters: { indicator = '' } }: Pick<ApiRequest, 'parameters'>): IndicatorId {
  const at = indicator.lastIndexOf('@');
  if (at === -1) {
    throw fault('InvalidParameter', {
      name: 'indicator',
      reason: `${indicator} is not a name and a component joined by @, such as led-0@chassis`,
    });
  }
  return { name: indicator.slice(0, at), component: indicator.slice(at + 1) };
}
