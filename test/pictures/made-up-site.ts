// A daemon whose records are those of a made-up site: machines in all kinds of states, with hardware, switch ports, boots, leases,
// sensors, images and events. No machine is behind them.
import { randomUUID } from 'node:crypto';
import type { Services } from '../../daemon/conductor/services.ts';
import { draftRecord } from '../../daemon/conductor/records/new-record.ts';
import { initialNode, type Node } from '../../daemon/model/records/node.ts';
import { hardwareIn } from '../../daemon/model/hardware/hardware.ts';
import type { JsonObject } from '../../daemon/model/json.ts';
import { type Port, portFields } from '../../daemon/model/records/port.ts';
import type { ProvisionState } from '../../daemon/model/states/provision-states.ts';
import type { Ending } from '../fakes/daemon/in-process-daemon.ts';
import { startListening } from '../fakes/daemon/listening-daemon.ts';
import { ago, DAY, GIGABYTE, macOf, MINUTE, two } from './made-up-facts.ts';
import { addSurroundings } from './made-up-surroundings.ts';

type ListeningDaemon = Awaited<ReturnType<typeof startListening>>;

/** The UUIDs of machines that views are shown of. */
export interface ShownMachines {
  readonly active: string;
  readonly working: string;
  readonly failed: string;
  readonly available: string;
}

export interface MadeUpSite {
  readonly daemon: ListeningDaemon;
  /** Random UUIDs, of no machine, at a site without machines. */
  readonly machines: ShownMachines;
}

/** A class of machines. */
interface Model {
  readonly name: string;
  readonly product: string;
  readonly threads: number;
  readonly memory: number;
  readonly disks: number;
  readonly image: string;
}

const WEB: Model = {
  name: 'web',
  product: 'PowerEdge R660',
  threads: 64,
  memory: 256,
  disks: 2,
  image: 'debian-13',
};
const DB: Model = {
  name: 'db',
  product: 'ProLiant DL380 Gen11',
  threads: 128,
  memory: 1024,
  disks: 8,
  image: 'rocky-9',
};
const GPU: Model = {
  name: 'gpu',
  product: 'AS-4125GS-TNRT',
  threads: 192,
  memory: 1536,
  disks: 4,
  image: 'ubuntu-24.04',
};

interface Situation extends Partial<Node> {
  readonly provision_state: ProvisionState;
}

const IN_USE: Situation = { provision_state: 'active', power_state: 'power on' };
const FREE: Situation = { provision_state: 'available', power_state: 'power off' };
const DEPLOY_FAILED: Situation = {
  provision_state: 'deploy failed',
  power_state: 'power on',
  last_error:
    'Timeout reached while waiting for the first heartbeat of the agent. The machine asked for no address since its power-on 6 min ago: check the cable of its boot card 52:54:00:10:00:04, and its boot order.',
};
const CLEANING: Situation = {
  provision_state: 'cleaning',
  power_state: 'power on',
  target_provision_state: 'available',
  clean_step: {
    interface: 'deploy',
    step: 'erase_devices_metadata',
    priority: 99,
    args: {},
  } as unknown as Node['clean_step'],
};
const DEPLOYING: Situation = {
  provision_state: 'wait call-back',
  power_state: 'power on',
  target_provision_state: 'active',
  wait: { reason: 'the first heartbeat of the agent in the machine’s ramdisk' } as unknown as Node['wait'],
};
const IN_MAINTENANCE: Situation = {
  provision_state: 'available',
  power_state: 'power off',
  maintenance: true,
  maintenance_reason: 'the second power supply is replaced on Tuesday',
};

type Kind = readonly [Model, Situation];

/** The machines of the small site, each with its class. */
const FEW: readonly Kind[] = [
  [WEB, IN_USE],
  [WEB, IN_USE],
  [WEB, CLEANING],
  [WEB, DEPLOYING],
  [DB, DEPLOY_FAILED],
  [DB, IN_USE],
  [GPU, FREE],
  [GPU, FREE],
  [GPU, { provision_state: 'manageable', power_state: 'power off' }],
  [WEB, IN_MAINTENANCE],
  [WEB, { provision_state: 'inspecting', power_state: 'power on' }],
  [WEB, { provision_state: 'enroll', power_state: null }],
];

