// The baremetal client's commands on allocations, chassis, deploy templates, inspection rules and runbooks.
import assert from 'node:assert/strict';
import { MISSING, type Shown, type Site } from '../site.ts';
import type { Client, Scenario, Scenarios } from './scenario.ts';
import { type RecordKind, recordCommands } from './record-commands.ts';

const steps = (order: string) => `[{"interface":"bios","step":"apply_configuration","args":{},${order}}]`;
const deploySteps = (priority: number) => steps(`"priority":${priority}`);
const runbookSteps = (order: number) => steps(`"order":${order}`);
const traitName = (site: Site) => site.name('CUSTOM').replace('-', '_');
const actions = '[{"op":"set-attribute","args":{"path":"/driver","value":"ipmi"}}]';
const conditions = '[{"op":"is-true","args":{"value":"{node.auto_discovered}"}}]';

const nodeUuid = async (site: Site) => (await site.node()).uuid;
const chassis: RecordKind = {
  command: 'chassis',
  path: '/v1/chassis',
  field: 'description',
  body: async () => ({ description: 'rack' }),
  create: async () => ['--description rack --extra row=1', { description: 'rack', extra: { row: 1 } }],
  refusedCreate: async () => [`--description ${'x'.repeat(256)}`, /description.*400/],
  set: async () => ['--description rack7 --extra row=2', { description: 'rack7', extra: { row: 2 } }],
  unset: ['--description --extra row', { description: null, extra: {} }],
};

const allocation: RecordKind = {
  command: 'allocation',
  path: '/v1/allocations',
  field: 'resource_class',
  body: async (site) => ({
    resource_class: site.name('class'),
    name: site.name('wish'),
    owner: site.name('owner'),
  }),
  filters: ({ resource_class, owner }) => [
    `--resource-class ${String(resource_class)} --state error`,
    `--owner ${String(owner)}`,
  ],
  shownBy: ({ name }) => String(name),
  async create(site) {
    const [name, uuid, candidate] = [site.name('wish'), site.uuid(), await nodeUuid(site)];
    return [
      `--resource-class none-such --name ${name} --uuid ${uuid} --trait CUSTOM_GPU --candidate-node ${candidate} --owner me --extra k=v`,
      {
        uuid,
        name,
        resource_class: 'none-such',
        traits: ['CUSTOM_GPU'],
        candidate_nodes: [candidate],
        owner: 'me',
        extra: { k: 'v' },
      },
    ];
  },
  refusedCreate: async () => [
    `--resource-class gold --candidate-node ${MISSING}`,
    new RegExp(`${MISSING}.*400`),
  ],
  async set(site) {
    const name = site.name('wish');
    return [`--name ${name} --extra k=v`, { name, extra: { k: 'v' } }];
  },
  unset: ['--name --extra k', { name: null, extra: {} }],
};

const deployTemplate: RecordKind = {
  command: 'deploy template',
  path: '/v1/deploy_templates',
  field: 'name',
  shownBy: ({ name }) => String(name),
  body: async (site) => ({ name: traitName(site), steps: JSON.parse(deploySteps(10)) as unknown }),
  async create(site) {
    const [name, uuid] = [traitName(site), site.uuid()];
    return [
      `${name} --uuid ${uuid} --extra a=1 --steps ${deploySteps(10)}`,
      { uuid, name, extra: { a: 1 }, steps: JSON.parse(deploySteps(10)) as unknown },
    ];
  },
  refusedCreate: async () => [`no-trait --steps ${deploySteps(10)}`, /no-trait.*400/],
  async set(site) {
    const name = traitName(site);
    return [
      `--name ${name} --extra a=1 --steps ${deploySteps(20)}`,
      { name, extra: { a: 1 }, steps: JSON.parse(deploySteps(20)) as unknown },
    ];
  },
  unset: ['--extra a', { extra: {}, steps: JSON.parse(deploySteps(20)) as unknown }],
};

