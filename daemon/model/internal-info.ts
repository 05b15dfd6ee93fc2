// The keys that the daemon keeps in a node's `driver_internal_info`: types, meaning, and what removes each. Plugins
// keep further keys beside them. A flow is a whole operation with the node, such as its cleaning or its deployment.
import type { Json, JsonObject } from './json.ts';
import type { VirtualMediaDevice } from './machine/virtual-media.ts';
import type { AvailableStep, PlannedStep } from './steps/planned-steps.ts';
import type { DeployStep, RequestedStep } from './steps/step-lists.ts';
import type { StepPhase } from './steps/step-phases.ts';

/** What can remove a key. The texts describe it in the documentation. */
export const endings = {
  'verify flow': 'start and end of verification',
  'clean flow': 'start and end of cleaning',
  'deploy flow': 'start and end of deployment',
  'service flow': 'start and end of servicing',
  step: 'the next step, and start and end of a flow',
  ramdisk: 'tear-down of the ramdisk',
  agent: 'reboot and power-off; also start and end of a flow, unless fast track keeps the agent',
  token: 'what removes agent_url; but a token in the boot media outlasts reboot and power-off',
  'tear-down': 'tear-down of the instance',
  inspection: 'end of the inspection',
  'next inspection': 'an inspection that succeeds',
  discovery: 'a later report of the machine that is processed successfully',
  arrival: 'the node being available, or work on it that fails or is refused',
  medium: 'detachment of the image through the API',
  never: 'nothing; a later value replaces it',
} as const satisfies Readonly<Record<`${StepPhase} flow`, string>> & Readonly<Record<string, string>>;
type Ending = keyof typeof endings;

/** What reads a key in order to continue work that waits, also after a restart of the daemon. */
type Reader = 'heartbeat' | 'poll' | 'deadline' | 'report';

interface Key<T extends Json> {
  readonly until: Ending;
  readonly readers: readonly Reader[];
  /** Describes the value. */
  readonly about: string;
  /** Exists only at compile time. */
  readonly type?: T;
}

const key = <T extends Json>(about: string, until: Ending, ...readers: readonly Reader[]): Key<T> => ({
  about,
  until,
  readers,
});

/** The steps of an agent, by interface type. */
export type AgentSteps = Readonly<Record<string, readonly AvailableStep[]>>;

/** A DhcpOption of the plugin API, as it is stored. */
export interface StoredDhcpOption {
  readonly [key: string]: Json;
  readonly name: string;
  readonly value: string;
  /** Which client gets the option; null: both. */
  readonly client: 'ipxe' | 'firmware' | null;
}

type Requested = readonly RequestedStep[];
type Plan = readonly PlannedStep[];
interface PreparedImage {
  readonly [key: string]: Json;
  readonly secret_name: string;
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly format: string;
}
export interface DeployedImage {
  readonly [key: string]: Json;
  /** The name in the catalogue, or the URL without a login. */
  readonly image: string;
  readonly sha256: string | null;
  /** When the deployment began. */
  readonly at: string;
}
interface StepFile {
  readonly [key: string]: Json;
  /** The name under which the BMC gets the file. */
  readonly secret_name: string;
  readonly path: string;
}
interface MediaCopy {
  readonly [key: string]: Json;
  readonly device: VirtualMediaDevice;
  /** The name under which the BMC gets the copy. */
  readonly secret_name: string;
  /** The name of the copy's file. */
  readonly file: string;
}
interface Silence {
  readonly [key: string]: Json;
  readonly at: string;
  readonly reason: string;
}

const cached = 'the steps that the agent last reported; kept after the agent has gone, for previews';
const refreshed = 'when the running agent reported its steps';
const requested = 'the steps of the request; without them the flow runs the available steps';
const plan = 'the planned steps';
const index = 'the place of the current step in the plan';
const rebooting = 'true while the machine reboots for the current step';
const skip = 'false: the current step has not begun, or must begin again';
const erasing = 'an option of [deploy] for the agent';

