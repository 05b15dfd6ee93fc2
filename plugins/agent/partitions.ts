// The partitions that the agent makes for an image of a file system, and the partition that a rebuild may preserve.
import { isDeepStrictEqual } from 'node:util';
import { booleanOf, expectedBootMode, expectedDiskLabel, type JsonObject, type Task } from '#plugin-api';
import { wrongInstanceInfo } from './wrong-instance-info.ts';

/** Whether a rebuild keeps the content of the ephemeral partition. Nova sends the words True and False. */
export function preservesEphemeral({ node: { instance_info: instance } }: Task): boolean {
  const given = instance['preserve_ephemeral'] ?? false;
  const flag = typeof given === 'string' ? booleanOf(given) : given;
  if (typeof flag === 'boolean') return flag;
  throw wrongInstanceInfo('preserve_ephemeral', `${JSON.stringify(given)}; expected true or false`);
}

/** The key in driver_internal_info for the sizes of the last image's partitions, kept until the instance is removed. */
const PARTITIONS = 'agent_partitions';
const sizesOf = ({ root_mb, swap_mb, ephemeral_mb }: JsonObject): JsonObject => ({
  root_mb: root_mb ?? 0,
  swap_mb: swap_mb ?? 0,
  ephemeral_mb: ephemeral_mb ?? 0,
});

/**
 * Records the partitions for a later rebuild that preserves one of them. If the image covers the whole disk, removes the record
 * of an earlier image instead. `image`: the agent's `image_info`.
 */
export async function rememberPartitions(task: Task, image: JsonObject): Promise<void> {
  if (image['root_mb'] === undefined) return forgetPartitions(task);
  const { driver_internal_info: info } = task.node;
  await task.update({ driver_internal_info: { ...info, [PARTITIONS]: sizesOf(image) } });
}

export async function forgetPartitions(task: Task): Promise<void> {
  const { [PARTITIONS]: known, ...others } = task.node.driver_internal_info;
  if (known !== undefined) await task.update({ driver_internal_info: others });
}

/**
 * Throws InvalidParameter for a rebuild that must preserve the ephemeral partition but would change the size of a partition,
 * because the change would destroy the ephemeral partition.
 */
function refuseMovedPartitions({ node: { driver_internal_info: info } }: Task, wanted: JsonObject): void {
  const known = info[PARTITIONS];
  const sizes = sizesOf(wanted);
  if (known !== undefined && !isDeepStrictEqual(known, sizes))
    throw wrongInstanceInfo(
      'preserve_ephemeral',
      `the partitions would change from ${JSON.stringify(known)} to ${JSON.stringify(sizes)}, which destroys the ephemeral one; set root_gb, swap_mb and ephemeral_gb as they were`,
    );
}

/** Returns the fields of the agent's `image_info` that describe the partitions. Throws InvalidParameter. */
export function partitionsOf(task: Task): JsonObject {
  const instance = task.node.instance_info;
  const rootGb = amount(instance, 'root_gb');
  if (rootGb === undefined || rootGb === 0)
    throw wrongInstanceInfo(
      'root_gb',
      'it is missing or 0; a partition image needs the size of the root partition in GiB',
    );
  const sizes = {
    root_mb: rootGb * 1024,
    swap_mb: amount(instance, 'swap_mb') ?? 0,
    ephemeral_mb: (amount(instance, 'ephemeral_gb') ?? 0) * 1024,
  };
  const preserve_ephemeral = preservesEphemeral(task);
  if (preserve_ephemeral) refuseMovedPartitions(task, sizes);
  return {
    ...sizes,
    ephemeral_format: instance['ephemeral_format'] ?? null,
    preserve_ephemeral,
    deploy_boot_mode: expectedBootMode(task),
    boot_option: 'local',
    disk_label: expectedDiskLabel(task),
    ...(instance['kernel'] !== undefined && { kernel: instance['kernel'] }),
    ...(instance['ramdisk'] !== undefined && { ramdisk: instance['ramdisk'] }),
  };
}

function amount(instance: JsonObject, name: string): number | undefined {
  const given = instance[name];
  if (given === undefined || given === null) return undefined;
  const number = typeof given === 'string' && given !== '' ? Number(given) : given;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0) return number;
  throw wrongInstanceInfo(name, `${JSON.stringify(given)}; expected a whole number, 0 or more`);
}
