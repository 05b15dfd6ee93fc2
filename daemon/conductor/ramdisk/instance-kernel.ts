// Kexec at the end of a deployment: the agent loads the kernel of the instance and starts it, so that the firmware does not boot
// again. The node remembers when that did not work on its machine.
import { sleep } from '../../lib/clock.ts';
import { booleanOf } from '../../lib/words.ts';
import { Fault } from '../../model/faults.ts';
import { hasFixedAddressesOnly } from '../../model/config-drive.ts';
import { changeInfo } from '../../model/internal-info.ts';
import type { JsonObject } from '../../model/json.ts';
import { secureBootWanted } from '../../model/machine/deploy-capabilities.ts';
import type { AgentCommand, StartedInstance } from '../../plugin-api/index.ts';
import { workLimits } from '../limits.ts';
import { withoutAgent } from '../tasks/agent-state.ts';
import type { NodeTask } from '../tasks/task.ts';
import type { Sighting } from '../timeline/recorder.ts';
import type { RamdiskServices } from './services.ts';

type RamdiskTask = NodeTask<RamdiskServices>;

/** Commands of the extension that `ironic-edge agent-image build` adds to the agent. */
const [LOAD, START] = ['instance_kernel.load', 'instance_kernel.start'] as const;
/** The ramdisk runs on for as long after it has accepted START, and its own DHCP requests count for nothing. */
const FAREWELL_MILLISECONDS = 2000;

/**
 * Has the agent load the kernel of the written instance if the node is to use kexec. Resolves with whether it is loaded; if it is not
 * although it was asked for, the timeline and the log say why.
 */
export async function loadInstanceKernel(task: RamdiskTask): Promise<boolean> {
  store(task, null);
  if (!wantsKexec(task)) return false;
  const obstacle = obstacleOf(task);
  if (obstacle !== undefined) return withoutKexec(task, obstacle);
  try {
    const { result } = await task.agent.run(LOAD, {});
    const { kernel } = result;
    store(task, (typeof kernel === 'string' ? kernel : '').slice(0, workLimits.kernelPathCharacters));
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return withoutKexec(task, explained(error));
  }
}

/** What the instance says comes first, then what its node says. */
const wantsKexec = ({ node, services: { config } }: RamdiskTask): boolean =>
  flagIn(node.instance_info) ?? flagIn(node.driver_info) ?? config.deploy.kexec;

function flagIn({ kexec: given }: JsonObject): boolean | undefined {
  if (typeof given === 'string') return booleanOf(given);
  return typeof given === 'boolean' ? given : undefined;
}

const store = (task: RamdiskTask, kernel: string | null): void => {
  const { instance_kernel: before = null } = task.node.driver_internal_info;
  if (before !== kernel) task.store(changeInfo(task.node, { instance_kernel: kernel }));
};

/** The agent of another ramdisk does not know the extension. */
const explained = (error: Fault): string =>
  /instance_kernel not found/.test(error.message)
    ? 'its ramdisk cannot load kernels; build one that can with "ironic-edge agent-image build"'
    : error.message;

function withoutKexec(task: RamdiskTask, reason: string): false {
  task.log.warn({ reason }, 'the instance is not started by kexec; the machine boots');
  record(task, `boots its instance through the firmware, not by kexec: ${reason}`, true);
  return false;
}

/** Why kexec is not tried, as part of a sentence. */
function obstacleOf({ node, driver, ports, services }: RamdiskTask): string | undefined {
  const { kexec_timeout: seconds } = services.config.deploy;
  const { kexec_failure: failure } = node.driver_internal_info;
  if (failure !== undefined)
    return `it did not work on this machine (${failure}); the next inspection forgets that`;
  if (driver.power.throughAgent === true) return 'only its agent can reboot the machine if kexec fails';
  if (secureBootWanted({ ...node, properties: {} }))
    return 'Secure Boot, which its instance asks for, begins with a boot of the firmware';
  if (seconds === 0) return undefined;
  const { mode, subnet } = services.config.dhcp_server;
  if (mode !== 'server' || subnet.length === 0)
    return 'another DHCP server gives it its address, so that the daemon would not see its instance ([deploy] kexec_timeout = 0 does not wait for that)';
  if (hasFixedAddressesOnly(node.instance_info['configdrive']))
    return 'its config drive gives it fixed addresses only, so that it asks no DHCP server and the daemon would not see it ([deploy] kexec_timeout = 0 does not wait for that)';
  return ports.length === 0 ? 'its node has no port by which its instance would be recognised' : undefined;
}

