import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertStaysText, EVIL, EVIL_MACHINE as machine } from '../../../fakes/clients/hostile-markup.ts';
import { eventsView } from '../../../../daemon/ui/views/events.ts';
import { healthView } from '../../../../daemon/ui/views/health.ts';
import { byBmcView } from '../../../../daemon/ui/views/add/by-bmc.ts';
import { bootView } from '../../../../daemon/ui/views/add/boot.ts';
import { discoveredView } from '../../../../daemon/ui/views/add/discovered.ts';
import { manyView } from '../../../../daemon/ui/views/add/many.ts';
import { enrolPage } from '../../../../daemon/ui/views/add/unknown.ts';
import { machinesView } from '../../../../daemon/ui/views/machines/machines.ts';
import { machineQuery } from '../../../../daemon/ui/read/machine-query.ts';
import type { ShownMachine } from '../../../../daemon/ui/read/machines.ts';
import type { MachineRow } from '../../../../daemon/ui/read/machine-rows.ts';
import { layout } from '../../../../daemon/ui/views/layout.ts';
import type { Markup } from '../../../../daemon/ui/kit/markup.ts';
import { questionView } from '../../../../daemon/ui/views/requests.ts';
import { networkView } from '../../../../daemon/ui/views/network/network.ts';
import { setupView } from '../../../../daemon/ui/views/site/setup.ts';
import { workView } from '../../../../daemon/ui/views/work.ts';
import { actions } from '../../../../daemon/ui/actions/actions.ts';
import { type FoundBmc, foundBmcFields } from '../../../../daemon/model/zero-touch/found-bmc.ts';

const event = {
  id: 1,
  at: EVIL,
  hop: 'dhcp',
  node_uuid: null,
  mac: EVIL,
  address: EVIL,
  text: EVIL,
  failed: true,
} as const;
const seen = {
  machine: EVIL,
  first_seen: EVIL,
  last_seen: EVIL,
  events: 2,
  last_event: EVIL,
  ignored: false,
};
const task = { machine, work: EVIL, age: 3, usual: 1, late: true, lastSeen: event };
const { undeploy } = actions;
assert.ok(undeploy);
const names = new Map([[EVIL, EVIL]]);

const evilTexts = Object.keys(foundBmcFields).map((name) => [name, EVIL]);
const found = { ...Object.fromEntries(evilTexts), node_uuid: null, protocols: [], macs: [EVIL] } as FoundBmc;

const row: MachineRow = {
  ...machine,
  driver: EVIL,
  resourceClass: EVIL,
  height: 1,
  image: EVIL,
  hardware: undefined,
  watts: 1,
  inlet: 1,
  progress: { age: 3, usual: 1, step: { at: 1, of: 2 } },
  quarantineReason: EVIL,
};
const evilQuery = new URLSearchParams([
  ['q', EVIL],
  ...['state', 'class', 'image', 'rack', 'driver', 'draw', 'action', 'only', 'sort'].map(
    (name): [string, string] => [name, EVIL],
  ),
]).toString();
const machines = {
  all: [row],
  selected: [],
  changed: undefined,
  query: machineQuery(new URLSearchParams(evilQuery)),
  stopped: 1,
  now: 0,
};
const test = { driver: EVIL, product: EVIL, serial_number: EVIL, power: null, macs: [EVIL], problem: EVIL };
const bmcForm = { given: { address: EVIL, name: EVIL }, drivers: [EVIL], classes: [EVIL] };
const cells = { name: EVIL, address: EVIL, username: EVIL, resource_class: EVIL, rack: EVIL, unit: EVIL };
const finding = {
  probe: EVIL,
  about: EVIL,
  severity: 'none',
  saw: '',
  means: '',
  fix: '',
  node: null,
} as const;
const healthPage = {
  checks: [],
  examination: undefined,
  isRunning: false,
  machines: new Map<string, ShownMachine>(),
  open: 1,
  now: 0,
};

