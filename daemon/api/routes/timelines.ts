// /v1/nodes/{node}/timeline: what the daemon saw of a node's machine. /v1/unknown_machines: the machines without a node, and the
// timeline of each.
import { nodeOf } from '../../conductor/records/find-record.ts';
import type { Services } from '../../conductor/services.ts';
import { now } from '../../lib/clock.ts';
import { parseMac } from '../../lib/network/mac.ts';
import { fault } from '../../model/faults.ts';
import type { MachineEvent } from '../../model/records/machine-event.ts';
import type { Parameters } from '../../http/parameters.ts';
import { type ApiRequest, type Reply, type Route, route } from '../../http/route.ts';
import { flagSchema, listSchema, orNull, textSchema, wholeSchema } from '../../http/schema-parts.ts';

const parameters = {
  since: { kind: 'integer' },
  limit: { kind: 'integer' },
  wait: { kind: 'integer' },
} as const satisfies Parameters;

type TimelineRequest = ApiRequest<typeof parameters>;
type Read = (page: { readonly since: number; readonly limit: number }) => readonly MachineEvent[];

/** The most events in one answer; also the limit of a request without `limit`. */
const PAGE = 1000;
const LONGEST_WAIT_SECONDS = 60;
const MOST_MACHINES = 1000;

const eventSchema = wholeSchema(
  {
    id: { type: 'integer' },
    at: textSchema,
    hop: textSchema,
    mac: orNull(textSchema),
    address: orNull(textSchema),
    text: textSchema,
    failed: flagSchema,
  },
  'MachineEvent',
);
const timelineSchema = wholeSchema({ events: listSchema(eventSchema) });
const machineSchema = wholeSchema(
  {
    machine: textSchema,
    first_seen: textSchema,
    last_seen: textSchema,
    events: { type: 'integer' },
    last_event: textSchema,
    ignored: flagSchema,
  },
  'UnknownMachine',
);

export const timelineRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/nodes/:node/timeline',
    since: 1,
    query: parameters,
    answers: { 200: timelineSchema },
    handler(request) {
      const { uuid } = nodeOf(request);
      return timeline(request, (page) => request.services.db.machineEvents.ofNode(uuid, page));
    },
  }),
  route({
    method: 'GET',
    path: '/v1/unknown_machines',
    since: 1,
    answers: { 200: wholeSchema({ unknown_machines: listSchema(machineSchema) }) },
    handler({ services }) {
      services.timeline.flush();
      return {
        status: 200,
        body: { unknown_machines: services.db.machineEvents.unknownMachines(MOST_MACHINES) },
      };
    },
  }),
  route({
    method: 'PUT',
    path: '/v1/unknown_machines/:machine',
    since: 1,
    body: { parameters: { ignored: { kind: 'flag', required: true } } },
    answers: { 204: null },
    handler({ services, parameters: { machine = '' }, given }) {
      const name = parseMac(machine) ?? machine;
      setIgnored(services, name, given.ignored);
      return { status: 204 };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/unknown_machines/:machine/timeline',
    since: 1,
    query: parameters,
    answers: { 200: timelineSchema },
    handler(request) {
      const { machine = '' } = request.parameters;
      const name = parseMac(machine) ?? machine;
      return timeline(request, (page) => request.services.db.machineEvents.ofMachine(name, page));
    },
  }),
];

function setIgnored(services: Services, machine: string, ignored: boolean): void {
  const { db } = services;
  services.timeline.flush();
  if (db.machineEvents.ofMachine(machine, { since: 0, limit: 1 }).length === 0) throw fault('NotFound', {});
  if (ignored) db.transaction(() => db.machineEvents.ignore(machine, now(services)));
  else db.machineEvents.stopIgnoring(machine);
}

/**
 * Answers at once with the newest `limit` events whose id is above `since`, oldest first. If there is no such event, waits up to
 * `wait` seconds for one.
 */
async function timeline({ services, query }: TimelineRequest, read: Read): Promise<Reply> {
  const { since = 0, limit = PAGE, wait = 0 } = query;
  refuseOutside('since', since, Number.MAX_SAFE_INTEGER);
  refuseOutside('limit', limit, PAGE);
  refuseOutside('wait', wait, LONGEST_WAIT_SECONDS);
  const { timeline: recorder, clock } = services;
  const end = clock.monotonic() + wait * 1000;
  recorder.flush();
  for (;;) {
    const events = read({ since, limit });
    const left = end - clock.monotonic();
    if (events.length > 0 || left <= 0 || !(await recorder.next(left)))
      return { status: 200, body: { events: events.map(view) } };
  }
}

function refuseOutside(name: string, value: number, maximum: number): void {
  if (value >= 0 && value <= maximum) return;
  throw fault('InvalidParameter', {
    name,
    reason: `${value} is not a number from 0 to ${maximum}`,
  });
}

const view = ({ id, at, hop, mac, address, text, failed }: MachineEvent) => ({
  id,
  at,
  hop,
  mac,
  address,
  text,
  failed,
});
