// POST /v1/events: what a network service reports about ports. Events are only logged; nothing waits for them.
import { type NetworkEvent, networkEventsFields } from '../../model/network-event.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { createSchema } from '../../http/schema-parts.ts';
import { validatorFor } from '../../model/records/field-validator.ts';

const REQUIRED = ['events'];
const validate = validatorFor(networkEventsFields, 'create', REQUIRED);

export const eventRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/events',
    since: 54,
    body: { json: createSchema(networkEventsFields, REQUIRED) },
    answers: { 204: null },
    handler: receive,
  }),
];

function receive({ services, caller, body }: ApiRequest): Reply {
  const { events } = validate('events', body) as { events: readonly NetworkEvent[] };
  for (const event of events)
    services.log.info({ request_id: caller.requestId, ...event }, 'event of the network service');
  return { status: 204 };
}
