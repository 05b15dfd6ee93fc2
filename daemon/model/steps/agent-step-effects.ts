// What the steps of the ramdisk's agent destroy. The agent does not say this of its steps.
import { type NamedStep, stepName } from './step-lists.ts';

/** The steps of the generic hardware manager, which every agent has; null: the step destroys nothing. */
const effects: Readonly<Record<string, string | null>> = {
  'deploy.erase_devices': 'all data on all disks',
  'deploy.erase_devices_metadata': 'the partition tables and file system signatures of all disks',
  'deploy.erase_devices_express': 'all data on NVMe disks, and the partition tables of other disks',
  'deploy.erase_pstore': 'the crash logs of kernels',
  'deploy.clean_uefi_nvram': 'the boot entries of UEFI',
  'deploy.write_image': 'all data on the root device',
  'deploy.execute_bootc_install': 'all data on the root device',
  'deploy.burnin_disk': 'all data on all disks',
  'deploy.burnin_cpu': null,
  'deploy.burnin_gpu': null,
  'deploy.burnin_memory': null,
  'deploy.burnin_network': null,
  'deploy.inject_files': null,
  'raid.create_configuration': 'all data on the disks of the software RAID',
  'raid.apply_configuration': 'all data on the disks of the software RAID',
  'raid.delete_configuration': 'all data on software RAID devices',
};

/** A hardware manager that was added to the ramdisk may do anything. */
const UNSAID = 'perhaps data; the ramdisk does not say';

/** Returns what a step of the agent destroys, as text for operators; null if it destroys nothing. */
export function destroyedByAgent(step: NamedStep): string | null {
  const name = stepName(step);
  return Object.hasOwn(effects, name) ? (effects[name] ?? null) : UNSAID;
}
