// The actions that the pages offer for nodes. Each is one request to the API, and one command line does the same.
import type { ApiCall } from '../../http/pages.ts';
import { eventsOf, type ProvisionState } from '../../model/states/provision-states.ts';
import { type ProvisionVerb, verbOf } from '../../model/states/verbs.ts';

interface Situation {
  readonly state: ProvisionState;
  readonly power: string | null;
  readonly maintenance: boolean;
  readonly quarantined: boolean;
  readonly console: boolean;
}

export interface Action {
  readonly label: string;
  readonly request: (node: string) => ApiCall;
  /** The command line that does the same. */
  readonly command: (node: string) => string;
  /** Whether the pages offer the action for the node. The API still decides when the request arrives. */
  readonly fits: (machine: Situation) => boolean;
  /** What the action destroys or risks. If set, the visitor must first type the node's name; for three nodes, `3 machines`. */
  readonly loses?: string;
  /** The verb of a provision request. */
  readonly verb?: ProvisionVerb;
}

const below = (node: string, path: string) => `/v1/nodes/${encodeURIComponent(node)}/${path}`;

type Fits = Action['fits'];

/** Offers the action only for nodes outside quarantine: the API refuses requests that need the machine of a node in quarantine. */
const unlessQuarantined =
  (fits: Fits): Fits =>
  (machine) =>
    !machine.quarantined && fits(machine);

const power = (target: string, command: string, loses?: string): Action => ({
  label: target === 'rebooting' ? 'reboot' : target,
  command: (node) => `baremetal node ${command} ${node}`,
  request: (node) => ({ method: 'PUT', path: below(node, 'states/power'), body: { target } }),
  fits: unlessQuarantined((machine) => machine.power !== (target === 'power on' ? target : 'power off')),
  ...(loses !== undefined && { loses }),
});

const provision = (verb: ProvisionVerb, label: string, loses?: string): Action => ({
  label,
  verb,
  command: (node) => `baremetal node ${label} ${node}`,
  request: (node) => ({ method: 'PUT', path: below(node, 'states/provision'), body: { target: verb } }),
  fits: unlessQuarantined(({ state }) => eventsOf(state).includes(verbOf(verb).event)),
  ...(loses !== undefined && { loses }),
});

const INSTANCE = 'The instance and its data are removed.';

export const actions: Readonly<Record<string, Action>> = {
  'power-on': power('power on', 'power on'),
  'power-off': power('power off', 'power off', 'The machine loses power at once; unsaved data are lost.'),
  'soft-power-off': power('soft power off', 'power off --soft', 'The system on the machine is shut down.'),
  reboot: power('rebooting', 'reboot', 'The machine is reset; unsaved data are lost.'),
  'boot-pxe': {
    label: 'boot from network next',
    command: (node) => `baremetal node boot device set ${node} pxe`,
    request: (node) => ({
      method: 'PUT',
      path: below(node, 'management/boot_device'),
      body: { boot_device: 'pxe' },
    }),
    fits: unlessQuarantined(() => true),
  },
  manage: provision('manage', 'manage'),
  inspect: provision('inspect', 'inspect'),
  provide: provision('provide', 'provide', 'Automated cleaning may erase the disks of the machine.'),
  deploy: provision('active', 'deploy', 'The image is written over what is on the disk.'),
  rebuild: provision('rebuild', 'rebuild', 'The image is written again over the instance.'),
  undeploy: provision('deleted', 'undeploy', INSTANCE),
  adopt: provision('adopt', 'adopt'),
  unrescue: provision('unrescue', 'unrescue'),
  unhold: provision('unhold', 'unhold'),
  abort: provision('abort', 'abort'),
  'maintenance-on': {
    label: 'set maintenance',
    command: (node) => `baremetal node maintenance set ${node}`,
    request: (node) => ({ method: 'PUT', path: below(node, 'maintenance'), body: {} }),
    fits: unlessQuarantined(({ maintenance }) => !maintenance),
  },
  'maintenance-off': {
    label: 'end maintenance',
    command: (node) => `baremetal node maintenance unset ${node}`,
    request: (node) => ({ method: 'DELETE', path: below(node, 'maintenance') }),
    fits: unlessQuarantined(({ maintenance }) => maintenance),
  },
  'console-on': {
    label: 'enable console',
    command: (node) => `baremetal node console enable ${node}`,
    request: (node) => ({ method: 'PUT', path: below(node, 'states/console'), body: { enabled: true } }),
    fits: unlessQuarantined(({ console }) => !console),
  },
  'console-off': {
    label: 'disable console',
    command: (node) => `baremetal node console disable ${node}`,
    request: (node) => ({ method: 'PUT', path: below(node, 'states/console'), body: { enabled: false } }),
    fits: unlessQuarantined(({ console }) => console),
  },
  release: {
    label: 'release',
    command: (node) => `ironic-edge quarantine release ${node}`,
    request: (node) => ({ method: 'POST', path: below(node, 'quarantine/release'), body: {} }),
    fits: ({ quarantined }) => quarantined,
    loses: 'Where another service manages the machine too, both will act on it.',
  },
};

export const actionOf = (name: string | null): Action | undefined =>
  name !== null && Object.hasOwn(actions, name) ? actions[name] : undefined;

/** Returns the names of the actions that the pages offer for a node. */
export function fittingActions(machine: Situation): readonly string[] {
  return Object.keys(actions).filter((name) => actions[name]?.fits(machine) === true);
}
