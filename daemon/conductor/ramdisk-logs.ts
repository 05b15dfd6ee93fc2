// The logs that ramdisks hand over, kept as files beside the database when the operator wants them.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { timestamp } from '../lib/clock.ts';
import { reasonOf } from '../model/faults.ts';
import type { NodeTask } from './task.ts';

export interface RamdiskLogs {
  /** What the ramdisk was booted for; null for a deployment. */
  readonly label: string | null;
  readonly failed: boolean;
  /** A gzipped tar archive; undefined when the ramdisk sent none. Asked only when it is kept. */
  readonly archive: () => Promise<Uint8Array | undefined>;
}

/** Keeps the archive as `[agent] deploy_logs_collect` says. That it cannot be kept is logged, and changes nothing else. */
export async function keepRamdiskLogs(
  task: NodeTask,
  { label, failed, archive }: RamdiskLogs,
): Promise<void> {
  const { deploy_logs_collect: wanted, deploy_logs_local_path: directory } = task.services.config.agent;
  if (wanted === 'never' || (wanted === 'on_failure' && !failed)) return;
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

/** As `keepRamdiskLogs`, of the ramdisk that runs, if its agent was heard of. */
export async function saveRamdiskLogs(task: NodeTask, label: string | null, failed: boolean): Promise<void> {
  if (task.node.driver_internal_info['agent_url'] === undefined) return;
  const archive = async () => {
    const { system_logs: logs } = (await task.agent.run('log.collect_system_logs', {})).result;
    return typeof logs === 'string' ? Buffer.from(logs, 'base64') : undefined;
  };
  await keepRamdiskLogs(task, { label, failed, archive });
}

// Not `recursive`: Node tries for ever below /proc
async function mkdirUnlessThere(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

/** Named as Ironic names them. */
function fileName({ node, services }: NodeTask, label: string | null): string {
  const parts = [node.uuid, node.name, node.instance_uuid, label].filter((part) => part !== null);
  const time = timestamp(services.clock.now()).slice(0, 19).replace(/[T:]/g, '-');
  return `${parts.join('_')}_${time}.tar.gz`;
}
