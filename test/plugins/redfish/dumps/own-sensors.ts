// Counts the sensors in a dump, without the driver.
import { isJsonObject, type JsonObject } from '../../../../daemon/plugin-api/index.ts';
import type { Dump } from '../../../fakes/machines/dumped-bmc.ts';

const LISTS = ['Temperatures', 'Fans', 'PowerSupplies', 'PowerControl', 'Voltages'];

/** The drives, and all sensors of all chassis; those that are not plugged in do not count, nor does a name that a chassis repeats. */
export function ownSensors(dump: Dump): number {
  const paths = [...dump.keys()];
  const listed = paths
    .filter((path) => /\/Chassis\/.*\/(Thermal|Power)$/.test(path))
    .flatMap((path) =>
      LISTS.flatMap((list) => objects(dump.get(path)?.[list])).map((sensor) => ({ path, sensor })),
    )
    .filter(({ sensor }) => isThere(sensor));
  const names = new Set(listed.map(({ path, sensor }) => nameIn(path, sensor)));
  const collected = paths
    .filter((path) => /\/Chassis\/[^/]+\/Sensors\/[^/]+$/.test(path))
    .filter((path) => {
      const sensor = dump.get(path) ?? {};
      return isThere(sensor) && !names.has(nameIn(path, sensor));
    });
  return listed.length + collected.length + drivesIn(dump);
}

function drivesIn(dump: Dump): number {
  const simple = [...dump]
    .filter(([path]) => /\/SimpleStorage\/[^/]+$/.test(path))
    .flatMap(([, resource]) => objects(resource['Devices']));
  const drives = [...dump].filter(([path]) => /\/Drives\/[^/]+$/.test(path)).map(([, resource]) => resource);
  const counts = [simple, drives].map((all) => all.filter(hasCapacity).length);
  return Math.max(...counts);
}

const objects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

const hasCapacity = (drive: JsonObject): boolean => isThere(drive) && Number(drive['CapacityBytes']) > 0;

const isThere = ({ Status: status }: JsonObject): boolean =>
  !isJsonObject(status) || status['State'] !== 'Absent';

const nameIn = (path: string, { Name: name }: JsonObject): string =>
  `${/\/Chassis\/[^/]+/.exec(path)?.[0]} ${JSON.stringify(name)}`;
