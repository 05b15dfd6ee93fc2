// The logs of a ramdisk, fetched from its agent before it is gone and kept for whoever looks for a cause.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Node } from '../model/node.ts';
import type { NodeTask } from './task.ts';

/** Never throws: what they were wanted for matters more. */
export async function saveRamdiskLogs(task: NodeTask, purpose: string): Promise<void> {
  const directory = task.services.config.agent.deploy_logs_local_path;
  try {
    const { result } = await task.agent.run('log.collect_system_logs', {});
    const archive = result['system_logs'];
    if (typeof archive !== 'string') throw new Error('the agent sent no logs');
    const file = path.join(directory, logName(task.node, purpose, task.now()));
    await mkdir(directory, { recursive: true });
    await writeFile(file, Buffer.from(archive, 'base64'), { mode: 0o600 });
    task.log.info({ file }, 'logs of the ramdisk kept');
  } catch (error) {
    task.log.warn({ error, directory }, 'the logs of the ramdisk could not be kept');
  }
}

/** As Ironic names them: UUID, name, instance, purpose and time in UTC, as far as there are such. */
function logName({ uuid, name, instance_uuid: instance }: Node, purpose: string, now: number): string {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(/[T:]/g, '-');
  const parts = [uuid, name, instance, purpose, time].filter((part) => part !== null && part !== '');
  return `${parts.join('_').replaceAll(/[^\w.-]/g, '-')}.tar.gz`;
}
