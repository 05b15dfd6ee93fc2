// The agent commands of a simulated machine and their results.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { inspectionReport } from './inventory.ts';

/** The part of the machine that the commands use. */
export interface RamdiskSurroundings {
  readonly mac: string;
  /** As the firmware of the machine has it. */
  readonly serialNumber: string;
  /** The agent's hardware managers and their versions. */
  readonly hardwareManagers: JsonObject;
  /** The image on the disk; undefined if there is none. */
  disk: WrittenDisk | undefined;
  /** The duration of a step. */
  readonly stepSeconds: number;
  /** Whether the machine downloads images and verifies them. Otherwise it only checks their descriptions. */
  readonly fetchesImages: boolean;
  powerOff(): void;
  reboot(): void;
  /** Starts the system on the disk without a boot of the firmware. */
  kexec(): void;
  /** Stops the agent; the ramdisk keeps running. */
  endAgent(): void;
  rescue(passwordHash: string): void;
}

export interface WrittenDisk {
  readonly image_info: JsonObject;
  readonly configdrive: Json;
}

export interface CommandKind {
  /** Set if the reply is sent only when the command has ended. */
  readonly synchronous?: true;
  readonly seconds: (surroundings: RamdiskSurroundings) => number;
  /** Throws an AgentError when the command fails. */
  readonly run: (surroundings: RamdiskSurroundings, parameters: JsonObject) => Json;
}

/** The failure of a command, which the agent reports in `command_error`. */
export class AgentError extends Error {
  readonly type: string;
  readonly details: string;

  constructor(type: string, message: string, details: string) {
    super(message);
    this.type = type;
    this.details = details;
  }
}

