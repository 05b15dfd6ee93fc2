// The fake bios interface: the machine has the settings that it was last given.
import { type BiosSettingSeen, defineBios, type Task } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

const MEMORY = 'fake_bios_settings';

export const fakeBios = defineBios({
  properties: {},
  validate(task) {
    delayRange(task, 'bios');
  },
  async readSettings(task) {
    await delay(task, 'bios');
    return (task.node.driver_internal_info[MEMORY] ?? []) as unknown as readonly BiosSettingSeen[];
  },
  applyConfiguration: remember,
  factoryReset: (task) => remember(task, []),
});

async function remember(
  task: Task,
  settings: readonly { readonly name: string; readonly value: string | null }[],
): Promise<void> {
  await delay(task, 'bios');
  task.update({ driver_internal_info: { ...task.node.driver_internal_info, [MEMORY]: settings } });
}
