// Every view of the page with the place where a browser finds it. Pictures are made of all of them, and axe examines all of them.
import { TABS } from '../../daemon/ui/views/node/tab-names.ts';
import type { ShownMachines } from './made-up-site.ts';

export interface ShownView {
  /** The name of its pictures. */
  readonly name: string;
  /** The route of `daemon/ui/site.ts`; `nodes` for what is below /ui/nodes/, undefined for what a form answers. */
  readonly route: string | undefined;
  /** The place below `/ui/`. */
  readonly place: (machines: ShownMachines) => string;
  /** A text that is there when the view shows everything. */
  readonly complete?: string;
  /** The fields of a form that is posted to the place. */
  readonly form?: (machines: ShownMachines) => readonly (readonly [string, string])[];
}

const at = (name: string, place: string, route = `/ui/${place}`): ShownView => ({
  name,
  route: route.split('?')[0],
  place: () => place,
});

/** What is shown after a button of the machines, or of a machine that does not exist. */
const asked = (
  name: string,
  action: string,
  nodes: (all: ShownMachines) => readonly string[],
): ShownView => ({
  name,
  route: undefined,
  place: () => 'actions',
  form: (all) => [['action', action], ...nodes(all).map((node) => ['node', node] as const)],
});

/** The tabs, and what is reached from the menu of the head. */
const PLACES = [...TABS.map(([tab]) => tab), 'indicators', 'report'];

const TABS_SHOWN: readonly ShownView[] = PLACES.map((tab) => ({
  name: `machine-${tab === '' ? 'first-tab' : tab}`,
  route: 'nodes',
  place: ({ active }) => `nodes/${active}${tab === '' ? '' : `/${tab}`}`,
}));

export const shownViews: readonly ShownView[] = [
  at('machines', ''),
  at('machines-search', '?q=web'),
  at('machines-nothing-found', '?q=nothing'),
  at('machines-need-you', '?only=problems'),
  at('machines-in-groups', '?group=class&column=state&column=rack&column=driver'),
  at('machines-of-rack', '?rack=R1&sort=-rack'),
  at('add', 'add'),
  at('add-many', 'add/many'),
  at('discovered', 'add/discovered'),
  at('network-boot', 'add/boot'),
  at('enrol', 'add/unknown?machine=52:54:00:00:00:99'),
  {
    name: 'add-many-checked',
    route: undefined,
    place: () => 'add/many',
    form: () => [
      ['do', 'check'],
      ['driver', 'fake-hardware'],
      ['list', 'name,mac,serial,class\nnew-1,52:54:00:10:ff:01,S1,web\nnew 2,zz,,=web\n,,,db'],
    ],
  },
  at('images', 'images'),
  at('image-add', 'images/add'),
  { name: 'deploy', route: '/ui/deploy', place: ({ failed }) => `deploy?node=${failed}` },
  { name: 'rebuild', route: '/ui/deploy', place: ({ active }) => `deploy?node=${active}` },
  at('users', 'users'),
  at('sessions', 'sessions'),
  at('network', 'network'),
  at('network-search', 'network?q=db'),
  at('work', 'work'),
  at('events', 'events'),
  at('events-of-machine', 'events?node=web-01&kind=event'),
  at('events-unknown-machine', 'events?node=nobody'),
  { ...at('health', 'health'), complete: 'the doctor looked' },
  at('setup', 'setup'),
  at('kit', 'kit'),
  ...TABS_SHOWN,
  { name: 'machine-working', route: 'nodes', place: ({ working }) => `nodes/${working}` },
  { name: 'machine-failed', route: 'nodes', place: ({ failed }) => `nodes/${failed}` },
  at('nothing-here', 'nothing', 'nodes'),
  asked('question', 'undeploy', ({ active }) => [active]),
  asked('question-of-many', 'power-off', ({ active, working, failed }) => [active, working, failed]),
  asked('question-impossible', 'provide', ({ active }) => [active]),
  asked('results', 'boot-pxe', ({ active }) => [active, '00000000-0000-4000-8000-000000000000']),
];
