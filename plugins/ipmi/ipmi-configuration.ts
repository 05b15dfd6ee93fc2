// The values of section `[ipmi]`, which plugin.json describes.
import type { Task } from '#plugin-api';

export interface IpmiConfiguration {
  /** Seconds. */
  readonly command_retry_timeout: number;
  /** Seconds. */
  readonly min_command_interval: number;
  readonly disable_boot_timeout: boolean;
  readonly cipher_suite_versions: readonly string[];
}

export function ipmiConfiguration(task: Task): IpmiConfiguration {
  return task.configuration['ipmi'] as unknown as IpmiConfiguration;
}
