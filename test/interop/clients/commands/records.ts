// The records beside nodes, as the baremetal client writes each.
import type { Site } from '../site.ts';
import { MISSING, type Scenarios } from './scenario.ts';
import { type RecordKind, recordCommands } from './record-commands.ts';

const steps = (order: string) => `[{"interface":"bios","step":"apply_configuration","args":{},${order}}]`;
const deploySteps = (priority: number) => steps(`"priority":${priority}`);
const runbookSteps = (order: number) => steps(`"order":${order}`);
const traitName = (site: Site) => site.name('CUSTOM').replace('-', '_');
const actions = '[{"op":"set-attribute","args":{"path":"/driver","value":"ipmi"}}]';
const conditions = '[{"op":"is-true","args":{"value":"{node.auto_discovered}"}}]';

const nodeUuid = async (site: Site) => (await site.node()).uuid;
/** Volume records change while the machine is off only. */
async function poweredOff(site: Site): Promise<string> {
  const { uuid } = await site.node();
  await site.put(`/v1/nodes/${uuid}/states/power`, { target: 'power off' });
  await site.nodeWhen(uuid, ({ power_state }) => power_state === 'power off');
  return uuid;
}

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

const port: RecordKind = {
  command: 'port',
  path: '/v1/ports',
  field: 'address',
  body: async (site) => ({ node_uuid: await nodeUuid(site), address: site.mac() }),
  async create(site) {
    const [node, uuid, address] = [await nodeUuid(site), site.uuid(), site.mac()];
    return [
      `${address.toUpperCase()} --node ${node} --uuid ${uuid} --pxe-enabled false --physical-network net1 --is-smartnic --local-link-connection port_id=p --local-link-connection hostname=h --extra slot=1`,
      {
        uuid,
        address,
        node_uuid: node,
        pxe_enabled: false,
        physical_network: 'net1',
        is_smartnic: true,
        local_link_connection: { port_id: 'p', hostname: 'h' },
        extra: { slot: 1 },
      },
    ];
  },
  refusedCreate: async (site) => [
    `nonsense --node ${await nodeUuid(site)}`,
    /Expected a MAC address.*nonsense.*400/,
  ],
  async set(site) {
    const address = site.mac();
    return [
      `--address ${address} --extra slot=1 --physical-network net2 --pxe-disabled --local-link-connection switch_id=0a:1b:2c:3d:4e:5f --local-link-connection port_id=Eth1 --local-link-connection switch_info=s`,
      {
        address,
        extra: { slot: 1 },
        physical_network: 'net2',
        pxe_enabled: false,
        local_link_connection: { switch_id: '0a:1b:2c:3d:4e:5f', port_id: 'Eth1', switch_info: 's' },
      },
    ];
  },
  unset: ['--extra slot --physical-network', { extra: {}, physical_network: null, pxe_enabled: false }],
  newest: {
    set(site) {
      const name = site.name('port');
      return [
        `--name ${name} --description words --vendor acme --category fast`,
        { name, description: 'words', vendor: 'acme', category: 'fast' },
      ];
    },
    unset: [
      '--name --description --vendor --category --local-link-connection switch_info',
      {
        name: null,
        description: null,
        vendor: null,
        category: null,
        local_link_connection: { switch_id: '0a:1b:2c:3d:4e:5f', port_id: 'Eth1' },
      },
    ],
  },
};

const portGroup: RecordKind = {
  command: 'port group',
  path: '/v1/portgroups',
  field: 'name',
  body: async (site) => ({ node_uuid: await nodeUuid(site), name: site.name('bond') }),
  async create(site) {
    const [node, name, address] = [await nodeUuid(site), site.name('bond'), site.mac()];
    return [
      `--node ${node} --name ${name} --address ${address.toUpperCase()} --mode 802.3ad --property miimon=100 --unsupport-standalone-ports --extra a=1`,
      {
        node_uuid: node,
        name,
        address,
        mode: '802.3ad',
        properties: { miimon: 100 },
        standalone_ports_supported: false,
        extra: { a: 1 },
      },
    ];
  },
  refusedCreate: async () => [`--node ${MISSING}`, new RegExp(`${MISSING}.*400`)],
  async set(site) {
    const [name, address] = [site.name('bond'), site.mac()];
    return [
      `--name ${name} --address ${address} --mode 802.3ad --property miimon=100 --unsupport-standalone-ports --extra a=1`,
      {
        name,
        address,
        mode: '802.3ad',
        properties: { miimon: 100 },
        standalone_ports_supported: false,
        extra: { a: 1 },
      },
    ];
  },
  unset: [
    '--name --address --property miimon --extra a',
    { name: null, address: null, properties: {}, extra: {}, mode: '802.3ad' },
  ],
  newest: {
    set: () => ['--physical-network net1 --category fast', { physical_network: 'net1', category: 'fast' }],
    unset: ['--physical-network --category', { physical_network: null, category: null }],
  },
};

const volumeConnector: RecordKind = {
  command: 'volume connector',
  path: '/v1/volume/connectors',
  field: 'connector_id',
  body: async (site) => ({
    node_uuid: await poweredOff(site),
    type: 'iqn',
    connector_id: site.name('iqn.2017-05.org.example:one'),
  }),
  async create(site) {
    const [node, id] = [await nodeUuid(site), site.name('iqn.2017-05.org.example:two')];
    return [
      `--node ${node} --type iqn --connector-id ${id} --extra a=1`,
      { node_uuid: node, type: 'iqn', connector_id: id, extra: { a: 1 } },
    ];
  },
  refusedCreate: async () => [`--node ${MISSING} --type ip --connector-id 192.0.2.1`, /node_uuid.*400/],
  async set(site) {
    const id = site.name('192.0.2.1');
    return [
      `--type ip --connector-id ${id} --extra a=1`,
      { type: 'ip', connector_id: id, extra: { a: 1 } },
    ];
  },
  unset: ['--extra a', { type: 'ip', extra: {} }],
};

const volumeTarget: RecordKind = {
  command: 'volume target',
  path: '/v1/volume/targets',
  field: 'volume_id',
  body: async (site) => ({
    node_uuid: await poweredOff(site),
    volume_type: 'iscsi',
    boot_index: 0,
    volume_id: 'v1',
    properties: {},
  }),
  async create(site) {
    const node = await nodeUuid(site);
    return [
      `--node ${node} --type iscsi --boot-index 0 --volume-id v1 --property target_lun=1 --property auth_password=secret --extra a=1`,
      {
        node_uuid: node,
        volume_type: 'iscsi',
        boot_index: 0,
        volume_id: 'v1',
        properties: { auth_password: '******' },
        extra: { a: 1 },
      },
    ];
  },
  refusedCreate: async () => [
    `--node ${MISSING} --type iscsi --boot-index 0 --volume-id v1`,
    /node_uuid.*400/,
  ],
  set: async () => [
    '--type fibre_channel --boot-index 1 --volume-id v2 --property target_lun=1 --extra a=1',
    { volume_type: 'fibre_channel', boot_index: 1, volume_id: 'v2', extra: { a: 1 } },
  ],
  unset: ['--property target_lun --extra a', { volume_id: 'v2', properties: {}, extra: {} }],
};

const allocation: RecordKind = {
  command: 'allocation',
  path: '/v1/allocations',
  field: 'resource_class',
  body: async (site) => ({ resource_class: 'none-such', name: site.name('wish') }),
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

export const records: Scenarios = recordCommands([
  allocation,
  chassis,
  deployTemplate,
  inspectionRule,
  port,
  portGroup,
  runbook,
  volumeConnector,
  volumeTarget,
]);