export const internalInfoKeys = {
  agent_url: key<string>('where the agent listens', 'agent', 'heartbeat', 'poll'),
  agent_verify_ca: key<string>('the certificate that the agent must present', 'agent', 'heartbeat'),
  agent_version: key<string>('version of the last agent', 'never'),
  agent_last_heartbeat: key<string>('time of the last heartbeat', 'never', 'deadline'),
  agent_last_lookup: key<string>('time of the last lookup or report of the ramdisk', 'agent', 'deadline'),
  agent_last_silence: key<Silence>('when and why the agent did not answer', 'agent', 'deadline'),
  agent_secret_token: key<string>('the token with which the agent proves its identity', 'token', 'heartbeat'),
  agent_secret_token_pregenerated: key<boolean>('true: the token is in the boot media', 'token', 'heartbeat'),
  agent_cached_clean_steps: key<AgentSteps>(cached, 'never', 'heartbeat'),
  agent_cached_deploy_steps: key<AgentSteps>(cached, 'never', 'heartbeat'),
  agent_cached_service_steps: key<AgentSteps>(cached, 'never', 'heartbeat'),
  agent_cached_clean_steps_refreshed: key<string>(refreshed, 'agent', 'heartbeat'),
  agent_cached_deploy_steps_refreshed: key<string>(refreshed, 'agent', 'heartbeat'),
  agent_cached_service_steps_refreshed: key<string>(refreshed, 'agent', 'heartbeat'),
  hardware_manager_version: key<JsonObject>(
    "the versions of the agent's hardware managers, which it expects with each step",
    'agent',
    'heartbeat',
  ),

  agent_erase_devices_iterations: key<number>(erasing, 'never'),
  agent_erase_devices_zeroize: key<boolean>(erasing, 'never'),
  agent_continue_if_secure_erase_failed: key<boolean>(erasing, 'never'),
  agent_continue_if_ata_erase_failed: key<boolean>(erasing, 'never'),
  agent_enable_ata_secure_erase: key<boolean>(erasing, 'never'),
  agent_enable_nvme_secure_erase: key<boolean>(erasing, 'never'),
  disk_erasure_concurrency: key<number>(erasing, 'never'),
  agent_erase_skip_read_only: key<boolean>(erasing, 'never'),

  user_clean_steps: key<Requested>(requested, 'clean flow', 'heartbeat'),
  user_deploy_steps: key<readonly DeployStep[]>(
    'the deploy_steps of the request',
    'deploy flow',
    'heartbeat',
  ),
  user_service_steps: key<Requested>(requested, 'service flow', 'heartbeat'),
  verify_steps: key<Plan>(plan, 'verify flow'),
  clean_steps: key<Plan>(plan, 'clean flow', 'heartbeat', 'poll'),
  deploy_steps: key<Plan>(plan, 'deploy flow', 'heartbeat', 'poll'),
  service_steps: key<Plan>(plan, 'service flow', 'heartbeat', 'poll'),
  verify_step_index: key<number>(index, 'verify flow'),
  clean_step_index: key<number>(index, 'clean flow', 'heartbeat', 'poll'),
  deploy_step_index: key<number>(index, 'deploy flow', 'heartbeat', 'poll'),
  service_step_index: key<number>(index, 'service flow', 'heartbeat', 'poll'),
  verifying_reboot: key<boolean>(rebooting, 'verify flow'),
  cleaning_reboot: key<boolean>(rebooting, 'clean flow', 'heartbeat'),
  deployment_reboot: key<boolean>(rebooting, 'deploy flow', 'heartbeat'),
  servicing_reboot: key<boolean>(rebooting, 'service flow', 'heartbeat'),
  skip_current_verify_step: key<boolean>(skip, 'step'),
  skip_current_clean_step: key<boolean>(skip, 'step', 'heartbeat'),
  skip_current_deploy_step: key<boolean>(skip, 'step', 'heartbeat'),
  skip_current_service_step: key<boolean>(skip, 'step', 'heartbeat'),
  agent_runs_step: key<boolean>('true when the agent was given the current step', 'step', 'heartbeat'),
  step_waits_since: key<number>('start of a timed `wait` step, in ms since 1970', 'step', 'poll', 'deadline'),
  step_waits_until: key<number>('end of a timed `wait` step, in ms since 1970', 'step', 'poll', 'deadline'),
  bmc_tasks: key<readonly string[]>("the paths of the BMC's tasks that the current step waits for", 'step'),
  ramdisk_prepared: key<boolean>(
    'true while the deploy interface has something to tear down after the flow',
    'ramdisk',
    ...(['heartbeat', 'poll', 'deadline'] as const),
  ),
  prepared_image: key<PreparedImage>('the image that the daemon serves to the machine', 'deploy flow'),
  step_file: key<StepFile>('the file that the daemon serves to the BMC for the current step', 'step'),
  virtual_media_copies: key<readonly MediaCopy[]>('the images that the daemon serves to the BMC', 'medium'),

  deployed_image: key<DeployedImage>(
    'the image that the instance was deployed with: its name or URL, its SHA-256 if it is known, and when',
    'tear-down',
  ),
  deploy_boot_mode: key<string>('the boot mode of the instance', 'tear-down'),
  root_uuid_or_disk_id: key<string>(
    "the UUID of the instance's root file system, or the ID of its disk",
    'tear-down',
  ),

  instance_kernel: key<string>('the kernel of the instance, which the agent has loaded', 'deploy flow'),
  kexec_failure: key<string>('why kexec does not work on the machine', 'next inspection'),

  lookup_bmc_addresses: key<readonly string[]>(
    "the BMC's addresses, which identify the machine that reports",
    'inspection',
    'report',
  ),
  inspector_manage_boot: key<boolean>(
    'whether the daemon boots the ramdisk of the inspection',
    'inspection',
    ...(['report', 'poll', 'deadline'] as const),
  ),
  bmc_events_token_hash: key<string>(
    'SHA-256 of the token in the URL that the BMC sends its events to',
    'never',
  ),
  goes_on: key<boolean>(
    'true: when work on the node ends, the next verb on its way to `available` is requested',
    'arrival',
  ),
  failed_discovery: key<string>('identifies the machine whose discovery failed', 'discovery', 'report'),
  dhcp_options: key<readonly StoredDhcpOption[]>(
    "the boot options that the daemon's DHCP server gives the machine",
    'never',
  ),
  dnsmasq_tag: key<string>("tag of the node's options in dnsmasq's files", 'never'),
} as const satisfies Readonly<Record<string, Key<Json>>>;

