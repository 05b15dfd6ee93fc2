// Takes in a ramdisk's report: finds the node that it belongs to, and processes it in the background.
import { VALUES_LIMIT } from '../../lib/json/json-text.ts';
import type { Release } from '../../lib/limits/memory-budget.ts';
import { type Fault, fault } from '../../model/faults.ts';
import { changeInfo } from '../../model/internal-info.ts';
import type { Node } from '../../model/records/node.ts';
import { permissionIn } from '../../model/states/provision-states.ts';
import { now } from '../../lib/clock.ts';
import { expectFirstBoot } from '../boot/first-boot.ts';
import { finishInspection, passOnReport } from './phases/inspect.ts';
import type { FlowServices, FlowTask } from './services.ts';
import { type RamdiskIdentity, tokenFor } from '../ramdisk/lookup.ts';
import { keepRamdiskLogs } from '../ramdisk/ramdisk-logs.ts';
import { startTask } from '../tasks/run-task.ts';
import { changesByReport } from '../inspection/compute-changes.ts';
import { beginDiscovery, finishDiscovery, withdrawDiscovery } from '../inspection/discovery.ts';
import { senderOf, takeBmcLogin } from '../inspection/in-band-login.ts';
import { findInspected, type Inspected } from '../inspection/identify.ts';
import type { ReportRefusal } from '../inspection/report-processor.ts';
import type { Call } from '../tasks/services.ts';

export interface RamdiskReport {
  /** JSON in UTF-8. */
  readonly bytes: Uint8Array;
  /** The UUID of the ramdisk's node, if the ramdisk gives it. */
  readonly uuid: string | undefined;
  /** Whether the ramdisk's agent is to get a token. */
  readonly wantsToken: boolean;
  /** Called when the bytes are no longer needed. */
  readonly release: Release;
}

export interface Received {
  /** The node as it was when the report arrived. */
  readonly node: Node;
  /** The agent's token, in clear or masked, as `tokenFor` returns it; null when the agent wants none. */
  readonly token: string | null;
}

/**
 * Resolves when the report's node is found or discovered and processing has begun. Throws NotFound when no node waits for the
 * report and none is discovered; for a malformed report, a fault that names the cause.
 */
export async function receiveReport(call: Call<FlowServices>, report: RamdiskReport): Promise<Received> {
  try {
    const identity = await identityIn(call, report);
    const found = findInspected(call.services, identity, call.caller?.address ?? null);
    record(call, identity, found);
    if (found.kind === 'waiting') expectFirstBoot(call.services, found.node.uuid);
    if (found.kind === 'waiting') return await continueInspection(call, report, found.node);
    if (found.kind === 'unknown') return await discover(call, report, identity.macs, found.twins);
    throw fault('NotFound', {});
  } catch (error) {
    report.release();
    throw error;
  }
}

function record(
  { services, caller }: Call<FlowServices>,
  { macs: [mac] }: RamdiskIdentity,
  found: Inspected,
): void {
  const address = caller?.address ?? null;
  services.timeline.record({
    hop: 'inspection',
    ...(mac !== undefined && { mac }),
    ...(address !== null && { address }),
    ...(found.kind === 'waiting'
      ? { node: found.node.uuid, text: 'its ramdisk sent its inspection report' }
      : { text: 'its ramdisk sent an inspection report; no node waits for it' }),
    ...(found.kind === 'near miss' && { failed: true }),
  });
}

async function identityIn(
  { services, caller }: Call<FlowServices>,
  { bytes, uuid }: RamdiskReport,
): Promise<RamdiskIdentity> {
  const found = await services.inspection.identify(bytes);
  if (found.kind === 'refused') throw refusal(services, found);
  const { macs, bmcAddresses, bmcMac, login } = found;
  const client = caller?.address ?? null;
  for (const address of bmcAddresses)
    services.foundBmcs.hear({ source: 'report', address, mac: bmcMac, sender: senderOf(client) });
  if (login !== undefined) takeBmcLogin(services, { macs, bmcAddresses, login, client });
  if (macs.length === 0 && bmcAddresses.length === 0 && uuid === undefined) {
    throw fault('Invalid', { reason: 'The inventory has no valid MAC or BMC address to find its node by.' });
  }
  return { uuid, macs, bmcAddresses };
}

function refusal({ config }: FlowServices, { code, reason }: ReportRefusal): Fault {
  if (code === 'BodyTooDeep') return fault(code, { limit: config.api.max_json_body_depth });
  if (code === 'BodyTooManyValues') return fault(code, { limit: VALUES_LIMIT });
  if (code === 'InvalidBody') return fault(code, { reason });
  return fault(code, { resource: 'inspection data', reason });
}

async function continueInspection(
  call: Call<FlowServices>,
  report: RamdiskReport,
  node: Node,
): Promise<Received> {
  let token: string | null = null;
  await startTask(call, node.uuid, (task) => {
    if (permissionIn(task.node.provision_state, 'inspectionReport') !== true) throw fault('NotFound', {});
    if (report.wantsToken) token = tokenFor(task);
    if (task.driver.inspect.passOn !== undefined) {
      void passOnReport(task, report.bytes).finally(report.release);
      return undefined;
    }
    // with fast track, the next operation waits for the first heartbeat of the agent that sent this report
    const changes = changeInfo(task.node, { agent_last_lookup: now(task.services) });
    task.transition('resume', { startsWork: true, changes });
    return () => conclude(task, report, finishInspection(task, changesByReport(task, report.bytes, false)));
  });
  return { node, token };
}

async function discover(
  call: Call<FlowServices>,
  report: RamdiskReport,
  macs: readonly string[],
  twins: readonly string[],
): Promise<Received> {
  const { services } = call;
  const discovered = beginDiscovery(services, macs);
  const { node } = discovered;
  let token: string | null = null;
  try {
    await startTask(call, node.uuid, (task) => {
      if (report.wantsToken) token = tokenFor(task);
      return () =>
        conclude(task, report, finishDiscovery(task, macs, changesByReport(task, report.bytes, true)));
    });
  } catch (error) {
    withdrawDiscovery(services, discovered);
    throw error;
  }
  if (discovered.isNew) nameTwins(services, node.uuid, twins);
  return { node, token };
}

/** Says in the timelines of both that they may be the same machine: some BMCs serve several machines at one address. */
function nameTwins({ timeline, log }: FlowServices, node: string, twins: readonly string[]): void {
  for (const twin of twins) {
    log.warn({ node, twin }, 'a discovered machine has the BMC address of another node');
    timeline.record({ hop: 'inspection', node, text: `node ${twin} has the same BMC address` });
    timeline.record({
      hop: 'inspection',
      node: twin,
      text: `a machine with the same BMC address was discovered as node ${node}`,
    });
  }
}

/**
 * Waits until the report is processed, saves the ramdisk's logs and releases the report. `isStored` resolves to whether the
 * processing succeeded.
 */
async function conclude(task: FlowTask, report: RamdiskReport, isStored: Promise<boolean>): Promise<void> {
  const archive = () => task.services.inspection.logs(report.bytes);
  try {
    await keepRamdiskLogs(task, { label: 'inspect', failed: !(await isStored), archive });
  } finally {
    report.release();
  }
}
