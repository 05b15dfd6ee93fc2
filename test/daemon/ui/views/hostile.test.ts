import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Machine } from '../../../../daemon/ui/read/machines.ts';
import { eventsView } from '../../../../daemon/ui/views/events.ts';
import { healthView } from '../../../../daemon/ui/views/health.ts';
import { inboxView } from '../../../../daemon/ui/views/inbox.ts';
import { layout } from '../../../../daemon/ui/views/layout.ts';
import type { Markup } from '../../../../daemon/ui/views/markup.ts';
import { enrolView } from '../../../../daemon/ui/views/enrol.ts';
import { inventoryTab, recordTab } from '../../../../daemon/ui/views/node/inventory.ts';
import {
  consoleTab,
  indicatorsTab,
  logsTab,
  sensorsTab,
} from '../../../../daemon/ui/views/node/machine-tabs.ts';
import { historyTab, nodeView } from '../../../../daemon/ui/views/node/node.ts';
import { stepsTab } from '../../../../daemon/ui/views/node/steps.ts';
import { timelineTab } from '../../../../daemon/ui/views/node/timeline.ts';
import { rackView } from '../../../../daemon/ui/views/rack.ts';
import { outcomeView, questionView } from '../../../../daemon/ui/views/requests.ts';
import { workView } from '../../../../daemon/ui/views/work.ts';
import { actions } from '../../../../daemon/ui/actions/actions.ts';

const EVIL = `"'><img src=x onerror=alert(1)><script>alert(2)</script></pre></textarea>`;
const AT = '2026-11-22T10:00:00+00:00';

const machine: Machine = {
  uuid: EVIL,
  name: EVIL,
  rack: EVIL,
  unit: 4,
  state: 'clean failed',
  since: AT,
  power: EVIL,
  maintenance: true,
  maintenanceReason: EVIL,
  quarantined: false,
  error: EVIL,
  step: EVIL,
  locked: true,
  discovered: true,
  console: true,
  unhealthy: [EVIL],
};
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
const entry = {
  node_uuid: EVIL,
  since: EVIL,
  reason: EVIL,
  maintenance: false,
  maintenance_reason: EVIL,
  fault: null,
  handed_to: null,
};
const seen = {
  machine: EVIL,
  first_seen: EVIL,
  last_seen: EVIL,
  events: 2,
  last_event: EVIL,
  ignored: false,
};
const history = {
  uuid: EVIL,
  node_uuid: EVIL,
  created_at: EVIL,
  severity: 'ERROR',
  event: EVIL,
  event_type: EVIL,
  conductor: EVIL,
  user: EVIL,
  state: EVIL,
  target_provision_state: null,
  duration_seconds: null,
} as const;
const vendor = { manufacturer: EVIL, product_name: EVIL, serial_number: EVIL };
const task = { machine, work: EVIL, age: 3, usual: 1, late: true, lastSeen: event };
const reading = { type: EVIL, id: EVIL, reading: 1, unit: 'rpm', health: 'Warning', fields: {} } as const;
const readings = {
  node: { uuid: EVIL, name: EVIL, driver: EVIL, instance_uuid: null },
  at: 0,
  sensors: [reading],
};
const indicator = { name: EVIL, readonly: false, states: ['on'], state: 'off' } as const;
const { undeploy } = actions;
assert.ok(undeploy);
const names = new Map([[EVIL, EVIL]]);

const views: Readonly<Record<string, Markup>> = {
  rack: rackView([machine], [machine], { query: EVIL, state: EVIL, onlyProblems: false }),
  'an empty search': rackView([machine], [], { query: EVIL, state: EVIL, onlyProblems: false }),
  node: nodeView({
    machine,
    record: { driver: EVIL, driver_info: { ipmi_address: EVIL } },
    vendor,
    macs: [EVIL],
    tab: '',
    body: timelineTab({
      node: EVIL,
      label: EVIL,
      boot: [event],
      earlier: [{ ...event, hop: 'power' }],
      usual: new Map([['dhcp', 3]]),
      missing: { hop: 'tftp', usual: 3, age: 400, late: true },
    }),
  }),
  inventory: inventoryTab({ system_vendor: vendor, disks: [{ name: EVIL }], [EVIL]: [EVIL] }),
  record: recordTab({ [EVIL]: EVIL }),
  steps: stepsTab({
    plan: [{ name: EVIL, place: 'running', usual: 1 }],
    current: task,
    earlier: [{ work: EVIL, ended_at: EVIL, seconds: 2 }],
    usualOf: () => 1,
  }),
  history: historyTab([history]),
  logs: logsTab({ node: EVIL, collect: EVIL, saved: [{ file: EVIL, bytes: 1, at: EVIL }] }),
  console: consoleTab({ label: EVIL, enabled: true, text: EVIL }),
  sensors: sensorsTab(readings, true),
  indicators: indicatorsTab(EVIL, [indicator], EVIL),
  enrolment: enrolView({
    machine: EVIL,
    name: EVIL,
    driver: EVIL,
    address: EVIL,
    username: EVIL,
    drivers: [EVIL],
    refusal: EVIL,
  }),
  inbox: inboxView({
    unknown: [seen, { ...seen, ignored: true }],
    quarantined: [{ entry, machine }],
    discovered: [machine],
    pluginsAside: [{ folder: EVIL, reason: EVIL }],
  }),
  work: workView({ busy: 1, size: 2, running: [task], failed: [task] }),
  events: eventsView({
    happenings: [{ at: EVIL, kind: 'event', user: EVIL, node: EVIL, text: EVIL, failed: true }],
    filter: { node: EVIL, user: EVIL, kind: EVIL },
    names,
    refusal: EVIL,
  }),
  health: healthView([{ name: EVIL, ok: false, detail: EVIL }]),
  question: questionView({
    name: EVIL,
    action: { ...undeploy, label: EVIL, loses: EVIL },
    nodes: [{ uuid: EVIL, label: EVIL, plan: [EVIL] }],
    word: EVIL,
    isWrong: true,
  }),
  outcome: outcomeView(
    { action: EVIL, user: EVIL, results: [{ node: EVIL, status: 409, refusal: EVIL }] },
    names,
  ),
};
const files = { 'page.js': '/a', 'stream.js': '/d', 'page.css': '/b', 'icon.svg': '/c' };

describe('text from outside stays text', () => {
  for (const [name, body] of Object.entries(views)) {
    it(`markup in values stays text: ${name}`, async () => {
      const text = String(await body);
      assert.ok(text.includes('&lt;img src=x'), 'the text is shown');
      assert.doesNotMatch(text, /<img|<script|"'>/);
      const values = [...text.matchAll(/\son\w+=/g)].length - text.split('src=x onerror=').length + 1;
      assert.equal(values, 0, 'no element has an event handler');
    });
  }

  it('markup in values stays text: the frame of a page', async () => {
    const frame = {
      site: EVIL,
      visitor: { user: EVIL, role: 'admin' } as const,
      problems: 1,
      failing: 1,
      isStill: false,
      event: 1,
      files,
    };
    const text = String(await layout(frame, { title: EVIL, query: EVIL, body: healthView([]) }));
    assert.equal([...text.matchAll(/<script/g)].length, 1, 'only the script of the page');
    assert.doesNotMatch(text, /<img|"'>/);
  });

  it('no view has inline styles or javascript: links, which the content security policy would refuse', async () => {
    for (const body of Object.values(views)) assert.doesNotMatch(String(await body), /\sstyle=|javascript:/);
  });
});
