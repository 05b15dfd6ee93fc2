// Which deploy interface `autodetect` stands for on a node. The answer depends only on the stored node and the interfaces to
// choose from, so it is the same from the deployment of an instance to its removal.
import type { JsonObject } from '../json.ts';
import type { Node } from '../records/node.ts';

export const AUTODETECT = 'autodetect';

type Recorded = Pick<Node, 'driver_info' | 'instance_info'>;

const isSet = (object: JsonObject, ...names: readonly string[]): boolean =>
  names.every((name) => Boolean(object[name]));

const suits: Readonly<Record<string, (node: Recorded) => boolean>> = {
  ramdisk: ({ instance_info: instance }) =>
    (isSet(instance, 'boot_iso') || isSet(instance, 'kernel', 'ramdisk')) &&
    (isSet(instance, 'ironic_ramdisk_deploy') || !isSet(instance, 'image_source')),
  bootc: ({ instance_info: { image_source: source, image_disk_format: format } }) =>
    typeof source === 'string' && source.startsWith('oci://') && format === 'bootc',
  anaconda: ({ instance_info: instance }) => isSet(instance, 'stage2') || isSet(instance, 'ks_template'),
  ansible: ({ driver_info: info }) => Object.keys(info).some((name) => name.startsWith('ansible_')),
};

/** Returns the first of the interfaces that suits the node; if none does, the last; undefined for an empty list. */
export const detectedDeployInterface = (interfaces: readonly string[], node: Recorded): string | undefined =>
  interfaces.find((name) => Object.hasOwn(suits, name) && suits[name]?.(node) === true) ?? interfaces.at(-1);
