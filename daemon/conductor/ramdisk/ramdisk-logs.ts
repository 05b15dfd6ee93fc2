// Saves the logs of ramdisks as files when [agent] deploy_logs_collect asks for them, and finds them again.
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { timestamp } from '../../lib/clock.ts';
import { refuseWithoutRoom } from '../../lib/files/disk-room.ts';
import { reasonOf } from '../../model/faults.ts';
import type { NodeTask } from '../tasks/task.ts';

export interface RamdiskLogs {
  /** What the ramdisk was booted for; null for a deployment. */
  readonly label: string | null;
  readonly failed: boolean;
  /**
   * Resolves to a gzipped tar archive, or undefined when the ramdisk sent none. Called only if the archive is to be
   * saved.
   */
  readonly archive: () => Promise<Uint8Array | undefined>;
}

/** Saves the archive as [agent] deploy_logs_collect says. A failure is logged, not thrown. */
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
    await refuseWithoutRoom(directory, content.byteLength);
    await writeFile(file, content, { mode: 0o600 });
    task.log.info({ file }, 'saved the logs of the ramdisk');
  } catch (error) {
    task.log.error({ file, reason: reasonOf(error) }, 'could not save the logs of the ramdisk');
  }
}

/** Like `keepRamdiskLogs`, with the logs of the running agent. Does nothing before its first heartbeat. */
export async function saveRamdiskLogs(task: NodeTask, label: string | null, failed: boolean): Promise<void> {
  if (task.node.driver_internal_info.agent_url === undefined) return;
  const archive = async () => {
    const { system_logs: logs } = (await task.agent.run('log.collect_system_logs', {})).result;
    return typeof logs === 'string' ? Buffer.from(logs, 'base64') : undefined;
  };
  await keepRamdiskLogs(task, { label, failed, archive });
}

export interface SavedLog {
  readonly file: string;
  readonly bytes: number;
  /** ISO 8601 in UTC. */
  readonly at: string;
}

/** Resolves to at most `most` saved logs of the node, the newest first. */
export async function savedLogs(directory: string, node: string, most: number): Promise<readonly SavedLog[]> {
  const files = (await readdir(directory).catch(whenMissing)).filter((file) => file.startsWith(`${node}_`));
  const found = await Promise.all(
    files.map(async (file) => {
      const { size, mtime } = await stat(join(directory, file));
      return { file, bytes: size, at: mtime.toISOString() };
    }),
  );
  return found.toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, most);
}

function whenMissing(error: unknown): readonly string[] {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
  throw error;
}

// Not `recursive`: below /proc, Node.js would retry endlessly
async function mkdirUnlessThere(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

/** Returns a name in the format that Ironic uses. */
function fileName({ node, services }: NodeTask, label: string | null): string {
  const parts = [node.uuid, node.name, node.instance_uuid, label].filter((part) => part !== null);
  const time = timestamp(services.clock.now()).slice(0, 19).replace(/[T:]/g, '-');
  return `${parts.join('_')}_${time}.tar.gz`;
}
