// Accepts a heartbeat of the agent in a node's ramdisk: checks that it comes from the node's own agent, records it and continues
// the work on the node.
import { timingSafeEqual } from 'node:crypto';
import { addressRule, refusedHost } from '../../lib/network/address-rule.ts';
import { fault } from '../../model/faults.ts';
import type { InstallerReport } from '../../plugin-api/index.ts';
import type { PlannedStep } from '../../model/steps/planned-steps.ts';
import type { Node } from '../../model/records/node.ts';
import { permissionIn } from '../../model/states/provision-states.ts';
import { now } from '../../lib/clock.ts';
import { keepsAgent } from '../tasks/agent-state.ts';
import { refuseQuarantined } from '../records/quarantine.ts';
import { tokenOf } from '../ramdisk/lookup.ts';
import { failRescue, finishRescue } from './phases/rescue.ts';
import { phaseOf } from './phases/step-phases.ts';
import { startTask, startTaskIfFree } from '../tasks/run-task.ts';
import { askAgent, currentStatus, learnAgentSteps } from './steps/agent-steps.ts';
import { agentSteps, currentStep, hasBegun, storeSignOfLife, waitLeft } from './steps/flow-record.ts';
import { asksAgent, ownStep } from './steps/available-steps.ts';
import type { Phase } from './steps/phase.ts';
import { enterFlow, replan, resumeAfter, resumeByPlanning, resumeByRepeating } from './steps/run-flow.ts';
import { stepResult } from './steps/run-step.ts';
import type { FlowServices, FlowTask } from './services.ts';

export interface Heartbeat {
  readonly callbackUrl: string;
  readonly token: string;
  readonly agentVersion: string | undefined;
  readonly certificate: string | undefined;
  /** The report of an installer, which has no callback URL. */
  readonly report?: InstallerReport;
}

/** Checks that the heartbeat is from the node's own agent. Records it and continues the work, each only if the state permits. */
export async function acceptHeartbeat(
  services: FlowServices,
  node: Node,
  heartbeat: Heartbeat,
): Promise<void> {
  refuseQuarantined(services.db, node.uuid);
  refuseForeignAgent(services, node, heartbeat);
  // while the node is locked, the first heartbeat of a new agent is refused, because the agent then soon sends it again; a later
  // heartbeat is accepted without effect, because the next one follows anyway; the report of an installer waits for the lock
  const isFirst = heartbeat.report === undefined && node.driver_internal_info.agent_url === undefined;
  if (isFirst && services.locks.holderOf(node.uuid) !== null)
    throw fault('NodeLocked', { node: node.uuid, host: services.host });
  const use = permissionIn(node.provision_state, 'heartbeat');
  if (use === undefined || (use === 'fast-track' && !keepsAgent(services, node))) {
    services.log.info(
      { node: node.uuid, state: node.provision_state },
      'heartbeat ignored: the node does not use heartbeats in this provision state',
    );
    return;
  }
  if (use === 'act' || node.driver_internal_info.agent_url === undefined)
    services.timeline.record({
      hop: 'heartbeat',
      node: node.uuid,
      text: textOf(heartbeat),
    });
  const prepare = (task: FlowTask) => {
    recordHeartbeat(task, heartbeat);
    return permissionIn(task.node.provision_state, 'heartbeat') === 'act'
      ? (running: FlowTask) => continueWork(running, heartbeat.report)
      : undefined;
  };
  // an installer reports each event only once
  if (heartbeat.report === undefined) await startTaskIfFree(services, node.uuid, prepare);
  else await startTask({ services, caller: null }, node.uuid, prepare);
}

const textOf = ({ callbackUrl, report }: Heartbeat): string =>
  report === undefined
    ? `the agent at ${callbackUrl} sent a heartbeat`
    : `the installer reported ${report.status}: ${report.message}`;

function recordHeartbeat(task: FlowTask, { callbackUrl, agentVersion, certificate }: Heartbeat): void {
  task.store({
    driver_internal_info: {
      ...task.node.driver_internal_info,
      ...(callbackUrl !== '' && { agent_url: callbackUrl }),
      agent_last_heartbeat: now(task.services),
      ...(agentVersion !== undefined && { agent_version: agentVersion }),
      ...(certificate !== undefined && { agent_verify_ca: certificate }),
    },
  });
}

/**
 * Continues the work on a node that waited for its ramdisk; does nothing when the node no longer waits. Resolves to true, so that
 * `withTaskIfFree`, which calls it, resolves to undefined only for a locked node.
 */
export async function continueIfWaiting(task: FlowTask): Promise<true> {
  if (permissionIn(task.node.provision_state, 'heartbeat') === 'act') await continueWork(task);
  return true;
}

