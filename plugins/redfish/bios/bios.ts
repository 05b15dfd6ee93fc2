// The bios interface `redfish`.
import {
  type BiosSettingSeen,
  defineBios,
  type JsonObject,
  type Step,
  type StepOutcome,
  type Task,
} from '#plugin-api';
import { converse } from '../bmc/converse.ts';
import { bmcConnectionOf, connectionProperties } from '../bmc/connection.ts';
import { objectIn, targetIn } from '../bmc/fields.ts';
import { refusalOf } from '../bmc/redfish-client.ts';
import { hasRamdisk, rebootMachine } from '../steps/reboot.ts';
import { applyConfiguration, checkConfiguration, readBios } from './apply.ts';
import { readRegistry } from './registry.ts';

const POLL_SECONDS = 30;
const priorities = { clean: 0, deploy: 0, service: 0 } as const;

export const redfishBios = defineBios({
  properties: connectionProperties,
  validate(task) {
    bmcConnectionOf(task);
  },
  readSettings: (task) =>
    converse(task, { operation: 'Reading BIOS settings', length: 4 }, async (bmc) => {
      const { bios } = await readBios(bmc, task);
      const registry = await readRegistry(bmc, bios);
      return Object.entries(objectIn(bios['Attributes'])).map(([name, value]): BiosSettingSeen => ({
        ...registry[name],
        name,
        value: shown(value),
      }));
    }),
  steps: {
    apply_configuration: {
      description: 'Changes BIOS settings; reboots the machine unless it has these settings already.',
      priorities,
      requiresRamdisk: false,
      arguments: {
        settings: {
          description: 'The settings, as in [{"name": "NumLock", "value": "On"}].',
          required: true,
        },
      },
      run: applyConfiguration,
      poll: { intervalSeconds: POLL_SECONDS, check: checkConfiguration },
    } satisfies Step,
    factory_reset: {
      description: 'Resets all BIOS settings to those of the factory, and reboots the machine.',
      destroys: 'all BIOS settings',
      priorities,
      requiresRamdisk: false,
      run: factoryReset,
    },
  },
});

function shown(value: JsonObject[string]): string | null {
  if (value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

async function factoryReset(task: Task): Promise<StepOutcome> {
  await converse(task, { operation: 'Resetting the BIOS settings' }, async (bmc) => {
    const { bios, path } = await readBios(bmc, task);
    const target = targetIn(bios, '#Bios.ResetBios') ?? `${path}/Actions/Bios.ResetBios`;
    try {
      await bmc.post(target);
    } catch (error) {
      if (![400, 415].includes(refusalOf(error)?.status ?? 0)) throw error;
      await bmc.post(target, {});
    }
  });
  if (hasRamdisk(task)) return 'reboot';
  await rebootMachine(task, false);
  return 'done';
}
