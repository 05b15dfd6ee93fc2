// Reads what each view shows. The path chooses the view; the parameters of the query choose what it shows.
import { findNode } from '../conductor/records/find-record.ts';
import type { Services } from '../conductor/services.ts';
import type { SignIn } from '../http/login/sign-in.ts';
import type { Answer } from '../http/answer.ts';
import type { Visit } from '../http/pages.ts';
import { Fault, fault } from '../model/faults.ts';
import { MAXIMUM_MINOR } from '../model/microversions.ts';
import { discoveredPage, networkBootPage, newBmcPage, newListPage } from './add-pages.ts';
import { redirect } from './answers.ts';
import { decoded, nodePage } from './node-pages.ts';
import type { Outcomes } from './actions/perform.ts';
import { readEnrolment } from './read/add/enrolment.ts';
import { enrolPage } from './views/add/unknown.ts';
import { readHappenings } from './read/happenings.ts';
import type { HealthCheck } from './read/health.ts';
import { machinesPage, paletteAnswer } from './machine-pages.ts';
import { type DoctorAtHand, examineIfOld } from './read/site/examination.ts';
import { readNetwork } from './read/site/network.ts';
import { openIn, readSetup } from './read/site/setup.ts';
import { readWiring } from './read/site/wiring.ts';
import { readDeployment } from './read/deploy/deployment.ts';
import { readActionProgress } from './read/results.ts';
import { readImage, readImages } from './read/images.ts';
import { readMachines, readNames } from './read/machines.ts';
import { readWork } from './read/tasks.ts';
import { deployPage } from './views/deploy/deploy.ts';
import { addImagePage } from './views/images/add.ts';
import { imagePage } from './views/images/image.ts';
import { imagesPage } from './views/images/images.ts';
import { eventsView } from './views/events.ts';
import { healthView } from './views/health.ts';
import { kitView } from './views/kit.ts';
import type { PageView } from './views/layout.ts';
import { readOwnSessions, readUsers } from './read/users.ts';
import { sessionsView } from './views/people/sessions.ts';
import { type ShownUsers, usersView } from './views/people/users.ts';
import { networkView } from './views/network/network.ts';
import { setupView } from './views/site/setup.ts';
import { resultsView } from './views/results.ts';
import { workView } from './views/work.ts';

export interface UiSite {
  readonly services: Services;
  readonly health: () => readonly HealthCheck[];
  readonly doctor: DoctorAtHand;
  readonly outcomes: Outcomes;
  /** Undefined where nobody needs to sign in. */
  readonly signIn: SignIn | undefined;
}

type Shown = PageView | Answer | Promise<PageView | Answer>;
type Show = (site: UiSite, visit: Visit) => Shown;

const VIEWS: Readonly<Record<string, Show>> = {
  '/ui/': ({ services }, visit) => machinesPage(services, visit),
  '/ui/add': ({ services }) => newBmcPage(services),
  '/ui/add/many': ({ services }) => newListPage(services),
  '/ui/add/discovered': ({ services }) => discoveredPage(services),
  '/ui/add/boot': ({ services }) => networkBootPage(services),
  '/ui/add/unknown': ({ services }, { url }) => enrolPage(readEnrolment(services, url.searchParams)),
  '/ui/work': ({ services }) => ({
    title: 'Work',
    at: '/ui/work',
    showsTimelines: true,
    body: workView({ ...readWork(services), now: services.clock.now() }),
  }),
  '/ui/events': events,
  '/ui/users': (site, visit) => usersPage(site, visit, {}),
  '/ui/sessions': sessions,
  '/ui/kit': kit,
  '/ui/deploy': async ({ services }, visit) =>
    deployPage(await readDeployment(services, visit, visit.url.searchParams)),
  '/ui/images': ({ services }) => imagesPage(readImages(services)),
  '/ui/images/add': (_, { url }) => addImagePage(url.searchParams),
  '/ui/network': network,
  '/ui/health': healthPage,
  '/ui/setup': ({ services, doctor }) => ({
    title: 'Setup',
    modules: COPYING,
    body: setupView(readSetup(services, doctor.last)),
  }),
};

