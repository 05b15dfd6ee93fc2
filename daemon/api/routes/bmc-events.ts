// POST /v1/bmc_events/NODE/TOKEN: receives the events that BMCs send. The token in the path authenticates the BMC.
import { receiveEvent } from '../../conductor/loops/receive-event.ts';
import { fault } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';
import { route, type Route } from '../../http/route.ts';

/** BMCs send a few hundred bytes for each event. */
const LARGEST_KIBIBYTES = 64;

export const bmcEventRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/bmc_events/:node/:token',
    since: 1,
    public: true,
    unaudited: true,
    // one BMC may manage a chassis of machines
    rate: { perSecond: 20, burst: 200 },
    body: { json: { type: 'object' } },
    answers: { 204: null },
    limit: () => ({ kibibytes: LARGEST_KIBIBYTES, option: 'a fixed limit' }),
    handler({ services, parameters, body }) {
      if (!isJsonObject(body)) throw fault('Invalid', { reason: 'Expected a JSON object.' });
      receiveEvent(services, { node: parameters['node'] ?? '', token: parameters['token'] ?? '', body });
      return { status: 204 };
    },
  }),
];
