// Sets the machine to boot from the disk that an image was written to.
import { expectedBootMode, fault, isJsonObject, type JsonObject, type Task } from '#plugin-api';
import { imageTypeOf } from './image.ts';
import { prepareInstance } from './ramdisk-boot.ts';

export async function bootWrittenImage(task: Task): Promise<void> {
  const { result: partitions } = await task.ramdisk.agent.run('standby.get_partition_uuids', {});
  const root = partitions['root uuid'];
  if (typeof root !== 'string')
    throw fault('AgentFailed', {
      node: task.node.uuid,
      command: 'standby.get_partition_uuids',
      reason: 'it reports no disk that an image was written to',
    });
  await task.update({
    driver_internal_info: { ...task.node.driver_internal_info, root_uuid_or_disk_id: root },
  });
  if (needsBootloader(task)) {
    await task.ramdisk.agent.run('image.install_bootloader', {
      root_uuid: root,
      efi_system_part_uuid: partitions['efi system partition uuid'] ?? null,
      prep_boot_part_uuid: partitions['PReP Boot partition uuid'] ?? null,
      target_boot_mode: expectedBootMode(task),
    });
  }
  await prepareInstance(task);
}

/**
 * Whether to ask the agent to install a boot loader. In UEFI mode, the agent is asked for whole-disk images too: for these it only
 * adds a boot entry for the boot loader in the image.
 */
const needsBootloader = (task: Task): boolean =>
  imageTypeOf(task) === 'partition' ||
  expectedBootMode(task) === 'uefi' ||
  hasSoftwareRaid(task.node.target_raid_config);

function hasSoftwareRaid({ logical_disks: disks }: JsonObject): boolean {
  return (
    Array.isArray(disks) && disks.some((disk) => isJsonObject(disk) && disk['controller'] === 'software')
  );
}