/**
 * Starts the kernel that `loadInstanceKernel` has loaded, and waits until the instance asks for an address ([deploy] kexec_timeout).
 * After `failed`, nobody knows what the machine does: it must be reset.
 */
export async function startInstanceKernel(task: RamdiskTask): Promise<StartedInstance> {
  const { instance_kernel: kernel } = task.node.driver_internal_info;
  if (kernel === undefined) return 'not loaded';
  const failure = await failureOf(task);
  // the agent has ended, or will when the machine is reset
  const without = { ...task.node, ...withoutAgent(task.node) };
  const remembered = failure?.isRemembered === true && { kexec_failure: failure.reason };
  task.store(changeInfo(without, { instance_kernel: null, ...remembered }));
  if (failure === undefined) {
    record(task, `runs its instance, started by kexec: ${kernel}`);
    return 'runs';
  }
  const { reason } = failure;
  task.recordInfo({
    event: `Kexec did not work, and the machine boots its instance: ${reason}.`,
    eventType: 'kexec',
  });
  task.log.warn({ reason }, 'kexec did not work; the machine boots its instance');
  record(task, `does not run its instance after kexec: ${reason}; it is reset`, true);
  return 'failed';
}

interface KexecFailure {
  readonly reason: string;
  /** Whether it is to be expected again on this machine. */
  readonly isRemembered: boolean;
}

async function failureOf(task: RamdiskTask): Promise<KexecFailure | undefined> {
  const { clock, config } = task.services;
  const { kexec_timeout: seconds } = config.deploy;
  const command = await begun(task);
  if (command instanceof Fault) return { reason: command.message, isRemembered: false };
  await sleep(clock, FAREWELL_MILLISECONDS, task.signal);
  using address = addressRequest(task);
  const refusal = await refusalOf(task, command);
  if (refusal !== undefined) return { reason: refusal, isRemembered: true };
  if (seconds === 0 || (await address.asked(seconds))) return undefined;
  const reason = `its instance asked for no address within ${seconds} s ([deploy] kexec_timeout)`;
  return { reason, isRemembered: true };
}

async function begun(task: RamdiskTask): Promise<AgentCommand | Fault> {
  try {
    return await task.agent.start(START, {});
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** Returns why the agent did not start the kernel; undefined when it says nothing, because it has ended. */
async function refusalOf(task: RamdiskTask, command: AgentCommand): Promise<string | undefined> {
  try {
    const ended = await task.agent.end(command, workLimits.kexecRefusalSeconds);
    return ended === undefined ? undefined : (ended.error ?? 'its ramdisk runs on');
  } catch (error) {
    // nothing answers, or something else does at the same address
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Listens for a DHCP request of one of the machine's cards, until it is disposed of. */
function addressRequest({ ports, services: { timeline, clock }, signal }: RamdiskTask) {
  const cards = new Set(ports.map(({ address }) => address));
  const heard = Promise.withResolvers<boolean>();
  const watch = ({ hop, mac = '', failed }: Sighting) => {
    if (hop === 'dhcp' && failed !== true && cards.has(mac)) heard.resolve(true);
  };
  timeline.watchers.add(watch);
  return {
    asked: async (seconds: number): Promise<boolean> => {
      const silence = new AbortController();
      const until = AbortSignal.any([signal, silence.signal]);
      try {
        return await Promise.race([heard.promise, sleep(clock, seconds * 1000, until).then(() => false)]);
      } finally {
        silence.abort();
      }
    },
    [Symbol.dispose]: () => void timeline.watchers.delete(watch),
  };
}

const record = ({ services: { timeline }, node }: RamdiskTask, text: string, failed?: true): void =>
  timeline.record({ hop: 'agent', node: node.uuid, text, ...(failed && { failed }) });