/** What is no view: an answer for a module, and the former address of a view. */
const OTHERS: ReadonlyMap<string, Show> = new Map<string, Show>([
  ['/ui/palette', ({ services }, visit) => paletteAnswer(services, visit)],
  ['/ui/inbox', () => redirect('/ui/add/discovered', 302)],
]);

/** Throws NotFound, InvalidUuidOrName and NodeNotFound. */
export function viewAt(site: UiSite, visit: Visit): Shown {
  const { pathname } = visit.url;
  const [, , folder, ...rest] = pathname.split('/');
  const show = Object.hasOwn(VIEWS, pathname) ? VIEWS[pathname] : OTHERS.get(pathname);
  if (show !== undefined) return show(site, visit);
  const [id = '', ...more] = rest;
  if (folder === 'nodes') return nodePage(site.services, visit, rest);
  if (folder === 'results' && more.length === 0) return outcome(site, visit, id);
  if (folder === 'images' && more.length === 0) return imagePage(readImage(site.services, decoded(id)));
  throw fault('NotFound', {});
}

/** The module of views with commands to copy. */
const COPYING = ['copy.js'];
const LONGEST_QUERY = 100;

function events({ services }: UiSite, { url: { searchParams } }: Visit): PageView {
  const filter = {
    node: (searchParams.get('node') ?? '').trim(),
    user: (searchParams.get('user') ?? '').trim(),
    kind: searchParams.get('kind') ?? '',
    before: searchParams.get('before') ?? '',
  };
  const found = filter.node === '' ? undefined : uuidOf(services, filter.node);
  const refusal = found instanceof Fault ? found.message : undefined;
  const page =
    found instanceof Fault
      ? { happenings: [], next: undefined }
      : readHappenings(services, { ...filter, node: found });
  const now = services.clock.now();
  const body = eventsView({ ...page, filter, names: readNames(services), refusal, now });
  return { title: 'Events', at: '/ui/events', body };
}

function network({ services }: UiSite, { url: { searchParams } }: Visit): PageView {
  const query = (searchParams.get('q') ?? '').trim().slice(0, LONGEST_QUERY);
  const now = services.clock.now();
  const body = networkView({ ...readNetwork(services, query), query, now, wiring: readWiring(services) });
  return { title: 'Network', at: '/ui/network', showsTimelines: true, modules: COPYING, body };
}

function healthPage({ services, health, doctor }: UiSite): PageView {
  const now = services.clock.now();
  examineIfOld(doctor, now);
  const { last: examination, isRunning } = doctor;
  const machines = new Map(readMachines(services).map((machine) => [machine.uuid, machine]));
  const open = openIn(readSetup(services, examination)).length;
  const body = healthView({ checks: health(), examination, isRunning, machines, open, now });
  return { title: 'Health', at: '/ui/health', modules: COPYING, body };
}

function kit({ services }: UiSite): PageView {
  if (!services.config.ui.kit) throw fault('NotFound', {});
  return { title: 'Kit', body: kitView() };
}

function uuidOf(services: Services, name: string): string | Fault {
  try {
    return findNode(services, name, MAXIMUM_MINOR).uuid;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** `result`: what became of the form that makes a token. Throws RoleTooLow, and NotFound where there are no users. */
export function usersPage(
  { services, signIn }: UiSite,
  visit: Visit,
  { made, refused }: Partial<Pick<ShownUsers, 'made' | 'refused'>>,
): PageView {
  if (signIn === undefined) throw fault('NotFound', {});
  const users = readUsers(services, signIn, visit);
  const now = services.clock.now();
  const otherRole = services.config.users.default_role;
  const body = usersView({ users, own: visit.caller.session, made, refused, otherRole, now });
  return { title: 'Users', at: '/ui/users', body };
}

function sessions({ services, signIn }: UiSite, visit: Visit): PageView {
  if (signIn === undefined) throw fault('NotFound', {});
  const own = visit.caller.session;
  const body = sessionsView({ sessions: readOwnSessions(signIn, visit), own, now: services.clock.now() });
  return { title: 'Your sessions', body };
}

function outcome({ services, outcomes }: UiSite, { caller }: Visit, id: string): PageView {
  const found = outcomes.of(id, caller.user);
  if (found === undefined) throw fault('NotFound', {});
  return {
    title: found.action,
    showsTimelines: true,
    body: resultsView(readActionProgress(services, found)),
  };
}