/** `machines`: how many; none, those of the small site, or about as many as asked for. */
export async function startMadeUpSite(test: Ending, machines: number): Promise<MadeUpSite> {
  const daemon = await startListening(test, {
    environment: {
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware',
      IRONIC_UI__SITE_NAME: 'Site north-3',
      IRONIC_UI__KIT: 'true',
      // no host has it: the view Network shows what is missing
      IRONIC_DEFAULT__MY_IP: '192.0.2.1',
      IRONIC_DHCP_SERVER__SUBNET: [
        '10.20.0.0/24 range=10.20.0.50-10.20.0.249 router=10.20.0.1',
        '10.20.8.0/26 range=10.20.8.10-10.20.8.25 router=10.20.8.1',
      ].join(','),
    },
  });
  const kinds = Array.from({ length: machines }, (_, at): Kind => FEW[at % FEW.length] ?? [WEB, FREE]);
  const uuids = kinds.map(() => randomUUID());
  const { services } = daemon;
  services.db.transaction(() => {
    for (const [at, kind] of kinds.entries()) enrol(services, uuids[at] ?? '', at, kind);
  });
  if (machines > 0) services.db.transaction(() => addSurroundings(services, uuids));
  services.timeline.flush();
  const at = (index: number) => uuids[index] ?? randomUUID();
  return { daemon, machines: { active: at(0), working: at(2), failed: at(4), available: at(6) } };
}

const UNITS = 38;
const MACHINES_IN_RACK = 18;

function enrol(services: Services, uuid: string, at: number, [model, situation]: Kind): void {
  const { db } = services;
  const rack = Math.floor(at / MACHINES_IN_RACK) + 1;
  const isInUse = situation.provision_state === 'active';
  const since = isInUse ? (3 + (at % 40)) * DAY : (2 + (at % 30)) * MINUTE;
  db.nodes.insert(
    initialNode({
      uuid,
      name: `${model.name}-${two(at + 1)}`,
      driver: 'fake-hardware',
      resource_class: model.name,
      extra: { rack: `R${rack}`, unit: UNITS - 2 * (at % MACHINES_IN_RACK) },
      properties: {
        cpus: model.threads,
        memory_mb: model.memory * 1024,
        local_gb: 1900,
        cpu_arch: 'x86_64',
      },
      driver_info: { redfish_address: `https://10.21.${Math.floor(at / 200)}.${(at % 200) + 1}` },
      provision_updated_at: ago(since),
      created_at: ago(60 * DAY),
      updated_at: ago(since),
      ...((isInUse || situation.target_provision_state === 'active') && {
        instance_uuid: randomUUID(),
        instance_info: { image_source: model.image, display_name: `${model.name}-${at + 1}.north-3.example` },
      }),
      ...situation,
    }),
  );
  for (const card of [0, 1]) db.ports.insert(portOf(uuid, at, card));
  const inventory = inventoryOf(at, model);
  db.inventory.put(uuid, ago(50 * DAY), { inventory, plugin_data: '{}' });
  const { hardware } = hardwareIn(JSON.parse(inventory) as JsonObject, {});
  const seen = { compared_with: null, compared: [], changes: [] };
  db.hardware.put({ node_uuid: uuid, source: 'agent', inspected_at: ago(50 * DAY), hardware, ...seen });
  for (const seconds of [540, 560, 610])
    for (const work of ['cleaning', 'wait call-back', 'inspecting'])
      services.workTimes.store(uuid, [work, seconds]);
}

const SWITCH_PORTS = 48;

/** The machine with every seventh number has no known switch port. */
function portOf(node: string, at: number, card: number): Port {
  const fabric = Math.floor(at / SWITCH_PORTS) + 1;
  const port: Partial<Port> = {
    address: macOf(at, card),
    node_uuid: node,
    pxe_enabled: card === 0,
    ...(at % 7 !== 6 && {
      local_link_connection: {
        switch_id: `00:1c:73:00:${two(fabric)}:0${card}`,
        port_id: `Ethernet${(at % SWITCH_PORTS) + 1}`,
        switch_info: `leaf-${fabric}${card === 0 ? 'a' : 'b'}.north-3`,
      },
    }),
  };
  return draftRecord<Port>(portFields, port);
}

function inventoryOf(at: number, { product, threads, memory, disks }: Model): string {
  return JSON.stringify({
    system_vendor: {
      manufacturer: product.startsWith('Power') ? 'Dell Inc.' : 'HPE',
      product_name: product,
      serial_number: `S4YN0M${two(at)}`,
    },
    cpu: { model_name: 'AMD EPYC 9354', architecture: 'x86_64', count: threads },
    memory: { physical_mb: memory * 1024 },
    disks: Array.from({ length: disks }, (_, disk) => ({
      name: `/dev/nvme${disk}n1`,
      size: 1920 * GIGABYTE,
      model: 'SAMSUNG MZQL21T9',
      serial: `S64GNE0R${two(at)}${disk}`,
    })),
    interfaces: [0, 1].map((card) => ({
      name: `eno${card + 1}`,
      mac_address: macOf(at, card),
      has_carrier: true,
      ipv4_address: `10.20.0.${50 + (at % 190)}`,
      product: 'BCM57414',
    })),
  });
}
