// Nodes in quarantine: their records come from a backup or a copy, or another service manages their machines. Nothing is done
// with a machine until its identity is confirmed, so that the daemon does not reset or overwrite one that somebody else uses.
import { fault } from '../../model/faults.ts';
import { isJsonObject, type Json } from '../../model/json.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Node } from '../../model/records/node.ts';
import type { Driver } from '../../plugin-api/index.ts';
import { endSubscription } from '../bmc-events/subscriptions.ts';
import { startNodeConsole, stopConsole } from '../hardware/console.ts';
import { isBusy } from './node-records.ts';
import type { RecordServices, RecordTask } from './services.ts';
import { withTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';

/** Makes `compose` throw NodeQuarantined for nodes in quarantine: without the driver that it returns, nothing reaches a machine. */
export const guarded =
  (db: RecordServices['db'], compose: (node: Node) => Driver) =>
  (node: Node): Driver => {
    refuseQuarantined(db, node.uuid);
    return compose(node);
  };

/** Throws NodeQuarantined if the node is in quarantine. */
export function refuseQuarantined({ quarantine }: RecordServices['db'], node: string): void {
  const found = quarantine.of(node);
  if (found !== undefined) throw fault('NodeQuarantined', { node, since: found.since, reason: found.reason });
}

/**
 * Puts the node in quarantine because the service `to` manages its machine from now on. Does nothing if the node has already been
 * handed over to `to`. Throws NodeBusy while running work forbids changes of the node, and NodeQuarantined for a node that is in
 * quarantine for another reason.
 */
export function handOver(call: Call<RecordServices>, uuid: string, to: string): Promise<void> {
  return withTask(call, uuid, async (task) => {
    const { services, node } = task;
    const { db, networkBoots, clock } = services;
    if (db.quarantine.of(uuid)?.handed_to === to) return;
    refuseQuarantined(db, uuid);
    if (isBusy(node)) throw fault('NodeBusy', { node: uuid });
    await stopConsole(task, `The node was handed over to ${to}.`);
    await endSubscription(task);
    const since = timestamp(clock.now());
    const reason = `quarantine: Handed over to ${to}, which manages the machine from now on.`;
    task.transaction(() => {
      db.quarantine.handOver(uuid, { since, reason, to });
      task.recordInfo({ event: `Handed over to ${to}.`, eventType: 'quarantine' });
    });
    networkBoots.clear(uuid);
  });
}

export interface ReleaseRequest {
  /** The serial number that somebody has read from the machine. */
  readonly serial: string | undefined;
  /** Whether nothing is compared, because the operator vouches for the identity of the machine. */
  readonly unchecked: boolean;
}

/**
 * Ends the quarantine of the node. Resolves with what confirmed the identity of its machine. Throws NodeNotConfirmed when nothing
 * confirms it or, unless `unchecked`, when the node was handed over. Throws NodeNotQuarantined for a node that is not
 * in quarantine.
 */
export function release(call: Call<RecordServices>, uuid: string, request: ReleaseRequest): Promise<string> {
  return withTask(call, uuid, async (task) => {
    const { db } = call.services;
    const quarantined = db.quarantine.of(uuid);
    if (quarantined === undefined) throw fault('NodeNotQuarantined', { node: uuid });
    if (quarantined.handed_to !== null && !request.unchecked)
      throw unconfirmed(
        task,
        `it was handed over to ${quarantined.handed_to}, which manages its machine`,
        'Undo the move with ironic-edge export ironic --back-out, or release the node with --unchecked when that service no longer has it',
      );
    const evidence = await confirmed(task, request);
    task.transaction(() => {
      const { maintenance, maintenance_reason, fault: cause } = quarantined;
      task.store({ maintenance, maintenance_reason, fault: cause, power_state: null });
      task.recordInfo({ event: `Released from quarantine: ${evidence}.`, eventType: 'quarantine' });
      db.quarantine.remove(uuid);
    });
    await startNodeConsole(task);
    return evidence;
  });
}

async function confirmed(task: RecordTask, { serial, unchecked }: ReleaseRequest): Promise<string> {
  if (unchecked) return 'the operator vouches for the identity of the machine';
  if (serial !== undefined) return confirmedBySerial(task, serial);
  return confirmedByBmc(task);
}

function confirmedBySerial(task: RecordTask, given: string): string {
  const known = serialOf(task);
  if (known === undefined)
    throw unconfirmed(
      task,
      'its record has no serial number to compare: it was never inspected, or its last inspection found none',
      'Release it with --unchecked if you know that its driver_info leads to its machine',
    );
  if (known.trim().toLowerCase() !== given.trim().toLowerCase())
    throw unconfirmed(
      task,
      `the serial number on record is ${known}, and ${given} was given`,
      'If the machine was exchanged, correct its driver_info or delete the node',
    );
  return `its serial number is ${known}`;
}

/** The BMC confirms the machine if it reports a network card whose MAC address is that of one of the node's ports. */
async function confirmedByBmc(task: RecordTask): Promise<string> {
  const { composeQuarantined } = task.services;
  const { management } = composeQuarantined(task.node);
  if (management.getMacAddresses === undefined)
    throw unconfirmed(
      task,
      'its management interface cannot tell which machine the BMC belongs to',
      COMPARE_SERIAL,
    );
  const seen = new Set((await management.getMacAddresses(task.view)).map((mac) => mac.toLowerCase()));
  const ports = task.ports.map(({ address }) => address);
  const known = ports.filter((address) => seen.has(address));
  if (known.length === 0)
    throw unconfirmed(
      task,
      `the BMC reports the network cards ${[...seen].join(', ') || 'none'}, and those on record are ${ports.join(', ') || 'none'}`,
      COMPARE_SERIAL,
    );
  return `its BMC reports the network card ${known[0]}`;
}

/** Returns the serial number that the last inspection stored, if any. */
function serialOf({ services, node }: RecordTask): string | undefined {
  const stored = services.db.inventory.get(node.uuid);
  const inventory = stored === undefined ? null : (JSON.parse(stored.inventory) as Json);
  const vendor = isJsonObject(inventory) ? inventory['system_vendor'] : undefined;
  const serial = isJsonObject(vendor) ? vendor['serial_number'] : undefined;
  return typeof serial === 'string' && serial !== '' ? serial : undefined;
}

const COMPARE_SERIAL = 'Read the serial number on the machine itself, and give it with --serial';

const unconfirmed = ({ node }: RecordTask, reason: string, advice: string) =>
  fault('NodeNotConfirmed', { node: node.uuid, reason, advice });
