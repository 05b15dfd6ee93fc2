// The indicators (LEDs) of system, chassis and drives.
import { fault, type Indicator, type IndicatorState, type JsonObject, type Task } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { ownChassis } from '../bmc/chassis.ts';
import { pathIn, textIn } from '../bmc/fields.ts';
import { converse } from '../bmc/converse.ts';
import { readStorages, storagePaths } from '../bmc/storages.ts';

const states = ['off', 'on', 'blinking'] as const;
const words: Readonly<Record<string, IndicatorState>> = { Off: 'off', Lit: 'on', Blinking: 'blinking' };
const sent: Readonly<Record<string, string>> = { off: 'Off', on: 'Lit', blinking: 'Blinking' };

interface Lamp extends Pick<Indicator, 'name' | 'component'> {
  readonly path: string;
  readonly resource: JsonObject;
}

export const listIndicators = (task: Task): Promise<readonly Indicator[]> =>
  converse(task, { operation: 'Reading the indicators', length: 4 }, async (bmc) =>
    (await lamps(bmc)).map(({ name, component, resource }) => ({
      name,
      component,
      readonly: false,
      states: hasLed(resource) ? states : (['off', 'on'] as const),
    })),
  );

export const getIndicatorState = (task: Task, indicator: Indicator): Promise<IndicatorState> =>
  converse(task, { operation: 'Reading an indicator', length: 4 }, async (bmc) => {
    const { resource } = await lampOf(bmc, indicator);
    if (hasLed(resource)) return words[textIn(resource['IndicatorLED']) ?? ''] ?? 'unknown';
    return resource['LocationIndicatorActive'] === true ? 'on' : 'off';
  });

export const setIndicatorState = (task: Task, indicator: Indicator, state: IndicatorState): Promise<void> =>
  converse(task, { operation: 'Setting an indicator', length: 4 }, async (bmc) => {
    const { path, resource } = await lampOf(bmc, indicator);
    const change = hasLed(resource)
      ? { IndicatorLED: sent[state] ?? 'Off' }
      : { LocationIndicatorActive: state === 'on' };
    await bmc.patch(path, change);
    bmc.forgetReadings();
  });

async function lampOf(bmc: Bmc, { name, component }: Indicator): Promise<Lamp> {
  const found = (await lamps(bmc)).find((lamp) => lamp.name === name && lamp.component === component);
  if (found !== undefined) return found;
  throw fault('InvalidParameter', {
    name: 'indicator',
    reason: [`the BMC has no ${name} of ${component} any more`, ...bmc.unread].join('; '),
  });
}

async function lamps(bmc: Bmc): Promise<readonly Lamp[]> {
  const found = [lamp('system', await bmc.systemPath(), await bmc.system()), ...(await chassisLamps(bmc))];
  for (const { resource, drives } of await readStorages(bmc, await storagePaths(bmc)))
    for (const drive of drives) {
      const name = `${textIn(resource['Id']) ?? ''}:${textIn(drive['Id']) ?? ''}`;
      found.push({ name, component: 'disk', path: pathIn(drive) ?? '', resource: drive });
    }
  return found.filter(
    ({ resource }) => hasLed(resource) || typeof resource['LocationIndicatorActive'] === 'boolean',
  );
}

/** Reads each chassis again: what is known of it may be old. */
async function chassisLamps(bmc: Bmc): Promise<readonly Lamp[]> {
  const links = (await ownChassis(bmc)).map((chassis) => ({ '@odata.id': pathIn(chassis) ?? '' }));
  const found = await bmc.optionalLinked('the chassis', links);
  return found.map((chassis) => lamp('chassis', pathIn(chassis) ?? '', chassis));
}

const lamp = (component: Indicator['component'], path: string, resource: JsonObject): Lamp => ({
  name: textIn(resource['UUID']) ?? textIn(resource['Id']) ?? path,
  component,
  path,
  resource,
});

const hasLed = ({ IndicatorLED: led }: JsonObject): boolean => typeof led === 'string';
