// Which ramdisk a node's machine boots: the ramdisk that the node names, or the configured ramdisk for the machine's architecture
// or for all machines.
import { fault } from '../../model/faults.ts';
import { stateFacts } from '../../model/states/provision-states.ts';
import { driverInfoText } from '../driver-info.ts';
import type { PropertySpec } from '../interfaces/driver-interface.ts';
import type { Task } from '../task.ts';

const image = (what: string): PropertySpec => ({
  description: `URL of the ${what} (http, https or file), with an optional checksum: https://images.example/ipa.kernel#sha256=.... Not set: the URL that [conductor] names.`,
});

/** The `driver_info` fields that `ramdiskImages` reads. */
export const ramdiskImageProperties: Readonly<Record<string, PropertySpec>> = {
  deploy_kernel: image('kernel of the ramdisk with the agent'),
  deploy_ramdisk: image('ramdisk with the agent'),
  rescue_kernel: image('kernel of the rescue ramdisk'),
  rescue_ramdisk: image('rescue ramdisk'),
};

export interface RamdiskImages {
  readonly kernel: string;
  readonly ramdisk: string;
}

/** What a machine boots a ramdisk for. */
export type RamdiskPurpose = 'rescue' | 'other';

/** What the machine boots its ramdisk for in the node's present state. */
export const ramdiskPurpose = ({ node }: Pick<Task, 'node'>): RamdiskPurpose =>
  stateFacts(node).work === 'rescue' ? 'rescue' : 'other';

/**
 * Returns the rescue images for a rescue, if there are any, and otherwise the images with the agent. Throws DriverInfoMissing when
 * neither the node nor the configuration names both kernel and ramdisk.
 */
export function ramdiskImages(task: Task, purpose: RamdiskPurpose = ramdiskPurpose(task)): RamdiskImages {
  const forRescue = purpose === 'rescue' ? imagesFor(task, 'rescue') : undefined;
  const images = forRescue ?? imagesFor(task, 'deploy');
  if (images !== undefined) return images;
  const { uuid } = task.node;
  throw fault('DriverInfoMissing', {
    node: uuid,
    names: 'deploy_kernel, deploy_ramdisk',
    hint: `Set [conductor] deploy_kernel and deploy_ramdisk for all nodes, or for this one: baremetal node set ${uuid} --driver-info deploy_kernel=URL --driver-info deploy_ramdisk=URL. "ironic-edge agent-image build" makes both.`,
  });
}

/** A kernel and a ramdisk belong together, so the first place that names both is used. */
function imagesFor(task: Task, mode: 'deploy' | 'rescue'): RamdiskImages | undefined {
  const [kernel, ramdisk] = [`${mode}_kernel`, `${mode}_ramdisk`];
  const { conductor = {} } = task.configuration;
  const architecture = textOf(task.node.properties['cpu_arch']);
  const places: readonly ((name: string) => string)[] = [
    (name) => driverInfoText(task.node, name, ''),
    (name) => byArchitecture(conductor[`${name}_by_arch`], architecture),
    (name) => textOf(conductor[name]),
  ];
  for (const valueOf of places) {
    const images = { kernel: valueOf(kernel), ramdisk: valueOf(ramdisk) };
    if (images.kernel !== '' && images.ramdisk !== '') return images;
  }
  return undefined;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `pairs`: texts such as `x86_64:https://images.example/ipa.kernel`. */
function byArchitecture(pairs: unknown, architecture: string): string {
  const prefix = `${architecture}:`;
  const found = Array.isArray(pairs)
    ? pairs.findLast((pair) => typeof pair === 'string' && pair.startsWith(prefix))
    : undefined;
  return textOf(found).slice(prefix.length);
}
