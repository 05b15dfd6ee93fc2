// The logs of ramdisks, kept as files for whoever looks for a cause.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { timestamp } from '../lib/clock.ts';
import { reasonOf } from '../model/faults.ts';
import type { NodeTask } from './task.ts';

export interface RamdiskLogs {
  /** What the ramdisk was booted for; may be empty. */
  readonly label: string;
  /** A gzipped tar archive; undefined when the ramdisk sent none. Asked only when it is kept. */
  readonly archive: () => Promise<Uint8Array | undefined>;
}

/** Keeps the archive when `[agent] deploy_logs_collect` asks for it. */
export async function keepRamdiskLogs(task: NodeTask, logs: RamdiskLogs, failed: boolean): Promise<void> {
  const { deploy_logs_collect: wanted } = task.services.config.agent;
  if (wanted === 'always' || (wanted === 'on_failure' && failed)) await writeRamdiskLogs(task, logs);
}

/** Fetches the logs from the agent before it is gone. */
export const saveRamdiskLogs = (task: NodeTask, label: string): Promise<void> =>
  writeRamdiskLogs(task, {
    label,
    async archive() {
      const { result } = await task.agent.run('log.collect_system_logs', {});
      const archive = result['system_logs'];
      return typeof archive === 'string' ? Buffer.from(archive, 'base64') : undefined;
    },
  });

// That they cannot be kept is logged, and changes nothing else: what they were wanted for matters more
async function writeRamdiskLogs(task: NodeTask, { label, archive }: RamdiskLogs): Promise<void> {
  const { deploy_logs_local_path: directory } = task.services.config.agent;
  const file = join(directory, fileName(task, label));
  try {
    const content = await archive();
    if (content === undefined) {
      task.log.warn({ label }, 'the ramdisk sent no archive of its logs');
      return;
    }
    await mkdirUnlessThere(directory);
    await writeFile(file, content, { mode: 0o600 });
    task.log.info({ file }, 'the logs of the ramdisk are kept');
  } catch (error) {
    task.log.error({ file, reason: reasonOf(error) }, 'the logs of the ramdisk could not be kept');
  }
}

// Not `recursive`: Node tries for ever below /proc
async function mkdirUnlessThere(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

/** Named as Ironic names them: UUID, name, instance, label and time in UTC, as far as there are such. */
function fileName({ node, services }: NodeTask, label: string): string {
  const parts = [node.uuid, node.name, node.instance_uuid, label].filter(
    (part) => part !== null && part !== '',
  );
  const time = timestamp(services.clock.now()).slice(0, 19).replace(/[T:]/g, '-');
  return `${parts.join('_').replaceAll(/[^\w.-]/g, '-')}_${time}.tar.gz`;
}