const views: Readonly<Record<string, Markup>> = {
  machines: machinesView({ ...machines, selected: [row] }),
  'machines in groups': machinesView({
    ...machines,
    selected: [row],
    query: machineQuery(
      new URLSearchParams(`${evilQuery}&group=class&column=rack&column=driver&column=uuid`),
    ),
  }),
  'an empty search': machinesView(machines),
  enrolment: enrolPage({
    machine: EVIL,
    name: EVIL,
    driver: EVIL,
    address: EVIL,
    username: EVIL,
    drivers: [EVIL],
    refusal: EVIL,
  }).body,
  'add a machine': byBmcView({ ...bmcForm, result: test, refusal: undefined }),
  'a refused machine': byBmcView({ ...bmcForm, result: undefined, refusal: EVIL }),
  'add many': manyView({
    text: EVIL,
    driver: EVIL,
    goesOn: true,
    drivers: [EVIL],
    list: { leftOut: [EVIL], problem: undefined },
    rows: [
      { line: 2, values: cells, problems: [EVIL], becomes: 'node' },
      { line: 3, values: cells, problems: [], becomes: 'node' },
    ],
    refusal: EVIL,
  }),
  'network boot': bootView({
    unknown: [seen],
    givesAddresses: true,
    servesTftp: true,
    servesHttp: true,
    enrolsUnknown: true,
    now: 0,
  }),
  discovered: discoveredView({
    inbox: {
      unknown: [seen, { ...seen, ignored: true }],
      discovered: [machine],
      unexpected: [found, { ...found, product: 'other' }],
      stopped: [{ ...found, node_uuid: EVIL }],
      underWay: [found],
    },
    networks: [EVIL],
    now: 0,
  }),
  work: workView({ busy: 1, size: 2, running: [task], failed: [task], now: 0 }),
  events: eventsView({
    happenings: [{ at: EVIL, kind: 'event', user: EVIL, node: EVIL, text: EVIL, failed: true }],
    filter: { node: EVIL, user: EVIL, kind: EVIL, before: EVIL },
    next: EVIL,
    names,
    refusal: EVIL,
    now: 0,
  }),
  health: healthView({
    ...healthPage,
    checks: [
      { name: EVIL, ok: false, detail: EVIL, means: EVIL, fix: EVIL, plugin: EVIL, node: EVIL },
      { name: EVIL, ok: true, detail: EVIL },
    ],
    machines: new Map([[EVIL, machine]]),
    examination: { at: 0, failure: undefined, findings: [finding] },
  }),
  setup: setupView([
    { title: EVIL, state: 'open', why: EVIL, command: EVIL, link: { href: '/ui/', label: EVIL } },
  ]),
  network: networkView({
    mode: 'server',
    query: EVIL,
    now: 0,
    subnets: [
      {
        cidr: EVIL,
        interface: EVIL,
        address: EVIL,
        missing: EVIL,
        ranges: [EVIL],
        size: 9,
        leased: 9,
        setAside: 1,
      },
    ],
    services: [{ name: EVIL, detail: EVIL, isOn: true, missing: EVIL }],
    leases: [
      {
        address: EVIL,
        mac: EVIL,
        machine: { uuid: EVIL, label: EVIL },
        since: EVIL,
        until: EVIL,
        last: event,
      },
    ],
    count: { all: 9, found: 9 },
    rivals: [{ address: EVIL, interface: EVIL, last_seen: 0 }],
    unknown: [seen],
    wiring: {
      switches: [
        {
          name: EVIL,
          id: EVIL,
          links: [{ port: EVIL, machine: EVIL, label: EVIL, state: 'active', card: EVIL }],
        },
      ],
      unlinked: [{ uuid: EVIL, label: EVIL }],
    },
  }),
  question: questionView({
    name: EVIL,
    action: { ...undeploy, label: EVIL, loses: EVIL },
    nodes: [
      { uuid: EVIL, label: EVIL, plan: { steps: [EVIL], problems: [] } },
      { uuid: EVIL, label: EVIL, plan: { steps: [], problems: [EVIL] } },
    ],
    word: EVIL,
    isWrong: true,
  }),
};
describe('text from outside stays text', () => {
  for (const [name, body] of Object.entries(views)) {
    it(`markup in values stays text: ${name}`, () => assertStaysText(body));
  }

  it('markup in values stays text: the frame of a page', async () => {
    const frame = {
      site: EVIL,
      visitor: { user: EVIL, role: 'admin' } as const,
      counts: { machines: 1, problems: 1, working: 1, images: 1, waiting: 1, failing: 1 },
      isStill: false,
      event: 1,
      assets: '/a/',
    };
    const text = String(await layout(frame, { title: EVIL, query: EVIL, body: healthView(healthPage) }));
    assert.equal([...text.matchAll(/<script/g)].length, 2, 'only the scripts of the page');
    assert.doesNotMatch(text, /<img src=x|"'>/);
  });
});
