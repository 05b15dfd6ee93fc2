// Reads what each view shows: the path, and the parameters of its query, choose the view.
import { keepsInventories } from '../conductor/inspection/stored-inventory.ts';
import { findNode } from '../conductor/records/find/find-node.ts';
import type { Services } from '../conductor/services.ts';
import { equalConditions } from '../db/tables/table.ts';
import type { Visit } from '../http/pages.ts';
import { Fault, fault } from '../model/faults.ts';
import type { JsonObject } from '../model/json.ts';
import { MAXIMUM_MINOR } from '../model/microversions.ts';
import type { NodeHistory } from '../model/records/node-history.ts';
import type { Outcomes } from './actions/perform.ts';
import { readHappenings } from './read/happenings.ts';
import { type HealthCheck, readHealth } from './read/health.ts';
import { hasProblem, labelOf, machineOf, readMachines, searchNodes } from './read/machines.ts';
import { readWork } from './read/tasks.ts';
import { eventsView } from './views/events.ts';
import { healthView } from './views/health.ts';
import { inboxView } from './views/inbox.ts';
import type { View } from './views/layout.ts';
import { nodeView } from './views/node.ts';
import { rackView } from './views/rack.ts';
import { outcomeView } from './views/requests.ts';
import { workView } from './views/work.ts';

export interface Site {
  readonly services: Services;
  readonly checks: () => readonly HealthCheck[];
  readonly outcomes: Outcomes;
}

type Show = (site: Site, visit: Visit) => View | string | Promise<View | string>;

const VIEWS: Readonly<Record<string, Show>> = {
  '/ui/': rack,
  '/ui/inbox': ({ services }) => ({ title: 'Inbox', at: '/ui/inbox', body: inboxView(inboxOf(services)) }),
  '/ui/work': ({ services }) => ({ title: 'Work', at: '/ui/work', body: workView(readWork(services)) }),
  '/ui/events': events,
  '/ui/health': ({ services, checks }) => ({
    title: 'Health',
    at: '/ui/health',
    body: healthView(readHealth(services, checks())),
  }),
};

/** Throws NotFound and NodeNotFound. */
export function viewAt(site: Site, visit: Visit): ReturnType<Show> {
  const { pathname } = visit.url;
  const [, , folder, name = '', ...rest] = pathname.split('/');
  const show = Object.hasOwn(VIEWS, pathname) ? VIEWS[pathname] : undefined;
  if (show !== undefined) return show(site, visit);
  if (folder === 'nodes' && rest.length === 0) return node(site, visit, name);
  if (folder === 'results' && rest.length === 0) return outcome(site, visit, name);
  throw fault('NotFound', {});
}

const LONGEST_QUERY = 100;

function rack({ services }: Site, { url: { searchParams } }: Visit): View | string {
  const query = (searchParams.get('q') ?? '').trim().slice(0, LONGEST_QUERY);
  const filter = {
    query,
    state: searchParams.get('state') ?? '',
    onlyProblems: searchParams.get('only') === 'problems',
  };
  const all = readMachines(services);
  const found = query === '' ? undefined : searchNodes(services, query);
  const shown = all.filter(
    (machine) =>
      found?.has(machine.uuid) !== false &&
      (filter.state === '' || machine.state === filter.state) &&
      (!filter.onlyProblems || hasProblem(machine)),
  );
  return { title: 'Rack', at: '/ui/', query, body: rackView(all, shown, filter) };
}

/** The most events and entries of history that a node's page shows. */
const MOST_EVENTS = 200;
const MOST_HISTORY = 50;

async function node({ services }: Site, { call }: Visit, name: string): Promise<View> {
  const found = findNode(services, decoded(name), MAXIMUM_MINOR);
  const { uuid } = found;
  const { db, locks, timeline } = services;
  timeline.flush();
  const machine = machineOf(found, {
    quarantined: db.quarantine.of(uuid) !== undefined,
    locked: locks.holderOf(uuid) !== null,
  });
  const record = await call({ method: 'GET', path: `/v1/nodes/${uuid}` });
  const stored = keepsInventories(services) ? db.inventory.inventoryOf(uuid) : undefined;
  const newestFirst = { limit: MOST_HISTORY, sortKey: 'id', descending: true };
  return {
    title: labelOf(machine),
    body: nodeView({
      machine,
      record: (await record.json()) as JsonObject,
      inventory: stored === undefined ? undefined : (JSON.parse(stored) as JsonObject),
      events: db.machineEvents.ofNode(uuid, { since: 0, limit: MOST_EVENTS }),
      history: db.history.list(
        db.history.columns,
        equalConditions<NodeHistory>({ node_uuid: uuid }),
        newestFirst,
      ),
      macs: db.ports.ofNode(uuid).map(({ address }) => address),
    }),
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const MOST_UNKNOWN = 100;

function inboxOf(services: Services) {
  const { db, timeline, plugins } = services;
  timeline.flush();
  const machines = readMachines(services);
  return {
    unknown: db.machineEvents.unknownMachines(MOST_UNKNOWN),
    quarantined: db.quarantine
      .list()
      .map((entry) => ({ entry, machine: machines.find(({ uuid }) => uuid === entry.node_uuid) })),
    discovered: machines.filter(({ discovered, state }) => discovered && state === 'enroll'),
    pluginsAside: plugins.setAside,
  };
}

function events({ services }: Site, { url: { searchParams } }: Visit): View {
  const filter = {
    node: (searchParams.get('node') ?? '').trim(),
    user: (searchParams.get('user') ?? '').trim(),
    kind: searchParams.get('kind') ?? '',
  };
  const found = filter.node === '' ? undefined : uuidOf(services, filter.node);
  const refusal = found instanceof Fault ? found.message : undefined;
  const happenings = found instanceof Fault ? [] : readHappenings(services, { ...filter, node: found });
  const body = eventsView({ happenings, filter, names: namesOf(services), refusal });
  return { title: 'Events', at: '/ui/events', body };
}

function uuidOf(services: Services, name: string): string | Fault {
  try {
    return findNode(services, name, MAXIMUM_MINOR).uuid;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

const namesOf = (services: Services): ReadonlyMap<string, string> =>
  new Map(readMachines(services).map((machine) => [machine.uuid, labelOf(machine)]));

function outcome({ services, outcomes }: Site, { caller }: Visit, id: string): View {
  const found = outcomes.of(id, caller.user);
  if (found === undefined) throw fault('NotFound', {});
  return { title: found.action, body: outcomeView(found, namesOf(services)) };
}