async function continueWork(task: FlowTask, report?: InstallerReport): Promise<void> {
  const phase = phaseOf(task.node);
  const { maintenance, uuid } = task.node;
  if (!maintenance)
    return phase === undefined
      ? finishRescue(task)
      : enterFlow(task, phase, () =>
          report === undefined ? continueFlow(task, phase) : continueByReport(task, phase, report),
        );
  if (task.services.config.conductor.allow_provisioning_in_maintenance)
    return task.log.info({}, 'the node is in maintenance: no further work on it is started');
  const reason = `node ${uuid} is in maintenance ([conductor] allow_provisioning_in_maintenance is false)`;
  await (phase === undefined ? failRescue(task, reason) : phase.fail(task, reason));
}

/**
 * Passes an installer's report to the current step and continues with the outcome. Does nothing when the step takes no
 * reports.
 */
async function continueByReport(task: FlowTask, phase: Phase, report: InstallerReport): Promise<void> {
  const step = currentStep(task.node, phase.name);
  const own = step && ownStep(task, phase.name, step);
  if (step === undefined || own?.report === undefined)
    return task.log.info({ status: report.status }, 'report of an installer ignored: no step waits for it');
  // whoever reports has read what it was given to boot with
  task.services.networkBoots.endTexts(task.node.uuid);
  const outcome = await own.report(task.view, step.args ?? {}, report);
  if (outcome === 'wait') storeSignOfLife(task);
  else await resumeAfter(task, phase, outcome);
}

/** Continues the phase in which the node waits. */
async function continueFlow(task: FlowTask, phase: Phase): Promise<void> {
  if (!(await knowsAgentSteps(task, phase))) return;
  const step = currentStep(task.node, phase.name);
  if (step === undefined) await resumeByPlanning(task, phase);
  else if (endsByHeartbeat(task, step)) await resumeAfter(task, phase, 'done');
  else if (endsByItself(task, phase, step)) storeSignOfLife(task);
  else await continueByCommands(task, phase, step);
}

async function knowsAgentSteps(task: FlowTask, phase: Phase): Promise<boolean> {
  if (agentSteps(task.node, phase.name) !== undefined || !asksAgent(task, phase.name)) return true;
  if (!(await learnAgentSteps(task, phase.name))) return false;
  if (phase.plansOnWithAgent === true) replan(task, phase);
  return true;
}

const endsByHeartbeat = ({ node, services }: FlowTask, { step }: PlannedStep): boolean =>
  step === 'wait' && waitLeft(node, services.clock) === undefined;

const endsByItself = (task: FlowTask, phase: Phase, step: PlannedStep): boolean =>
  step.step === 'wait' || ownStep(task, phase.name, step)?.poll !== undefined;

/** Continues according to what the agent's commands say about the current step. */
async function continueByCommands(task: FlowTask, phase: Phase, step: PlannedStep): Promise<void> {
  if (phase.name === 'verify') return;
  const commands = await askAgent(task, () => task.agent.commands());
  if (commands === undefined) return;
  const begun = hasBegun(task.node, phase.name);
  const status = currentStatus(phase.name, step, begun, commands);
  if (status.kind === 'pending') return storeSignOfLife(task);
  if (!begun) return resumeByRepeating(task, phase);
  await resumeAfter(task, phase, await stepResult(task, phase.name, step, status));
}

// The token is checked first: as long as it is not known to be valid, no answer may depend on the agent's URL or certificate that
// the node's record holds
function refuseForeignAgent({ config }: FlowServices, node: Node, heartbeat: Heartbeat): void {
  const { callbackUrl: url } = heartbeat;
  const token = tokenOf(node);
  if (token === undefined || !sameSecret(token, heartbeat.token)) throw fault('AgentTokenInvalid', {});
  // an installer that reports its status has no callback URL
  if (url !== '') refuseForeignUrl(config, node, url);
  refuseOtherCertificate(node, heartbeat.certificate);
}

function refuseForeignUrl(
  { agent }: Pick<FlowServices['config'], 'agent'>,
  { uuid: node, driver_internal_info: known }: Node,
  url: string,
): void {
  if (known.agent_url !== undefined && known.agent_url !== url) throw fault('AgentUrlChanged', { node });
  if (agent.require_tls && !url.startsWith('https://')) throw fault('TlsRequired', { node, url });
  const reason = refusedHost(url, addressRule(agent.callback_networks));
  if (reason !== undefined) throw fault('AgentAddressRefused', { node, url, reason });
}

function refuseOtherCertificate(
  { uuid, driver_internal_info: known }: Node,
  given: string | undefined,
): void {
  const certificate = known.agent_verify_ca;
  if (certificate !== undefined && given !== undefined && certificate !== given)
    throw fault('AgentCertificateChanged', { node: uuid });
}

function sameSecret(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}
