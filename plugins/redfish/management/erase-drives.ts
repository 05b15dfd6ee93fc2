// The step `secure_erase_drives` of the management interface `redfish`: every drive that can erase itself does so.
import { defineFault, fault, type JsonObject, type Step, type Task } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { converse } from '../bmc/converse.ts';
import { allStorages } from '../bmc/storages.ts';
import { objectsIn, pathIn, targetIn, textIn } from '../bmc/fields.ts';
import { isSilent } from '../steps/reboot.ts';
import { readTask, taskOf } from '../steps/redfish-task.ts';
import { storedState } from '../steps/stored-state.ts';
import { redfishLimits } from '../limits.ts';

/**
 * The time limit of the conversation that begins the erasures, as a multiple of `read_timeout`. The limit is long because each
 * drive needs requests of its own.
 */
const LENGTH = 10;
const ACTION = '#Drive.SecureErase';

const eraseFailed = defineFault(
  'DriveEraseFailed',
  500,
  'Drive {drive} of node {node} was not erased, or it is unknown whether it was: {reason}.',
);

interface Erasure extends JsonObject {
  readonly drive: string;
  readonly task: string;
}

interface State extends JsonObject {
  readonly erasures: readonly Erasure[];
  /** When the step began, in milliseconds since the epoch. */
  readonly since: number;
}

const stored = storedState<State>('redfish_drive_erasures', ({ erasures }) =>
  erasures.map(({ task }) => task),
);

export const eraseSteps: Readonly<Record<'secure_erase_drives', Step>> = {
  secure_erase_drives: {
    description: 'Erases every drive that can erase itself (Drive.SecureErase).',
    priorities: { clean: 0 },
    requiresRamdisk: false,
    destroys: 'all data on the drives that can erase themselves',
    async run(task) {
      const since = task.clock.now();
      const erasures: Erasure[] = [];
      await converse(task, { operation: 'Erasing the drives', length: LENGTH }, async (bmc) => {
        const drives = await erasableDrives(bmc);
        if (drives.length === 0)
          throw fault('UnsupportedDriverExtension', {
            driver: task.node.driver,
            extension: 'SecureErase: the BMC lists no drive that has it',
          });
        for (const { name, target } of drives) {
          const answer = await bmc.post(target, {});
          const path = taskOf(answer);
          if (path === undefined && answer.status === 202)
            throw await failed(task, name, 'the BMC began to erase it and names no task');
          if (path === undefined) continue;
          erasures.push({ drive: name, task: path });
          // stored after each request, because the daemon needs the paths of the Redfish tasks after a restart
          await stored.store(task, { erasures: [...erasures], since });
        }
      });
      return erasures.length === 0 ? 'done' : 'wait';
    },
    poll: { intervalSeconds: 30, check: async (task) => ((await isOver(task)) ? 'done' : 'wait') },
  },
};

interface Erasable {
  readonly name: string;
  readonly target: string;
}

async function erasableDrives(bmc: Bmc): Promise<readonly Erasable[]> {
  const found: Erasable[] = [];
  for (const storage of await allStorages(bmc)) {
    const drives = storage['Drives'] ?? [];
    if (!Array.isArray(drives))
      throw bmc.useless(200, `the Drives of ${pathIn(storage) ?? 'a storage'} are not a list`);
    for (const drive of await bmc.linked(objectsIn(drives))) {
      const target = targetIn(drive, ACTION);
      const name = textIn(drive['Name']) ?? textIn(drive['Id']) ?? '';
      if (target !== undefined) found.push({ name, target });
    }
  }
  return found;
}

/** Throws DriveEraseFailed, also when the BMC no longer knows a task, because then nothing proves that the drive was erased. */
async function isOver(task: Task): Promise<boolean> {
  const state = stored.of(task);
  if (state === undefined) return true;
  const { erasures, since } = state;
  const left = await unfinished(task, erasures);
  const [first] = left;
  if (first !== undefined && task.clock.now() - since > redfishLimits.erasureSeconds * 1000)
    throw await failed(task, first.drive, `its task did not end within ${redfishLimits.erasureSeconds} s`);
  await (first === undefined ? stored.remove(task) : stored.change(task, { erasures: left }));
  return first === undefined;
}

async function unfinished(task: Task, erasures: readonly Erasure[]): Promise<readonly Erasure[]> {
  const left: Erasure[] = [];
  try {
    await converse(task, { operation: 'Reading the erasure of drives' }, async (bmc) => {
      for (const erasure of erasures) {
        const progress = await readTask(bmc, erasure.task);
        if (progress.kind === 'failed') throw await failed(task, erasure.drive, progress.reason);
        if (progress.kind === 'gone')
          throw await failed(task, erasure.drive, 'the BMC no longer knows its task');
        if (progress.kind !== 'succeeded') left.push(erasure);
      }
    });
  } catch (error) {
    if (isSilent(error)) return erasures;
    throw error;
  }
  return left;
}

async function failed(task: Task, drive: string, reason: string): Promise<Error> {
  await stored.remove(task);
  return eraseFailed({ drive, node: task.node.uuid, reason });
}
