// Text from a machine, its BMC and its operators stays text in the views of the machine.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SensorCourse } from '../../../../daemon/conductor/bmcs/sensor-history.ts';
import type { ShownHardware } from '../../../../daemon/conductor/inspection/hardware.ts';
import type { Markup } from '../../../../daemon/ui/kit/markup.ts';
import { settingNames, type SettingValues } from '../../../../daemon/ui/actions/settings.ts';
import { bootCourse } from '../../../../daemon/ui/read/node/boot-course.ts';
import { consoleTab } from '../../../../daemon/ui/views/node/console.ts';
import { hardwareTab } from '../../../../daemon/ui/views/node/hardware.ts';
import { indicatorsTab } from '../../../../daemon/ui/views/node/indicators.ts';
import { logsTab } from '../../../../daemon/ui/views/node/logs.ts';
import { nodeView } from '../../../../daemon/ui/views/node/node.ts';
import { overviewTab } from '../../../../daemon/ui/views/node/overview.ts';
import { sensorsTab } from '../../../../daemon/ui/views/node/sensors.ts';
import { settingsTab } from '../../../../daemon/ui/views/node/settings.ts';
import { workTab } from '../../../../daemon/ui/views/node/work.ts';
import { assertStaysText, EVIL, EVIL_MACHINE as machine } from '../../../fakes/clients/hostile-markup.ts';

const AT = '2026-11-22T10:00:00+00:00';

const record = {
  name: EVIL,
  driver: EVIL,
  resource_class: EVIL,
  owner: EVIL,
  description: EVIL,
  protected: true,
  protected_reason: EVIL,
  traits: [EVIL],
  driver_info: { ipmi_address: EVIL },
  wait: { reason: EVIL, since: EVIL, until: EVIL },
};
const event = {
  id: 1,
  at: AT,
  hop: 'dhcp',
  node_uuid: null,
  mac: EVIL,
  address: EVIL,
  text: EVIL,
  failed: true,
} as const;
const missing = { hop: 'tftp', usual: 3, age: 400, late: true } as const;
const power = { ...event, hop: 'power', text: 'power requested: power on', failed: false } as const;
const step = { ...event, hop: 'agent', text: `its agent began ${EVIL}`, failed: false } as const;
const usual = new Map([['dhcp', 3] as const]);
const boot = [power, event, step];
const course: SensorCourse = {
  type: EVIL,
  id: EVIL,
  unit: null,
  mean: [1, null, 2],
  least: [1, null, 2],
  greatest: [1, null, 2],
};
const sensor = { ...course, reading: 1, health: 'Warning', course, least: 1, greatest: 2 } as const;
const hardware: ShownHardware = {
  source: EVIL,
  inspected_at: EVIL,
  compared_with: EVIL,
  hardware: {
    serial: EVIL,
    firmware: EVIL,
    cpu_model: EVIL,
    cpus: 2,
    cores: 4,
    threads: 8,
    memory_mib: 2048,
    dimms: [{ slot: EVIL, mib: 1024 }],
    disks: [{ id: EVIL, bytes: 1, kind: null }],
    network_cards: [{ mac: EVIL, mbps: 1 }],
    accelerators: [EVIL],
  },
  compared: [EVIL],
  not_compared: [EVIL],
  changes: [EVIL],
  class: EVIL,
  class_differences: [EVIL],
  class_unchecked: [EVIL],
};
const cards = [
  {
    name: EVIL,
    mac: EVIL,
    product: EVIL,
    mbps: 1000,
    hasCarrier: true,
    addresses: [EVIL],
    neighbour: { switch: EVIL, port: EVIL, more: EVIL },
  },
];
const inventory = {
  [EVIL]: [EVIL],
  disks: [{ name: EVIL, vendor: EVIL, model: EVIL, serial: EVIL, tran: EVIL }],
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
const steps = {
  plan: [{ name: EVIL, place: 'running', usual: 1 }],
  current: { age: 3, usual: 1, late: true },
  earlier: [{ work: EVIL, ended_at: EVIL, seconds: 2 }],
  usualOf: () => 1,
} as const;
const values = Object.fromEntries(settingNames.map((name) => [name, EVIL])) as SettingValues;
const wrong = Object.fromEntries(settingNames.map((name) => [name, EVIL]));

const overview = overviewTab({
  hardware,
  parts: hardware.hardware,
  inventory,
  cards,
  timeline: { node: EVIL, label: EVIL, boot, earlier: [event], usual, missing },
  course: bootCourse({ boot, usual, missing, until: { seconds: 400, state: 'failed' } }),
  instance: {
    name: EVIL,
    uuid: EVIL,
    image: EVIL,
    digest: EVIL,
    since: EVIL,
    hostname: EVIL,
    addresses: [EVIL],
    keys: [EVIL],
  },
  sensors: { longestGap: 1 },
  mainSensors: [sensor],
  machine,
  record,
  vendor: { manufacturer: EVIL, product_name: EVIL, serial_number: EVIL },
});

const views: Readonly<Record<string, Markup>> = {
  head: nodeView({
    machine,
    record,
    progress: {
      work: EVIL,
      step: { number: 1, of: 2 },
      age: 3,
      done: { seconds: 3, of: 4 },
      isLate: true,
    },
    isInspected: true,
    tab: '',
    body: overview,
  }),
  overview,
  hardware: hardwareTab({
    hardware,
    parts: hardware.hardware,
    inventory,
    cards,
    firmware: [{ component: EVIL, initial_version: EVIL, current_version: `${EVIL}2` }],
  }),
  sensors: sensorsTab({ isOn: true, at: EVIL, sensors: [sensor], longestGap: 1 }),
  work: workTab(steps, [history]),
  console: consoleTab({
    node: EVIL,
    label: EVIL,
    enabled: true,
    text: EVIL,
    role: 'operator',
    kind: { screen: EVIL },
  }),
  logs: logsTab({ node: EVIL, collect: EVIL, saved: [{ file: EVIL, bytes: 1, at: EVIL }] }),
  'an empty list of logs': logsTab({ node: EVIL, collect: EVIL, saved: [] }),
  settings: settingsTab({
    node: EVIL,
    consoles: [EVIL],
    record,
    before: values,
    shown: values,
    wrong,
    isSaved: false,
    disks: [{ serial: EVIL }],
  }),
  indicators: indicatorsTab(EVIL, [{ name: EVIL, readonly: false, states: ['on'], state: 'off' }], undefined),
  'indicators that cannot be listed': indicatorsTab(EVIL, [], EVIL),
};

describe('text from a machine stays text', () => {
  for (const [name, body] of Object.entries(views)) it(name, () => assertStaysText(body));

  it('a step with a hostile name is drawn without it', async () => {
    assert.doesNotMatch(String(await overview), /<text[^>]*>[^<]*&quot;/);
  });
});
