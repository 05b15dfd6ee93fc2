// /v1/nodes/{node}/management/indicators and inject_nmi.
import { getIndicator, type IndicatorId, listIndicators, setIndicator } from '../../conductor/indicators.ts';
import { injectNmi } from '../../conductor/inject-nmi.ts';
import { fault } from '../../model/faults.ts';
import { indicatorStates, isIndicatorState } from '../../model/indicators.ts';
import { takeArguments } from '../arguments.ts';
import { linkPair } from '../links.ts';
import { nodeOf } from '../node-request.ts';
import { type ApiRequest, type Reply, type Route, route } from '../route.ts';

const MANAGEMENT = '/v1/nodes/:node/management';
const INDICATORS = `${MANAGEMENT}/indicators`;

// documented since 1.63, and answered at any version
export const nodeIndicatorRoutes: readonly Route[] = [
  route({ method: 'GET', path: INDICATORS, since: 1, handler: list }),
  route({ method: 'GET', path: `${INDICATORS}/:indicator`, since: 1, handler: show }),
  route({
    method: 'PUT',
    path: `${INDICATORS}/:indicator`,
    since: 1,
    body: 'arguments',
    handler: change,
  }),
  route({
    method: 'PUT',
    path: `${MANAGEMENT}/inject_nmi`,
    since: 29,
    body: 'arguments',
    handler: interrupt,
  }),
];

async function list(request: ApiRequest): Promise<Reply> {
  const { services, caller, baseUrl } = request;
  const { uuid } = nodeOf(request);
  const indicators = await listIndicators(services, caller, uuid);
  const shown = indicators.map((indicator) => {
    const name = `${indicator.name}@${indicator.component}`;
    return { ...indicator, name, links: linkPair(baseUrl, `nodes/${uuid}/management/indicators/${name}`) };
  });
  return { status: 200, body: { indicators: shown } };
}

async function show(request: ApiRequest): Promise<Reply> {
  const { services, caller } = request;
  const state = await getIndicator(services, caller, nodeOf(request).uuid, indicatorOf(request));
  return { status: 200, body: { state } };
}

async function change(request: ApiRequest): Promise<Reply> {
  const { services, caller, body } = request;
  const { state } = takeArguments(body, { state: { kind: 'text', required: true } });
  if (!isIndicatorState(state)) {
    throw fault('InvalidParameter', {
      name: 'state',
      reason: `${state} is not one of ${indicatorStates.join(', ')}`,
    });
  }
  await setIndicator(services, caller, nodeOf(request).uuid, { ...indicatorOf(request), state });
  return { status: 204 };
}

function indicatorOf({ parameters: { indicator = '' } }: ApiRequest): IndicatorId {
  const at = indicator.lastIndexOf('@');
  if (at === -1) {
    throw fault('InvalidParameter', {
      name: 'indicator',
      reason: `${indicator} is not a name and a component with @ between them, as in led-0@chassis`,
    });
  }
  return { name: indicator.slice(0, at), component: indicator.slice(at + 1) };
}

async function interrupt(request: ApiRequest): Promise<Reply> {
  takeArguments(request.body, {});
  await injectNmi(request.services, request.caller, nodeOf(request).uuid);
  return { status: 204 };
}