export type InternalInfoKey = keyof typeof internalInfoKeys;
type TypeOf<K> = K extends Key<infer T> ? T : never;
type Declared = { readonly [K in InternalInfoKey]?: TypeOf<(typeof internalInfoKeys)[K]> };

/** A node's `driver_internal_info`. */
export type InternalInfo = Declared & { readonly [key: string]: Json };

/** Changes to `driver_internal_info`; null removes a key. */
export type InternalInfoChanges = { readonly [K in InternalInfoKey]?: Declared[K] | null };

/** Returns a change of the key `name`. In an object literal with a computed key, TypeScript would not check the value's type. */
export const keyChange = <K extends InternalInfoKey>(
  name: K,
  value: Declared[K] | null,
): InternalInfoChanges => ({ [name]: value });

/** Returns the keys whose ending is one of `these`. */
export const keysUntil = (...these: readonly Ending[]): readonly InternalInfoKey[] =>
  (Object.keys(internalInfoKeys) as InternalInfoKey[]).filter((name) =>
    these.includes(internalInfoKeys[name].until),
  );

/** The path of a key for SQLite's JSON functions. */
export const infoPath = (name: InternalInfoKey): string => `$.${name}`;

/** The part of a node, or of the changes of a node, that holds `driver_internal_info`. */
interface WithInfo {
  readonly driver_internal_info: InternalInfo;
}

/** Returns a change of the node that removes the keys in `removed` and then makes `changes`. */
export function changeInfo(
  { driver_internal_info: info }: WithInfo,
  changes: InternalInfoChanges,
  removed: readonly InternalInfoKey[] = [],
): WithInfo {
  const kept = Object.entries(info).filter(([name]) => !removed.some((each) => each === name));
  const all = Object.entries({ ...Object.fromEntries(kept), ...changes });
  return { driver_internal_info: Object.fromEntries(all.filter(([, value]) => value !== null)) };
}
