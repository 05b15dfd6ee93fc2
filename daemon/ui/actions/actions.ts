// The actions that the pages offer for nodes. Each is one request to the API, and one command line does the same.
import type { ApiCall } from '../../http/pages.ts';
import type { JsonObject } from '../../model/json.ts';
import { classOf, eventsOf, type ProvisionState } from '../../model/states/provision-states.ts';
import { type ProvisionVerb, verbOf } from '../../model/states/verbs.ts';

interface Situation {
  readonly state: ProvisionState;
  readonly power: string | null;
  readonly maintenance: boolean;
  readonly quarantined: boolean;
  readonly console: boolean;
}

export interface UiAction {
  readonly label: string;
  readonly request: (node: string) => ApiCall;
  /** The command line that does the same. */
  readonly command: (node: string) => string;
  /** Whether the pages offer the action for the node. The API still decides when the request arrives. */
  readonly fits: (machine: Situation) => boolean;
  /** What the action destroys or risks. If set, the visitor must first type the node's name; for three nodes, `3 machines`. */
  readonly loses?: string;
  /** The page with a form for what the request needs besides the node; without it, the request needs nothing else. */
  readonly form?: '/ui/deploy';
  /** The verb of a provision request, and what it needs beside the verb. */
  readonly verb?: ProvisionVerb;
  /** The tab of the machine's page that shows the outcome, such as `/console`; the first one unless given. */
  readonly tab?: string;
  readonly given?: JsonObject;
}

const below = (node: string, path: string) => `/v1/nodes/${encodeURIComponent(node)}/${path}`;

type Fits = UiAction['fits'];

/** Offers the action only for nodes outside quarantine: the API refuses requests that need the machine of a node in quarantine. */
const unlessQuarantined =
  (fits: Fits): Fits =>
  (machine) =>
    !machine.quarantined && fits(machine);

const power = (target: string, command: string, loses?: string): UiAction => ({
  label: target === 'rebooting' ? 'reboot' : target,
  command: (node) => `baremetal node ${command} ${node}`,
  request: (node) => ({ method: 'PUT', path: below(node, 'states/power'), body: { target } }),
  fits: unlessQuarantined((machine) => machine.power !== (target === 'power on' ? target : 'power off')),
  ...(loses !== undefined && { loses }),
});

const provision = (verb: ProvisionVerb, label: string, loses?: string): UiAction => ({
  label,
  verb,
  command: (node) => `baremetal node ${label} ${node}`,
  request: (node) => ({ method: 'PUT', path: below(node, 'states/provision'), body: { target: verb } }),
  // work that runs ends by itself with some of these events
  fits: unlessQuarantined(
    ({ state }) =>
      eventsOf(state).includes(verbOf(verb).event) && (verb === 'abort' || classOf(state) !== 'transient'),
  ),
  ...(loses !== undefined && { loses }),
});

/** Manual cleaning with one step of the agent. */
function clean(step: string, label: string, loses: string): UiAction {
  const given = { clean_steps: [{ interface: 'deploy', step }] };
  return {
    ...provision('clean', label, loses),
    given,
    command: (node) => `baremetal node clean --clean-steps '${JSON.stringify(given.clean_steps)}' ${node}`,
    request: (node) => ({
      method: 'PUT',
      path: below(node, 'states/provision'),
      body: { target: 'clean', ...given },
    }),
  };
}

const INSTANCE = 'The instance and its data are removed.';

export const actions: Readonly<Record<string, UiAction>> = {
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
  'make-available': {
    label: 'make available',
    command: (node) =>
      ['manage', 'inspect', 'provide'].map((verb) => `baremetal node ${verb} ${node} --wait`).join(' && '),
    request: (node) => ({ method: 'PUT', path: below(node, 'states/goal'), body: { target: 'available' } }),
    fits: unlessQuarantined(({ state }) => state === 'enroll'),
    loses:
      'The machine is checked, inspected and cleaned, one after the other; cleaning may erase its disks.',
  },
  manage: provision('manage', 'manage'),
  inspect: provision('inspect', 'inspect'),
  provide: provision('provide', 'provide', 'Automated cleaning may erase the disks of the machine.'),
  'erase-metadata': clean(
    'erase_devices_metadata',
    'erase partition tables',
    'The partition tables of all disks are erased; the data can no longer be found.',
  ),
  'erase-disks': clean('erase_devices', 'erase disks', 'All disks are erased.'),
  deploy: {
    ...provision('active', 'deploy', 'The image is written over what is on the disk.'),
    form: '/ui/deploy',
  },
  rebuild: {
    ...provision('rebuild', 'rebuild', 'The image is written again over the instance.'),
    form: '/ui/deploy',
  },
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
    tab: '/console',
    fits: unlessQuarantined(({ console }) => !console),
  },
  'console-off': {
    label: 'disable console',
    command: (node) => `baremetal node console disable ${node}`,
    request: (node) => ({ method: 'PUT', path: below(node, 'states/console'), body: { enabled: false } }),
    tab: '/console',
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

export const actionOf = (name: string | null): UiAction | undefined =>
  name !== null && Object.hasOwn(actions, name) ? actions[name] : undefined;

/** Returns the names of the actions that the pages offer for a node. */
export function fittingActions(machine: Situation): readonly string[] {
  return Object.keys(actions).filter((name) => actions[name]?.fits(machine) === true);
}
