// The options of section `deploy` for disk erasure, under the names that the agent looks for in `driver_internal_info`.
import type { JsonObject, Task } from '#plugin-api';
import { deployOptions } from './options.ts';

const KEYS = {
  agent_erase_devices_iterations: 'shred_random_overwrite_iterations',
  agent_erase_devices_zeroize: 'shred_final_overwrite_with_zeros',
  agent_continue_if_secure_erase_failed: 'continue_if_disk_secure_erase_fails',
  // old agents know the option only by this name
  agent_continue_if_ata_erase_failed: 'continue_if_disk_secure_erase_fails',
  agent_enable_ata_secure_erase: 'enable_ata_secure_erase',
  agent_enable_nvme_secure_erase: 'enable_nvme_secure_erase',
  disk_erasure_concurrency: 'disk_erasure_concurrency',
  agent_erase_skip_read_only: 'erase_skip_read_only',
} as const;

export function eraseSettings(task: Task): JsonObject {
  const options = deployOptions(task);
  return Object.fromEntries(Object.entries(KEYS).map(([key, option]) => [key, options[option]]));
}
