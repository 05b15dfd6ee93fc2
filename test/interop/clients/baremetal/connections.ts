// The baremetal client's commands for the records that connect a node: ports, port groups, volume connectors and volume
// targets.
import { MISSING, type Site } from '../site.ts';
import { type RecordKind, recordCommands } from './record-commands.ts';
import type { Scenarios } from './scenario.ts';

const nodeUuid = async (site: Site) => (await site.node()).uuid;
/** For volumes: set, unset and delete are refused unless the node is powered off; create is not. */
const onPoweredOffNode = async (site: Site) => ({ node_uuid: (await site.poweredOff()).uuid });

const port: RecordKind = {
  command: 'port',
  path: '/v1/ports',
  field: 'address',
  filters: ({ address, node_uuid }) => [`--address ${String(address)}`, `--node ${String(node_uuid)}`],
  shownBy: ({ address }) => `--address ${String(address)}`,
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
  body: async (site) => ({ node_uuid: await nodeUuid(site), name: site.name('bond'), address: site.mac() }),
  filters: ({ address, node_uuid }) => [`--address ${String(address)}`, `--node ${String(node_uuid)}`],
  shownBy: ({ address }) => `--address ${String(address)}`,
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
  filters: ({ node_uuid }) => [`--node ${String(node_uuid)}`],
  body: async (site) => ({
    ...(await onPoweredOffNode(site)),
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
    return [`--type ip --connector-id ${id} --extra a=1`, { type: 'ip', connector_id: id, extra: { a: 1 } }];
  },
  unset: ['--extra a', { type: 'ip', extra: {} }],
};

const volumeTarget: RecordKind = {
  command: 'volume target',
  path: '/v1/volume/targets',
  field: 'volume_id',
  filters: ({ node_uuid }) => [`--node ${String(node_uuid)}`],
  body: async (site) => ({
    ...(await onPoweredOffNode(site)),
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

export const connections: Scenarios = recordCommands([port, portGroup, volumeConnector, volumeTarget]);
