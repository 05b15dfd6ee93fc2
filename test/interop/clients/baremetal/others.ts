// The commands on drivers, conductors and shards, on files of records, and on subresources of nodes and runbooks.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DRIVERS, HOST, MISSING, type Shown, type Site } from '../site.ts';
import type { Client, Scenario, Scenarios } from './scenario.ts';

async function createFromFiles({ done, refused, newest }: Client, site: Site): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'resources-'));
  const [name, address, member] = [site.name('node'), site.mac(), site.mac()];
  const file = join(folder, 'rack.json');
  const portgroups = [{ name: site.name('bond'), ports: [{ address: member }] }];
  const traits = newest ? { traits: ['CUSTOM_GPU'] } : {};
  const nodes = [{ driver: 'fake-hardware', name, ...traits, ports: [{ address }], portgroups }];
  await writeFile(file, JSON.stringify({ chassis: [{ description: 'rack9', nodes }] }));
  await done(`create ${file}`);
  const node = await site.shown(`/v1/nodes/${name}`);
  const chassis = await site.shown(`/v1/chassis/${String(node['chassis_uuid'])}`);
  assert.equal(chassis['description'], 'rack9');
  assert.deepEqual(node['traits'], newest ? ['CUSTOM_GPU'] : []);
  const { ports } = (await site.shown(`/v1/nodes/${name}/ports/detail`)) as unknown as {
    readonly ports: readonly Readonly<Record<string, unknown>>[];
  };
  const grouped = Object.fromEntries(
    ports.map((port) => [String(port['address']), port['portgroup_uuid'] !== null]),
  );
  assert.deepEqual(grouped, { [address]: false, [member]: true });
  await writeFile(file, JSON.stringify({ nodes: [{ driver: 'nothing' }] }));
  assert.match(await refused(`create ${file}`), /supports driver nothing\. It is not enabled/);
  await rm(folder, { recursive: true });
}

async function listDrivers({ rows }: Client): Promise<void> {
  assert.deepEqual(
    await rows('driver list'),
    DRIVERS.map((name) => [name, HOST]),
  );
  assert.deepEqual(await rows('driver list --type classic'), []);
  const [long = []] = await rows('driver list --type dynamic --long');
  assert.ok(long.length > 20);
  assert.deepEqual(
    await rows('driver list --fields name type'),
    DRIVERS.map((name) => [name, 'dynamic']),
  );
}

async function showDriver({ json, refused }: Client): Promise<void> {
  assert.partialDeepStrictEqual(await json('driver show ipmi'), {
    name: 'ipmi',
    type: 'dynamic',
    hosts: HOST,
    default_power_interface: 'ipmitool',
    enabled_inspect_interfaces: 'agent, inspector, no-inspect',
  });
  assert.match(await refused('driver show nothing'), /nothing.*404/);
}

async function driverProperties({ rows, refused }: Client): Promise<void> {
  const properties = await rows('driver property list ipmi');
  const [, description] = properties.find(([name]) => name === 'ipmi_address') ?? [];
  assert.match(String(description), /Required/);
  assert.match(await refused('driver property list nothing'), /nothing.*404/);
}

async function raidProperties({ rows, refused }: Client): Promise<void> {
  const properties = await rows('driver raid property list fake-hardware');
  const [, description] = properties.find(([name]) => name === 'raid_level') ?? [];
  assert.match(String(description), /RAID/);
  assert.match(await refused('driver raid property list manual-management'), /404/);
}

async function driverPassthru({ done, refused }: Client, site: Site): Promise<void> {
  // the client cannot show the answer of a driver's method and works only with asynchronous ones
  await done('driver passthru call able-hardware sweep --http-method POST --arg a=1');
  await site.daemon.logged((line) => JSON.stringify(line).includes('dust'));
  assert.match(await refused('driver passthru call able-hardware sum --arg a=1'), /a and b.*400/);
  assert.match(await refused('driver passthru call able-hardware unheard_of'), /unheard_of.*400/);
}

async function listDriverPassthru({ rows, refused }: Client): Promise<void> {
  assert.deepEqual(await rows('driver passthru list able-hardware'), [
    ['repeat', 'GET, POST, PUT, PATCH, DELETE', false, 'Answers what it is given.', false],
    ['sum', 'GET, POST', false, 'Adds a and b.', false],
    ['sweep', 'POST', true, 'Fails in the background.', false],
  ]);
  assert.match(await refused('driver passthru list nothing'), /nothing.*404/);
}

