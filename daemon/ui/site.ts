// Reads what each view shows. The path chooses the view; the parameters of the query choose what it shows.
import { findNode } from '../conductor/records/find/find-node.ts';
import type { Services } from '../conductor/services.ts';
import type { Answer } from '../http/answer.ts';
import type { Visit } from '../http/pages.ts';
import { Fault, fault } from '../model/faults.ts';
import { MAXIMUM_MINOR } from '../model/microversions.ts';
import { nodePage } from './node-pages.ts';
import type { Outcomes } from './actions/perform.ts';
import { enrolPage } from './read/enrolment.ts';
import { readHappenings } from './read/happenings.ts';
import type { HealthCheck } from './read/health.ts';
import { hasProblem, readMachines, readNames, searchNodes } from './read/machines.ts';
import { readWork } from './read/tasks.ts';
import { eventsView } from './views/events.ts';
import { healthView } from './views/health.ts';
import { inboxView } from './views/inbox.ts';
import type { View } from './views/layout.ts';
import { rackView } from './views/rack.ts';
import { outcomeView } from './views/requests.ts';
import { workView } from './views/work.ts';

export interface Site {
  readonly services: Services;
  readonly health: () => readonly HealthCheck[];
  readonly outcomes: Outcomes;
}

type Shown = View | Answer | Promise<View | Answer>;
type Show = (site: Site, visit: Visit) => Shown;

const VIEWS: Readonly<Record<string, Show>> = {
  '/ui/': rack,
  '/ui/inbox': ({ services }) => ({
    title: 'Inbox',
    at: '/ui/inbox',
    showsTimelines: true,
    body: inboxView(inboxOf(services)),
  }),
  '/ui/inbox/enrol': ({ services }, { url }) => enrolPage(services, url.searchParams),
  '/ui/work': ({ services }) => ({
    title: 'Work',
    at: '/ui/work',
    showsTimelines: true,
    body: workView(readWork(services)),
  }),
  '/ui/events': events,
  '/ui/health': ({ health }) => ({
    title: 'Health',
    at: '/ui/health',
    body: healthView(health()),
  }),
};

/** Throws NotFound, InvalidUuidOrName and NodeNotFound. */
export function viewAt(site: Site, visit: Visit): Shown {
  const { pathname } = visit.url;
  const [, , folder, ...rest] = pathname.split('/');
  const show = Object.hasOwn(VIEWS, pathname) ? VIEWS[pathname] : undefined;
  if (show !== undefined) return show(site, visit);
  const [id = '', ...more] = rest;
  if (folder === 'nodes') return nodePage(site.services, visit, rest);
  if (folder === 'results' && more.length === 0) return outcome(site, visit, id);
  throw fault('NotFound', {});
}

const LONGEST_QUERY = 100;

function rack({ services }: Site, { url: { searchParams } }: Visit): View {
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
  // a live page fetches only the rows of changed machines
  const changed = new Set(searchParams.getAll('changed'));
  const rows = changed.size === 0 ? shown : shown.filter(({ uuid }) => changed.has(uuid));
  return { title: 'Rack', at: '/ui/', query, follows: 'rows', body: rackView(all, rows, filter) };
}

const MOST_UNKNOWN = 100;

function inboxOf(services: Services) {
  const { db, timeline, plugins } = services;
  timeline.flush();
  const machines = readMachines(services);
  const byUuid = new Map(machines.map((machine) => [machine.uuid, machine]));
  return {
    unknown: db.machineEvents.unknownMachines(MOST_UNKNOWN),
    quarantined: db.quarantine.list().map((entry) => ({ entry, machine: byUuid.get(entry.node_uuid) })),
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
  const body = eventsView({ happenings, filter, names: readNames(services), refusal });
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

function outcome({ services, outcomes }: Site, { caller }: Visit, id: string): View {
  const found = outcomes.of(id, caller.user);
  if (found === undefined) throw fault('NotFound', {});
  return { title: found.action, body: outcomeView(found, readNames(services)) };
}
