// The verbs that change what a machine does, for provisioning and power. The work goes on after the request is answered.
import type { PowerTarget } from '../../../model/states/power-states.ts';
import { type ProvisionVerb, verbOf } from '../../../model/states/verbs.ts';

/** An option of a verb. */
export type VerbOption =
  | 'clean-steps'
  | 'deploy-steps'
  | 'service-steps'
  | 'runbook'
  | 'disable-ramdisk'
  | 'config-drive'
  | 'password-file'
  | InstanceOption;

/** An option that describes the instance; its value becomes a part of the config drive, or the image. */
export type InstanceOption = (typeof INSTANCE)[number];

/** The options that describe an instance whatever its machine is: of verbs, and of profiles. */
export const describingOptions = [
  'image',
  'image-checksum',
  'hostname',
  'ssh-key',
  'user-data',
  'login-password-file',
  'network',
  'kexec',
] as const;
const INSTANCE = ['profile', ...describingOptions, 'root-device', 'trait'] as const;

interface Verb {
  readonly about: string;
  readonly options: readonly VerbOption[];
}

export type NodeVerb = Verb &
  (
    | {
        readonly kind: 'provision';
        readonly target: ProvisionVerb;
      }
    | { readonly kind: 'power'; readonly target: PowerTarget }
  );

/** Whether a command can wait for the end of the work. */
export const ends = (verb: NodeVerb): boolean =>
  verb.kind === 'power' || verbOf(verb.target).reaches !== undefined;

const provision = (target: ProvisionVerb, about: string, options: readonly VerbOption[] = []): NodeVerb => ({
  kind: 'provision',
  target,
  about,
  options,
});

const power = (target: PowerTarget, about: string): NodeVerb => ({
  kind: 'power',
  target,
  about,
  options: [],
});

/** The verbs, by the words of their commands after `node`. */
export const nodeVerbs = {
  manage: provision('manage', 'check that the BMC answers, and read the power state'),
  inspect: provision('inspect', 'find out what the machine has, with a ramdisk or through the BMC'),
  provide: provision('provide', 'clean the machine and make it available'),
  clean: provision('clean', 'run clean steps, or a runbook', ['clean-steps', 'runbook', 'disable-ramdisk']),
  deploy: provision('active', 'install the instance', [...INSTANCE, 'config-drive', 'deploy-steps']),
  rebuild: provision('rebuild', 'install the instance again', [...INSTANCE, 'config-drive', 'deploy-steps']),
  undeploy: provision('deleted', 'remove the instance, and clean the machine'),
  adopt: provision('adopt', 'take over a machine together with its instance'),
  service: provision('service', 'run service steps, or a runbook, on a machine in use', [
    'service-steps',
    'runbook',
    'disable-ramdisk',
  ]),
  rescue: provision('rescue', 'boot a rescue system in place of the instance', ['password-file']),
  unrescue: provision('unrescue', 'boot the instance again'),
  abort: provision('abort', 'end the work on the machine'),
  unhold: provision('unhold', 'continue steps that are on hold'),
  'power on': power('power on', 'switch the machine on'),
  'power off': power('power off', 'switch the machine off'),
  'power soft-off': power('soft power off', 'have the system shut down'),
  'power reboot': power('rebooting', 'switch the machine off and on'),
  'power soft-reboot': power('soft rebooting', 'have the system restart'),
} satisfies Readonly<Record<string, NodeVerb>>;
