// Kills the daemon again and again while simulated machines go through their lives in one ramdisk session. Whenever a node is at
// rest, its operator looks whether the machine is what the node claims.
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../daemon/lib/clock.ts';
import { type ProvisionState, isAtRest } from '../../daemon/model/states/provision-states.ts';
import { freeTcpPort } from '../../daemon/simulator/free-port.ts';
import { plugInRack } from '../../daemon/simulator/rack.ts';
import { type ApiNode, DaemonProcess, type Environment } from '../fakes/daemon/daemon-process.ts';
import { Operator, type Order } from './operator.ts';

const MACHINES = 8;
/** How much the daemon logs between a start and the next kill, at most: as much as about one phase of all machines. */
const MOST_LINES = 200;
const LOOK_MILLISECONDS = 250;

export interface Kills {
  readonly kills: number;
  /** The state of each inspected node that was at work or had a kept ramdisk when a kill met it: one for each run. */
  readonly met: readonly ProvisionState[];
}

/**
 * Resolves after at least `wanted` runs, when all machines have reached the end of their lives. Rejects as soon as a node claims what
 * its machine is not. `random` returns a number between 0 and 1.
 */
export async function killsDuringLives(wanted: number, random: () => number): Promise<Kills> {
  const environment = await environmentOf();
  const met: ProvisionState[] = [];
  let kills = 0;
  await using daemon = await DaemonProcess.start(environment);
  const rack = await plugInRack({
    size: MACHINES,
    url: daemon.url,
    clock: systemClock,
    bootSeconds: 0.3,
    stepSeconds: 0.3,
    tell: () => {},
  });
  const operators = new Map(
    rack.map(({ name, node: uuid, machine }) => [uuid, new Operator({ name, uuid, machine })]),
  );
  try {
    while (met.length < wanted) {
      if (!areAtWork(operators)) for (const operator of operators.values()) operator.goOn();
      const lines = daemon.log.length + Math.ceil(random() * MOST_LINES);
      await operate(daemon, operators, () => daemon.log.length >= lines);
      const worthIt = (await nodesOf(daemon)).filter(isWorthAKill);
      if (worthIt.length === 0) continue;
      met.push(...worthIt.map(({ provision_state: state }) => state));
      kills += 1;
      await daemon.kill();
      await daemon.restart(environment);
    }
    await operate(daemon, operators, () => false);
  } finally {
    for (const { machine } of rack) machine.unplug();
  }
  return { kills, met };
}

async function environmentOf(): Promise<Environment> {
  const limits = ['CLEAN_CALLBACK', 'DEPLOY_CALLBACK', 'INSPECT_WAIT'].map((each) => [
    `IRONIC_CONDUCTOR__${each}_TIMEOUT`,
    '90',
  ]);
  return {
    IRONIC_API__PORT: String(await freeTcpPort()),
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'simulated',
    IRONIC_DEFAULT__ENABLED_DEPLOY_INTERFACES: 'direct',
    IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
    IRONIC_DEPLOY__FAST_TRACK: 'true',
    IRONIC_DEPLOY__KEXEC_TIMEOUT: '0',
    IRONIC_API__RAMDISK_HEARTBEAT_TIMEOUT: '10',
    IRONIC_CONDUCTOR__CHECK_PROVISION_STATE_INTERVAL: '1',
    ...Object.fromEntries(limits),
  };
}

/** Whether the node is at work or has a kept ramdisk, after the inspection from which ramdisks are kept. */
const isWorthAKill = (node: ApiNode): boolean =>
  node.inspection_finished_at !== null &&
  (!isAtRest(node.provision_state) || node.driver_internal_info.agent_url !== undefined);

const areAtWork = (operators: ReadonlyMap<string, Operator>): boolean =>
  [...operators.values()].some(({ hasReachedAll }) => !hasReachedAll);

const nodesOf = async (daemon: DaemonProcess): Promise<readonly ApiNode[]> =>
  (await daemon.request<{ readonly nodes: readonly ApiNode[] }>('GET', '/v1/nodes/detail')).body.nodes;

/** Resolves when `isEnough`, or when all operators have reached what they want. */
async function operate(
  daemon: DaemonProcess,
  operators: ReadonlyMap<string, Operator>,
  isEnough: () => boolean,
): Promise<void> {
  while (!isEnough() && areAtWork(operators)) {
    for (const node of await nodesOf(daemon)) {
      const seen = { ...node, isLocked: node.reservation !== null };
      const operator = operators.get(node.uuid);
      operator?.judge(seen);
      const order = operator?.next(seen);
      if (order !== undefined && (await carriesOut(daemon, node, order))) operator?.accepted(order);
    }
    await wait(LOOK_MILLISECONDS);
  }
}

/** Resolves to whether the daemon accepts the order. */
async function carriesOut(
  daemon: DaemonProcess,
  { uuid, maintenance }: ApiNode,
  order: Order,
): Promise<boolean> {
  const path = `/v1/nodes/${uuid}`;
  if (maintenance) await daemon.request('DELETE', `${path}/maintenance`);
  if (order.patch.length > 0) await daemon.request('PATCH', path, order.patch);
  const { target } = order;
  return (await daemon.request('PUT', `${path}/states/provision`, { target })).status === 202;
}