/** The steps of ironic-python-agent 12.0, by phase and hardware manager. */
const agentSteps = JSON.parse(readFileSync(new URL('agent-steps.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, readonly JsonObject[]>>>
>;

const instant = () => 0;
const quick = { synchronous: true, seconds: instant } as const;

const fixed: readonly (readonly [string, CommandKind])[] = [
  [
    'standby.get_partition_uuids',
    { ...quick, run: ({ disk }) => (disk === undefined ? {} : { 'root uuid': '0x00000000' }) },
  ],
  ['standby.sync', { ...quick, run: () => null }],
  ['image.install_bootloader', { seconds: () => 2, run: () => null }],
  ['standby.power_off', { seconds: () => 1, run: (machine) => (machine.powerOff(), null) }],
  ['instance_kernel.load', { seconds: () => 2, run: loadKernel }],
  ['instance_kernel.start', { seconds: () => 2, run: (machine) => (machine.kexec(), null) }],
  ['standby.run_image', { seconds: () => 1, run: (machine) => (machine.reboot(), null) }],
  ['system.lockdown', { ...quick, run: (machine) => (machine.endAgent(), null) }],
  ['rescue.finalize_rescue', { ...quick, run: finishRescue }],
  [
    'log.collect_system_logs',
    { ...quick, run: () => ({ system_logs: gzipSync('journal\n').toString('base64') }) },
  ],
  ['poll.get_hardware_info', { ...quick, run: (machine) => inspectionReport(machine)['inventory'] ?? null }],
];

function loadKernel({ disk }: RamdiskSurroundings): Json {
  if (disk === undefined)
    throw new AgentError(
      'CommandExecutionError',
      'Command execution failed',
      'no file system of the instance has entries of a boot loader (loader/entries/*.conf, grub.cfg)',
    );
  return {
    kernel: '/boot/vmlinuz-6.12.43+deb13-amd64',
    initrds: ['/boot/initrd.img-6.12.43+deb13-amd64'],
    options: 'BOOT_IMAGE=/boot/vmlinuz-6.12.43+deb13-amd64 root=LABEL=root ro',
    title: 'Debian GNU/Linux',
    source: '/boot/grub/grub.cfg',
  };
}

const phases = ['clean', 'deploy', 'service'].flatMap(
  (phase): readonly (readonly [string, CommandKind])[] => [
    [
      `${phase}.get_${phase}_steps`,
      {
        ...quick,
        run: ({ hardwareManagers }) => ({
          [`${phase}_steps`]: agentSteps[phase] ?? {},
          hardware_manager_version: hardwareManagers,
        }),
      },
    ],
    [
      `${phase}.execute_${phase}_step`,
      {
        seconds: ({ stepSeconds }) => stepSeconds,
        run: (machine, parameters) => runStep(machine, phase, parameters),
      },
    ],
  ],
);

export const commandKinds: ReadonlyMap<string, CommandKind> = new Map([...fixed, ...phases]);

/**
 * A command that executes a step must name the versions of the agent's hardware managers. Returns the error of such a command that
 * names other versions or none; undefined for every other command.
 */
export function versionMismatch(
  { hardwareManagers }: RamdiskSurroundings,
  command: string,
  parameters: JsonObject,
): JsonObject | undefined {
  const [phase] = command.split('.');
  const known = parameters[`${phase}_version`];
  if (!command.includes('.execute_') || JSON.stringify(known) === JSON.stringify(hardwareManagers))
    return undefined;
  return {
    type: 'VersionMismatch',
    code: 409,
    message: 'Hardware managers version mismatch, reload agent with correct version',
    details: `Current versions: ${JSON.stringify(hardwareManagers)}, versions used by ironic: ${JSON.stringify(known)}`,
  };
}

/** Returns the name of the step that a command executes; '' for a command that executes none. */
export function requestedStepName(parameters: JsonObject): string {
  const name = isJsonObject(parameters['step']) ? parameters['step']['step'] : undefined;
  return typeof name === 'string' ? name : '';
}

function runStep(machine: RamdiskSurroundings, phase: string, parameters: JsonObject): Json {
  const step = isJsonObject(parameters['step']) ? parameters['step'] : {};
  const known = Object.values(agentSteps[phase] ?? {}).flat();
  if (!known.some((each) => each['step'] === step['step'] && each['interface'] === step['interface']))
    throw new AgentError(
      'HardwareManagerMethodNotFound',
      'No HardwareManager found to handle method',
      `Could not find method: ${requestedStepName(parameters)}`,
    );
  const given = isJsonObject(step['args']) ? step['args'] : {};
  const result = stepResult(machine, requestedStepName(parameters), given, parameters);
  return { [`${phase}_result`]: result, [`${phase}_step`]: step };
}

function stepResult(
  machine: RamdiskSurroundings,
  step: string,
  given: JsonObject,
  parameters: JsonObject,
): Json {
  if (step === 'write_image') return writeImage(machine, given);
  if (step === 'execute_bootc_install') {
    machine.disk = {
      image_info: { bootc: given['image_source'] ?? null },
      configdrive: given['configdrive'] ?? null,
    };
    return null;
  }
  if (step === 'erase_devices') {
    machine.disk = undefined;
    return { '/dev/sda': null };
  }
  if (step === 'create_configuration') return targetRaid(parameters);
  if (step === 'apply_configuration') return given['raid_config'] ?? null;
  return null;
}

function targetRaid({ node }: JsonObject): Json {
  const target = isJsonObject(node) ? node['target_raid_config'] : undefined;
  if (!isJsonObject(target) || Object.keys(target).length === 0)
    throw new AgentError(
      'SoftwareRAIDError',
      'Software RAID caused unknown error',
      'No target_raid_config found',
    );
  return target;
}

function writeImage(machine: RamdiskSurroundings, { image_info: image, configdrive }: JsonObject): Json {
  if (!isJsonObject(image)) throw invalid("Parameter 'image_info' not specified.");
  for (const field of ['id', 'urls'] as const)
    if (image[field] === undefined) throw invalid(`Image is missing '${field}' field.`);
  if (!Array.isArray(image['urls']) || image['urls'].length === 0)
    throw invalid("Image 'urls' must be a non-empty list.");
  if (typeof image['checksum'] !== 'string' && typeof image['os_hash_value'] !== 'string')
    throw invalid("Image is missing a 'checksum' or 'os_hash_value'.");
  machine.disk = { image_info: image, configdrive: configdrive ?? null };
  return {
    result: `prepare_image: image (${JSON.stringify(image['id'])}) written to device /dev/sda root_uuid=0x00000000`,
  };
}

const invalid = (details: string) =>
  new AgentError('InvalidCommandParamsError', 'Invalid command parameters', details);

function finishRescue(machine: RamdiskSurroundings, { rescue_password: password, hashed }: JsonObject): Json {
  if (typeof password !== 'string' || hashed !== true) throw invalid('A hashed rescue_password is needed.');
  machine.rescue(password);
  machine.endAgent();
  return null;
}
