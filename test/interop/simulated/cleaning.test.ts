import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Node } from '../../../daemon/model/records/node.ts';
import { isFailure } from '../../../daemon/model/states/provision-states.ts';
import { collectEndings } from '../../fakes/endings.ts';
import type { SimulatedMachine } from '../../../daemon/simulator/machine.ts';
import { simulatedSite, type SimulatedSite } from '../../fakes/machines/simulated-site.ts';

// machines cleaned at the same time, all but the first with a fault or a change
interface Case {
  readonly what: string;
  /** Applied before cleaning. */
  readonly trouble?: (machine: SimulatedMachine) => void;
  /** Applied when all machines without `trouble` are running the first step. */
  readonly later?: (machine: SimulatedMachine, site: SimulatedSite) => void;
  readonly ends: Node['provision_state'];
  readonly error?: RegExp;
}

const OTHER_TOKEN = 'o'.repeat(43);
const SILENCE = /Nothing was heard for 120 s/;

const cases: readonly Case[] = [
  { what: 'without any fault', ends: 'available' },
  {
    what: 'whose agent fails a step',
    trouble: ({ troubles }) => troubles.failingSteps.set('erase_devices', 'sda is write protected'),
    ends: 'clean failed',
    error: /deploy\.erase_devices failed: sda is write protected/,
  },
  {
    what: 'whose agent dies during a step',
    trouble: ({ troubles }) => troubles.deadlySteps.add('erase_devices_metadata'),
    ends: 'clean failed',
    error: /erase_devices_metadata/,
  },
  {
    what: 'whose step never ends',
    trouble: ({ troubles }) => troubles.hangingSteps.add('erase_devices'),
    ends: 'clean wait',
  },
  {
    what: 'whose agent never sends a heartbeat',
    trouble: ({ troubles }) => void (troubles.mute = true),
    ends: 'clean failed',
    error: SILENCE,
  },
  {
    what: 'whose agent has the token of another node',
    trouble: ({ troubles }) => void (troubles.foreignToken = OTHER_TOKEN),
    ends: 'clean failed',
    error: SILENCE,
  },
  {
    what: 'whose agent answers with invalid data',
    trouble: ({ troubles }) => void (troubles.garbage = { status: 200, text: '<html>' }),
    ends: 'clean failed',
    error: /its reply is not a command/,
  },
  {
    what: 'whose agent starts to answer with invalid data',
    later: ({ troubles }) => void (troubles.garbage = { status: 500, text: '<html>' }),
    ends: 'clean failed',
    error: /HTTP status 500.*Boot its ramdisk again/,
  },
  {
    what: 'whose agent sends no heartbeat after the first',
    later: ({ troubles }) => void (troubles.mute = true),
    ends: 'available',
  },
  {
    what: 'whose heartbeats change the callback_url, and whose step never ends',
    trouble: ({ troubles }) => troubles.hangingSteps.add('erase_devices_metadata'),
    later: ({ troubles }) => void (troubles.foreignAddress = 'https://127.0.0.9:9999'),
    ends: 'clean failed',
    error: SILENCE,
  },
  {
    what: 'whose heartbeats change the certificate, and whose step never ends',
    trouble: ({ troubles }) => troubles.hangingSteps.add('erase_devices_metadata'),
    later: ({ troubles }) => void (troubles.foreignCertificate = 'another'),
    ends: 'clean failed',
    error: SILENCE,
  },
  {
    what: 'whose agent uses another certificate than its heartbeat contains',
    trouble: ({ troubles }) => void (troubles.foreignCertificate = 'another'),
    ends: 'clean failed',
    error: SILENCE,
  },
  {
    // the new agent does not receive the token again and cannot continue
    what: 'that reboots unexpectedly during a step',
    later: (machine) => machine.reboot(),
    ends: 'clean failed',
    error: SILENCE,
  },
  {
    what: 'that loses the network for a minute',
    later: ({ troubles }, { clock }) => {
      troubles.networkDown = true;
      clock.after(60_000, () => void (troubles.networkDown = false));
    },
    ends: 'available',
  },
  {
    what: 'whose agent is temporarily busy',
    trouble: ({ troubles }) => void (troubles.busy = true),
    later: ({ troubles }) => void (troubles.busy = false),
    ends: 'available',
  },
  {
    what: 'whose agent reports another version of its hardware manager',
    later: (machine) => void (machine.hardwareManagers = { generic_hardware_manager: '1.3' }),
    ends: 'available',
  },
];

let site: SimulatedSite;
const endings = collectEndings();
const nodeOf = (index: number) => site.node(site.rack[index]?.node ?? '');
const machines = () => site.rack.map(({ machine }) => machine);

before(async () => {
  site = await simulatedSite(endings, {
    machines: cases.length,
    environment: {
      IRONIC_CONDUCTOR__CLEAN_CALLBACK_TIMEOUT: '120',
      IRONIC_API__RAMDISK_HEARTBEAT_TIMEOUT: '60',
    },
  });
  const all = site.rack.map(({ node }) => node);
  const allAre = (is: (node: Node) => boolean) => site.until(() => all.every((uuid) => is(site.node(uuid))));
  for (const uuid of all) await site.provision(uuid, 'manage');
  await allAre(({ provision_state }) => provision_state === 'manageable');
  for (const [index, { trouble }] of cases.entries()) trouble?.(machines()[index] as SimulatedMachine);
  for (const uuid of all) await site.provision(uuid, 'provide');
  await site.until(() => cases.every(({ trouble }, index) => trouble || isCleaning(nodeOf(index))));
  for (const [index, { later }] of cases.entries()) later?.(machines()[index] as SimulatedMachine, site);
  await site.until(() => cases.every(({ ends }, index) => ends === 'clean wait' || isOver(nodeOf(index))));
});

const isCleaning = ({ clean_step }: Node) => clean_step['step'] === 'erase_devices_metadata';
const isOver = ({ provision_state: state }: Node) => state === 'available' || isFailure(state);

after(() => endings.end());

for (const [index, { what, ends, error }] of cases.entries()) {
  test(`a machine ${what} ends in ${ends}`, () => {
    const { provision_state, last_error } = nodeOf(index);
    assert.equal(provision_state, ends, last_error ?? '');
    if (error === undefined) assert.equal(last_error, null);
    else assert.match(last_error ?? '', error);
  });
}

test('the ramdisk logs of a failed cleaning are kept, and those of a successful one are not', () => {
  const kept = readdirSync(path.join(site.stateDirectory, 'ramdisk-logs'));
  const failed = cases.findIndex(({ what }) => what === 'whose agent fails a step');
  const { uuid, name } = nodeOf(failed);
  const [file, ...more] = kept.filter((each) => each.startsWith(uuid));
  assert.deepEqual(more, []);
  assert.match(file ?? '', new RegExp(`^${uuid}_${name}_cleaning_2026-01-01-00-\\d\\d-\\d\\d\\.tar\\.gz$`));
  assert.equal(
    gunzipSync(readFileSync(path.join(site.stateDirectory, 'ramdisk-logs', file ?? ''))).toString(),
    'journal\n',
  );
  for (const [index, { ends, what }] of cases.entries())
    if (ends === 'available') assert.ok(!kept.some((each) => each.startsWith(nodeOf(index).uuid)), what);
});
