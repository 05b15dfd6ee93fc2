// The fake bios interface: stores the last applied settings in the node and returns them.
import { defineBios, fault, isJsonObject, type Json, type Task } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

const MEMORY = 'fake_bios_settings';
type Setting = { readonly name: string; readonly value: string | null };
const onRequest = { clean: 0, deploy: 0, service: 0 } as const;

export const fakeBios = defineBios({
  properties: {},
  validate(task) {
    delayRange(task, 'bios');
  },
  async readSettings(task) {
    await delay(task, 'bios');
    return (task.node.driver_internal_info[MEMORY] ?? []) as readonly Setting[];
  },
  steps: {
    apply_configuration: {
      description: 'Replaces all settings with those in the argument settings.',
      priorities: onRequest,
      requiresRamdisk: false,
      arguments: { settings: { description: 'A list of { name, value }.', required: true } },
      async run(task, { settings }) {
        const given = settingsIn(settings);
        await delay(task, 'bios');
        return remember(task, given);
      },
    },
    factory_reset: {
      description: 'Removes all settings.',
      priorities: onRequest,
      requiresRamdisk: false,
      destroys: 'all BIOS settings',
      async run(task) {
        await delay(task, 'bios');
        return remember(task, []);
      },
    },
  },
});

async function remember(task: Task, settings: readonly Setting[]): Promise<'done'> {
  await task.update({ driver_internal_info: { ...task.node.driver_internal_info, [MEMORY]: settings } });
  return 'done';
}

/** Returns the settings in the argument. Throws InvalidParameter unless it is a list of settings. */
function settingsIn(given: Json | undefined): readonly Setting[] {
  const settings = Array.isArray(given) ? given.map(settingIn) : [undefined];
  const known = settings.filter((setting) => setting !== undefined);
  if (known.length === settings.length) return known;
  throw fault('InvalidParameter', {
    name: 'settings',
    reason: `${JSON.stringify(given)} is not a list of { "name": ..., "value": ... }`,
  });
}

function settingIn(given: Json): Setting | undefined {
  if (!isJsonObject(given)) return undefined;
  const { name, value = null } = given;
  if (typeof name !== 'string') return undefined;
  if (value === null) return { name, value };
  return typeof value === 'object' ? undefined : { name, value: String(value) };
}