const runbook: RecordKind = {
  command: 'runbook',
  path: '/v1/runbooks',
  field: 'name',
  shownBy: ({ name }) => String(name),
  body: async (site) => ({ name: traitName(site), steps: JSON.parse(runbookSteps(1)) as unknown }),
  async create(site) {
    const [name, uuid] = [traitName(site), site.uuid()];
    return [
      `--name ${name} --uuid ${uuid} --description words --public true --extra a=1 --disable-ramdisk --steps ${runbookSteps(1)}`,
      {
        uuid,
        name,
        description: 'words',
        public: true,
        extra: { a: 1 },
        disable_ramdisk: true,
        steps: JSON.parse(runbookSteps(1)) as unknown,
      },
    ];
  },
  refusedCreate: async (site) => [`--name ${traitName(site)} --steps []`, /steps.*400/],
  async set(site) {
    const name = traitName(site);
    return [
      `--name ${name} --description words --owner me --extra a=1 --disable-ramdisk true --steps ${runbookSteps(2)}`,
      {
        name,
        description: 'words',
        owner: 'me',
        extra: { a: 1 },
        disable_ramdisk: true,
        steps: JSON.parse(runbookSteps(2)) as unknown,
      },
    ];
  },
  unset: [
    '--description --owner --extra a --disable-ramdisk',
    { description: null, owner: null, extra: {}, disable_ramdisk: false },
  ],
};

const inspectionRule: RecordKind = {
  command: 'inspection rule',
  path: '/v1/inspection_rules',
  field: 'priority',
  body: async () => ({ actions: JSON.parse(actions) as unknown }),
  async create(site) {
    const uuid = site.uuid();
    return [
      `--uuid ${uuid} --description words --priority 7 --sensitive true --phase main --conditions ${conditions} --actions ${actions}`,
      { uuid, description: 'words', priority: 7, sensitive: true, phase: 'main', actions: null },
    ];
  },
  refusedCreate: async () => ['--actions [{"op":"explode","args":[]}]', /explode.*400/],
  set: async () => [
    `--description words --priority 8 --conditions ${conditions} --actions ${actions}`,
    {
      description: 'words',
      priority: 8,
      conditions: JSON.parse(conditions) as unknown,
      actions: JSON.parse(actions) as unknown,
    },
  ],
  unset: ['--description --priority', { description: null, priority: 0 }],
};

/** `allocation create --wait` returns when the allocation has its node, and `allocation delete` frees the node. */
async function allocate({ json, refused, done }: Client, site: Site): Promise<void> {
  const resource_class = site.name('class');
  const node = await site.node({ resource_class }, 'available');
  await site.power(node.uuid, 'power off');
  await site.put(`/v1/nodes/${node.uuid}/traits/CUSTOM_GPU`, {});
  const wanted = `allocation create --resource-class ${resource_class} --trait CUSTOM_GPU --wait 20`;
  const made = (await json(`${wanted} --name ${site.name('wish')}`)) as Shown;
  assert.partialDeepStrictEqual(made, { state: 'active', node_uuid: node.uuid });
  assert.partialDeepStrictEqual(await json(`node show ${node.uuid}`), { instance_uuid: made.uuid });
  assert.match(await refused(wanted), /is without an instance/);
  await done(`allocation delete ${made.uuid}`);
  assert.partialDeepStrictEqual(await json(`node show ${node.uuid}`), { instance_uuid: null });
}

async function keepChassisInUse({ refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.made('/v1/chassis');
  await site.node({ chassis_uuid: uuid });
  assert.match(await refused(`chassis delete ${uuid}`), /contains nodes.*400/);
}

const ofEach = recordCommands([allocation, chassis, deployTemplate, inspectionRule, runbook]);

const both = (command: string, more: Scenario): Scenarios => ({
  async [command](client, site) {
    await ofEach[command]?.(client, site);
    await more(client, site);
  },
});

export const records: Scenarios = {
  ...ofEach,
  ...both('allocation create', allocate),
  ...both('chassis delete', keepChassisInUse),
};
