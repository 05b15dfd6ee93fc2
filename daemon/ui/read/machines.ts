// Reads the machines of all racks: what their rows on the page show, and what a search compares.
import { troubledNodes } from '../../db/tables/nodes.ts';
import { naturalOrder } from '../../lib/natural-order.ts';
import type { SensorReading } from '../../model/machine/sensors.ts';
import type { Node } from '../../model/records/node.ts';
import { maskSecrets } from '../../model/secrets.ts';
import type { ProvisionState } from '../../model/states/provision-states.ts';
import type { ReadServices } from './services.ts';

export interface ShownMachine {
  readonly uuid: string;
  readonly name: string | null;
  readonly rack: string;
  readonly unit: number | null;
  readonly state: ProvisionState;
  readonly since: string | null;
  readonly power: string | null;
  readonly maintenance: boolean;
  readonly maintenanceReason: string | null;
  readonly quarantined: boolean;
  readonly error: string | null;
  /** The step that runs: `deploy.erase_devices`. */
  readonly step: string | null;
  /** What the machine waits for: `the first heartbeat of the agent in the machine's ramdisk`. */
  readonly waitsFor: string | null;
  readonly locked: boolean;
  /** Whether auto-discovery enrolled the machine. */
  readonly discovered: boolean;
  /** Whether the machine's serial console is enabled. */
  readonly console: boolean;
  /** Up to three sensors that report a problem, such as `Fan 2 Warning`. */
  readonly unhealthy: readonly string[];
}

export const labelOf = ({ name, uuid }: Pick<ShownMachine, 'name' | 'uuid'>): string => name ?? uuid;

/** Whether an operator should look at the machine. */
export const hasProblem = ({ error, maintenance, quarantined }: ShownMachine): boolean =>
  error !== null || maintenance || quarantined;

const COLUMNS = [
  ...(['uuid', 'name', 'extra', 'provision_state', 'provision_updated_at', 'power_state'] as const),
  ...(['maintenance', 'maintenance_reason', 'last_error'] as const),
  ...(['auto_discovered', 'console_enabled'] as const),
  ...(['clean_step', 'deploy_step', 'service_step', 'wait'] as const),
] as const;
/** The page shows no more machines than this. */
export const MOST_MACHINES = 5000;
const ALL = { limit: MOST_MACHINES, sortKey: 'name', descending: false } as const;

/** Returns the machines in the order of their racks, from the highest unit to the lowest. */
export function readMachines(services: ReadServices): readonly ShownMachine[] {
  const { db } = services;
  const quarantined = new Set(db.quarantine.list().map(({ node_uuid }) => node_uuid));
  const machines = db.nodes
    .list(COLUMNS, [], ALL)
    .map((node) => machineOf(services, node, quarantined.has(node.uuid)));
  return machines.toSorted(inOrder);
}

export const countProblems = ({ db }: ReadServices): number =>
  db.nodes.list(['uuid'], [troubledNodes], ALL).length;

/** Returns the names of nodes by their UUIDs; for a node without a name, its UUID. */
export const readNames = ({ db }: ReadServices): ReadonlyMap<string, string> =>
  new Map(db.nodes.list(['uuid', 'name'], [], ALL).map((node) => [node.uuid, labelOf(node)]));

const inOrder = (a: ShownMachine, b: ShownMachine): number =>
  a.rack.localeCompare(b.rack) || (b.unit ?? -1) - (a.unit ?? -1) || naturalOrder(labelOf(a), labelOf(b));

export function machineOf(
  { locks, sensors }: Pick<ReadServices, 'locks' | 'sensors'>,
  node: Pick<Node, (typeof COLUMNS)[number]>,
  quarantined: boolean,
): ShownMachine {
  const { name, extra } = node;
  const { rack, unit } = extra;
  return {
    uuid: node.uuid,
    name,
    rack: typeof rack === 'string' && rack !== '' ? rack : rackInName(name),
    unit: typeof unit === 'number' ? unit : null,
    state: node.provision_state,
    since: node.provision_updated_at,
    power: node.power_state,
    maintenance: node.maintenance,
    maintenanceReason: node.maintenance_reason,
    error: node.last_error === null ? null : maskSecrets(node.last_error),
    step: stepOf(node),
    waitsFor: 'reason' in node.wait ? node.wait.reason : null,
    discovered: node.auto_discovered,
    console: node.console_enabled,
    quarantined,
    locked: locks.holderOf(node.uuid) !== null,
    unhealthy: unhealthyIn(sensors.of(node.uuid)?.sensors ?? []),
  };
}

const MOST_SENSORS = 3;

const unhealthyIn = (sensors: readonly SensorReading[]): readonly string[] =>
  sensors
    .filter(({ health }) => health !== null && health !== 'OK')
    .slice(0, MOST_SENSORS)
    .map(({ id, health }) => `${id} ${health}`);

/** Returns the rack in a node's name, such as `row3` in `row3-07`; `no rack` if there is none. */
function rackInName(name: string | null): string {
  const end = name?.lastIndexOf('-') ?? -1;
  return end > 0 ? (name ?? '').slice(0, end) : 'no rack';
}

function stepOf({
  clean_step,
  deploy_step,
  service_step,
}: Pick<Node, 'clean_step' | 'deploy_step' | 'service_step'>) {
  const step = [clean_step, deploy_step, service_step].find((each) => each !== null && 'step' in each);
  return step !== undefined && 'step' in step ? `${step.interface}.${step.step}` : null;
}

const ADDRESS = '_address';
const MOST_PORTS = 8 * MOST_MACHINES;

/** Returns the UUIDs of nodes whose name, UUID, MAC address, BMC address or serial number contains the text. */
export function searchNodes({ db }: ReadServices, text: string): ReadonlySet<string> {
  const wanted = text.toLowerCase();
  const fits = (value: unknown) => typeof value === 'string' && value.toLowerCase().includes(wanted);
  const isFound = ({ uuid, name, driver_info }: Pick<Node, 'uuid' | 'name' | 'driver_info'>) =>
    [uuid, name].some(fits) ||
    Object.entries(driver_info).some(([key, value]) => key.endsWith(ADDRESS) && fits(value));
  const nodes = db.nodes.list(['uuid', 'name', 'driver_info'], [], ALL).filter(isFound);
  const ports = db.ports.list(['node_uuid', 'address'], [], { ...ALL, limit: MOST_PORTS, sortKey: 'id' });
  const serials = db.inventory.serials().filter(({ serial }) => fits(serial));
  return new Set([
    ...nodes.map(({ uuid }) => uuid),
    ...ports.filter(({ address }) => fits(address)).map(({ node_uuid }) => node_uuid),
    ...serials.map(({ node }) => node),
  ]);
}
