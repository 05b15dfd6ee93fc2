// The indicators (LEDs) of system, chassis and drives.
import {
  fault,
  type Indicator,
  type IndicatorState,
  isJsonObject,
  type JsonObject,
  type Task,
} from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { pathIn, pathsIn, textIn } from '../bmc/fields.ts';
import { converse } from '../bmc/converse.ts';

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
    reason: `the BMC has no ${name} of ${component} any more`,
  });
}

async function lamps(bmc: Bmc): Promise<readonly Lamp[]> {
  const system = await bmc.system();
  const chassisPath = await bmc.chassisPath();
  const chassis = chassisPath === undefined ? undefined : await bmc.find(chassisPath);
  const found = [
    lamp('system', await bmc.systemPath(), system),
    ...(chassisPath === undefined || chassis === undefined ? [] : [lamp('chassis', chassisPath, chassis)]),
    ...(await driveLamps(bmc, system)),
  ];
  return found.filter(
    ({ resource }) => hasLed(resource) || typeof resource['LocationIndicatorActive'] === 'boolean',
  );
}

const lamp = (component: Indicator['component'], path: string, resource: JsonObject): Lamp => ({
  name: textIn(resource['UUID']) ?? textIn(resource['Id']) ?? path,
  component,
  path,
  resource,
});

async function driveLamps(bmc: Bmc, { Storage: link }: JsonObject): Promise<readonly Lamp[]> {
  const path = pathIn(link);
  const found: Lamp[] = [];
  for (const storage of path === undefined ? [] : await bmc.members(path)) {
    for (const drivePath of pathsIn(storage['Drives'])) {
      const resource = await bmc.find(drivePath);
      const name = `${textIn(storage['Id']) ?? ''}:${textIn(resource?.['Id']) ?? ''}`;
      if (isJsonObject(resource)) found.push({ name, component: 'disk', path: drivePath, resource });
    }
  }
  return found;
}

const hasLed = ({ IndicatorLED: led }: JsonObject): boolean => typeof led === 'string';
