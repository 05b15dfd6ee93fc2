// A ramdisk that is kept from one work to the next (fast track): it is asked before it is used, and powered off when it is idle.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { SimulatedMachine } from '../../../daemon/simulator/machine.ts';
import { simulatedSite, type SimulatedSite } from '../../fakes/machines/simulated-site.ts';

/** Inspected machines, whose ramdisks are kept and have sent a heartbeat. */
async function keptRamdisks(
  t: TestContext,
  machines: number,
  environment: Readonly<Record<string, string>> = {},
) {
  const site = await simulatedSite(t, {
    machines,
    environment: {
      IRONIC_DEPLOY__FAST_TRACK: 'true',
      IRONIC_CONDUCTOR__CLEAN_CALLBACK_TIMEOUT: '600',
      ...environment,
    },
  });
  const nodes = site.rack.map(({ node }) => node);
  for (const verb of ['manage', 'inspect']) {
    for (const node of nodes) await site.provision(node, verb);
    for (const node of nodes) await site.reaches(node, 'manageable');
  }
  await site.until(() => nodes.every((node) => isAlive(site, node)));
  return site;
}

const isAlive = (site: SimulatedSite, node: string): boolean =>
  site.node(node).driver_internal_info.agent_url !== undefined;

async function timelineOf(site: SimulatedSite, node: string): Promise<readonly string[]> {
  const { events } = (await site.request('GET', `/v1/nodes/${node}/timeline`)) as {
    readonly events: readonly { readonly text: string }[];
  };
  return events.map(({ text }) => text);
}

interface Loss {
  readonly what: string;
  readonly happens: (machine: SimulatedMachine) => void;
  readonly reason: RegExp;
  /** Not set: two ramdisks, for the inspection and for the cleaning. */
  readonly boots?: readonly string[];
}

const losses: readonly Loss[] = [
  { what: 'whose agent has died', happens: (machine) => machine.endAgent(), reason: /ECONNREFUSED|closed/ },
  {
    what: 'that was switched off by hand',
    happens: (machine) => machine.powerOff(),
    reason: /ECONNREFUSED|closed/,
  },
  {
    what: 'that was reset by hand',
    happens: (machine) => machine.reboot(),
    reason: /ECONNREFUSED|closed/,
    boots: ['ramdisk', 'nothing', 'ramdisk'],
  },
  {
    what: 'at whose address the agent of another node answers',
    happens: ({ troubles }) => void (troubles.foreignToken = 'o'.repeat(43)),
    reason: /Token invalid/,
  },
  {
    what: 'at whose address something else answers',
    happens: ({ troubles }) => void (troubles.garbage = { status: 200, text: '<html>' }),
    reason: /its reply is not a list of commands/,
  },
];

test('a kept ramdisk that cannot be used is found out at once, and the machine is booted again and cleaned', async (t) => {
  const site = await keptRamdisks(t, losses.length + 1);
  for (const [index, { happens }] of losses.entries()) happens(site.rack[index]?.machine as SimulatedMachine);
  const began = site.clock.now();
  for (const { node } of site.rack) await site.provision(node, 'provide');
  // the troubles are those of the lost ramdisk, and not of the one that boots
  await site.until(() => losses.every((_, index) => !isAlive(site, site.rack[index]?.node ?? '')));
  for (const { machine } of site.rack) {
    machine.troubles.foreignToken = undefined;
    machine.troubles.garbage = undefined;
  }
  for (const [index, { node, machine }] of site.rack.entries()) {
    const { last_error } = await site.reaches(node, 'available');
    assert.equal(last_error, null);
    const loss = losses[index];
    const said = (await timelineOf(site, node)).find((text) =>
      text.startsWith('its kept ramdisk is not used'),
    );
    if (loss === undefined) {
      assert.deepEqual([machine.boots, said], [['ramdisk'], undefined]);
      continue;
    }
    assert.match(said ?? '', loss.reason, loss.what);
    assert.deepEqual(machine.boots, loss.boots ?? ['ramdisk', 'ramdisk'], loss.what);
  }
  assert.ok(site.clock.now() - began < 120_000, 'nobody waited for an agent that is gone');
});

test('a kept ramdisk whose address the DHCP server has given to another machine is not used', async (t) => {
  const site = await keptRamdisks(t, 1);
  const [{ node, machine }] = site.rack as [Plugged];
  const asked: unknown[] = [];
  const { served } = site.services;
  const { mayBeMachine } = served;
  Object.assign(served, {
    mayBeMachine(...question: Parameters<typeof mayBeMachine>) {
      Object.assign(served, { mayBeMachine });
      asked.push(question);
      return false;
    },
  });
  await site.provision(node, 'provide');
  assert.equal((await site.reaches(node, 'available')).last_error, null);
  assert.deepEqual(asked, [['127.0.0.1', [machine.mac]]]);
  assert.deepEqual(machine.boots, ['ramdisk', 'ramdisk']);
});

test('a machine whose kept ramdisk has no work is powered off after [deploy] idle_ramdisk_timeout, and boots for the next work', async (t) => {
  const site = await keptRamdisks(t, 4, { IRONIC_DEPLOY__IDLE_RAMDISK_TIMEOUT: '900' });
  const [idle, held, other, silent] = site.rack as [Plugged, Plugged, Plugged, Plugged];
  const since = site.clock.now();
  await site.request('PUT', `/v1/nodes/${held.node}/maintenance`);
  other.machine.troubles.foreignToken = 'o'.repeat(43);
  silent.machine.troubles.mute = true;
  silent.machine.endAgent();
  await site.until(() => site.node(idle.node).power_state === 'power off');
  const waited = (site.clock.now() - since) / 1000;
  assert.ok(waited > 840 && waited < 1000, `${waited} s`);
  assert.deepEqual(
    site.rack.map(({ machine }) => machine.powerState),
    ['Off', 'On', 'On', 'On'],
    'a machine in maintenance, and one that does not answer as its ramdisk would, stay on',
  );
  assert.equal(isAlive(site, idle.node), false);
  const { history } = (await site.request('GET', `/v1/nodes/${idle.node}/history`)) as {
    readonly history: readonly { readonly uuid: string }[];
  };
  const entry = (await site.request(
    'GET',
    `/v1/nodes/${idle.node}/history/${history.at(-1)?.uuid ?? ''}`,
  )) as { readonly event: string };
  assert.equal(
    entry.event,
    'The ramdisk had no work for 900 s ([deploy] idle_ramdisk_timeout): the machine is powered off.',
  );
  await site.provision(idle.node, 'provide');
  assert.equal((await site.reaches(idle.node, 'available')).last_error, null);
  assert.deepEqual(idle.machine.boots, ['ramdisk', 'ramdisk']);
});

type Plugged = SimulatedSite['rack'][0];