async function listConductors({ rows }: Client): Promise<void> {
  assert.deepEqual(await rows('conductor list'), [[HOST, '', true]]);
  const [long = []] = await rows('conductor list --long --sort hostname:desc --limit 1');
  assert.ok(long.length > 3);
  assert.deepEqual(await rows('conductor list --fields hostname alive'), [[HOST, true]]);
  assert.deepEqual(await rows(`conductor list --marker ${HOST}`), []);
}

async function showConductor({ json, refused }: Client): Promise<void> {
  const shown = (await json(`conductor show ${HOST}`)) as Readonly<Record<string, unknown>>;
  assert.partialDeepStrictEqual(shown, { hostname: HOST, alive: true });
  assert.deepEqual((shown['drivers'] as readonly string[]).toSorted(), DRIVERS);
  assert.deepEqual(await json(`conductor show ${HOST} --fields alive`), { alive: true });
  assert.match(await refused('conductor show nowhere'), /nowhere.*404/);
}

async function setMaintenance({ done, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await done(['node', 'maintenance', 'set', uuid, '--reason', 'a broken disk']);
  assert.partialDeepStrictEqual(await site.daemon.node(uuid), {
    maintenance: true,
    maintenance_reason: 'a broken disk',
  });
  assert.match(await refused('node maintenance set nobody'), /nobody could not be found/);
}

async function unsetMaintenance({ done, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.node();
  await site.put(`/v1/nodes/${uuid}/maintenance`, { reason: 'disk' });
  await done(`node maintenance unset ${uuid}`);
  assert.partialDeepStrictEqual(await site.daemon.node(uuid), {
    maintenance: false,
    maintenance_reason: null,
  });
  assert.match(await refused('node maintenance unset nobody'), /nobody could not be found/);
}

async function validate({ rows, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.node({ driver: 'ipmi' });
  const verdicts = await rows(`node validate ${uuid}`);
  const verdict = (type: string) => verdicts.find(([name]) => name === type)?.slice(1) ?? [];
  assert.equal(verdict('power')[0], false);
  assert.match(String(verdict('power')[1]), /ipmi_address/);
  assert.equal(verdict('network')[0], true);
  assert.match(await refused('node validate nobody'), /nobody.*404/);
}

/** Makes a node whose history has one entry, a failed verification. Returns the node's UUID. */
async function withHistory(site: Site): Promise<string> {
  const { uuid } = await site.node({ driver: 'ipmi' });
  await site.put(`/v1/nodes/${uuid}/states/provision`, { target: 'manage' });
  await site.nodeWhen(uuid, ({ last_error }) => last_error !== null);
  return uuid;
}

async function listHistory({ rows, refused }: Client, site: Site): Promise<void> {
  const uuid = await withHistory(site);
  const [entry = [], none] = await rows(`node history list ${uuid}`);
  assert.ok(entry.includes('ERROR'));
  assert.match(String(entry.at(-1)), /ipmi_address/);
  assert.equal(none, undefined);
  const [long = []] = await rows(`node history list ${uuid} --long`);
  assert.ok(long.includes('verify') && long.includes(HOST), JSON.stringify(long));
  assert.match(await refused('node history list nobody'), /nobody.*404/);
}

async function getHistory({ rows, json, refused }: Client, site: Site): Promise<void> {
  const uuid = await withHistory(site);
  const [[entry] = []] = await rows(`node history list ${uuid}`);
  assert.partialDeepStrictEqual(await json(`node history get ${uuid} ${String(entry)}`), {
    conductor: HOST,
    event_type: 'verify',
    severity: 'ERROR',
  });
  assert.match(await refused(`node history get ${uuid} ${MISSING}`), new RegExp(`${MISSING}.*404`));
}

async function listChildren({ done, refused }: Client, site: Site): Promise<void> {
  const parent = await site.node();
  const child = await site.node({ parent_node: parent.uuid });
  assert.match(await done(`node children list ${parent.uuid}`), new RegExp(child.uuid));
  assert.doesNotMatch(await done(`node children list ${child.uuid}`), /[0-9a-f]{8}-/);
  assert.match(await refused('node children list nobody'), /nobody.*404/);
}

async function listShards({ rows }: Client, site: Site): Promise<void> {
  const shard = site.name('shard');
  await site.node({ shard });
  await site.node({ shard });
  const shards = await rows('shard list');
  assert.deepEqual(
    shards.find(([name]) => name === shard),
    [shard, 2],
  );
}

/** A kind of record that has traits, as the client names it, and how to create one. */
interface TraitOwner {
  readonly kind: 'node' | 'runbook';
  readonly make: (site: Site) => Promise<Shown>;
}
const traited: readonly TraitOwner[] = [
  { kind: 'node', make: (site) => site.made('/v1/nodes', { driver: 'fake-hardware' }) },
  {
    kind: 'runbook',
    make: (site) =>
      site.made('/v1/runbooks', {
        name: site.name('book'),
        steps: [{ interface: 'bios', step: 'apply_configuration', args: {}, order: 1 }],
      }),
  },
];

async function traitsOf(site: Site, kind: string, uuid: string): Promise<unknown> {
  return (await site.shown(`/v1/${kind}s/${uuid}/traits`))['traits'];
}

const addTraits =
  (command: string, { kind, make }: TraitOwner): Scenario =>
  async ({ done, refused }, site) => {
    const { uuid } = await make(site);
    await done(`${command} ${uuid} CUSTOM_GPU HW_CPU_X86_VMX`);
    assert.deepEqual(await traitsOf(site, kind, uuid), ['CUSTOM_GPU', 'HW_CPU_X86_VMX']);
    assert.match(await refused(`${command} ${uuid} gpu`), /gpu.*400/);
    assert.match(await refused(`${command} nobody CUSTOM_GPU`), /nobody.*404/);
  };

const removeTraits =
  (command: string, { kind, make }: TraitOwner): Scenario =>
  async ({ done, refused }, site) => {
    const { uuid } = await make(site);
    await site.put(`/v1/${kind}s/${uuid}/traits`, { traits: ['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C'] });
    await done(`${command} ${uuid} CUSTOM_A`);
    assert.deepEqual(await traitsOf(site, kind, uuid), ['CUSTOM_B', 'CUSTOM_C']);
    await done(`${command} ${uuid} --all`);
    assert.deepEqual(await traitsOf(site, kind, uuid), []);
    assert.match(await refused(`${command} nobody CUSTOM_A`), /nobody.*404/);
  };

const listTraits =
  ({ kind, make }: TraitOwner): Scenario =>
  async ({ rows, refused }, site) => {
    const { uuid } = await make(site);
    await site.put(`/v1/${kind}s/${uuid}/traits`, { traits: ['CUSTOM_B', 'CUSTOM_A'] });
    assert.deepEqual(await rows(`${kind} trait list ${uuid}`), [['CUSTOM_A'], ['CUSTOM_B']]);
    assert.match(await refused(`${kind} trait list nobody`), /nobody.*404/);
  };

const traits: Scenarios = Object.fromEntries(
  traited.flatMap((owner) => [
    [`${owner.kind} trait add`, addTraits(`${owner.kind} trait add`, owner)],
    [`${owner.kind} trait remove`, removeTraits(`${owner.kind} trait remove`, owner)],
    [`${owner.kind} trait list`, listTraits(owner)],
    // the older names of the commands
    ...(owner.kind === 'node'
      ? ([
          ['node add trait', addTraits('node add trait', owner)],
          ['node remove trait', removeTraits('node remove trait', owner)],
        ] as const)
      : []),
  ]),
);

export const others: Scenarios = {
  create: createFromFiles,
  'driver list': listDrivers,
  'driver show': showDriver,
  'driver property list': driverProperties,
  'driver raid property list': raidProperties,
  'driver passthru call': driverPassthru,
  'driver passthru list': listDriverPassthru,
  'conductor list': listConductors,
  'conductor show': showConductor,
  'node maintenance set': setMaintenance,
  'node maintenance unset': unsetMaintenance,
  'node validate': validate,
  'node history list': listHistory,
  'node history get': getHistory,
  'node children list': listChildren,
  'shard list': listShards,
  ...traits,
};
