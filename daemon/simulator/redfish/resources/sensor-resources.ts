// The chassis of the simulated machine with its sensors.
import type { JsonObject } from '../../../model/json.ts';
import type { FakeMachine } from '../machine.ts';
import { collection, contained, link, typeOf } from './odata.ts';
import type { Paths } from './paths.ts';

const ENABLED = { State: 'Enabled', Health: 'OK' };

type Resources = Readonly<Record<string, JsonObject>>;

export const sensorResources = ({ shape, chassisSerialNumber }: FakeMachine, paths: Paths): Resources => ({
  [paths.chassis]: {
    '@odata.type': typeOf('Chassis'),
    Id: shape.chassis,
    Name: 'Chassis',
    ChassisType: 'RackMount',
    SerialNumber: chassisSerialNumber,
    UUID: '44444444-4444-4444-8444-444444444444',
    IndicatorLED: 'Off',
    ...(shape.sensorsIn === 'Thermal'
      ? { Thermal: link(`${paths.chassis}/Thermal`), Power: link(`${paths.chassis}/Power`) }
      : { Sensors: link(`${paths.chassis}/Sensors`) }),
    NetworkAdapters: link(`${paths.chassis}/NetworkAdapters`),
    Links: { ComputerSystems: [link(paths.system)] },
  },
  ...(shape.sensorsIn === 'Thermal' ? thermalAndPower(paths) : sensorCollection(paths)),
});

const thermalAndPower = ({ chassis }: Paths): Resources => ({
  [`${chassis}/Thermal`]: {
    Id: 'Thermal',
    '@odata.type': typeOf('Thermal'),
    Name: 'Thermal',
    Fans: contained(`${chassis}/Thermal#/Fans`, [
      { Name: 'Fan 1', Reading: 5000, ReadingUnits: 'RPM', Status: ENABLED },
    ]),
    Temperatures: contained(`${chassis}/Thermal#/Temperatures`, [
      { Name: 'Inlet', ReadingCelsius: 24, SensorNumber: 1, Status: ENABLED },
    ]),
  },
  [`${chassis}/Power`]: {
    Id: 'Power',
    '@odata.type': typeOf('Power'),
    Name: 'Power',
    PowerControl: contained(`${chassis}/Power#/PowerControl`, [{ Name: 'Chassis', PowerConsumedWatts: 210 }]),
    PowerSupplies: contained(`${chassis}/Power#/PowerSupplies`, [
      {
        Name: 'Supply 1',
        PowerCapacityWatts: 800,
        LastPowerOutputWatts: 150,
        Status: ENABLED,
      },
      { Name: 'Supply 2', Status: { State: 'Absent' } },
    ]),
    Voltages: contained(`${chassis}/Power#/Voltages`, [
      { Name: '12V', ReadingVolts: 12.1, SensorNumber: 7, Status: ENABLED },
    ]),
  },
});

function sensorCollection({ chassis }: Paths): Resources {
  const at = `${chassis}/Sensors`;
  const sensors = [
    { Id: 'Inlet', ReadingType: 'Temperature', Reading: 24, ReadingUnits: 'Cel', PhysicalContext: 'Intake' },
    { Id: 'Fan1', ReadingType: 'Rotational', Reading: 5000, ReadingUnits: 'RPM', PhysicalContext: 'Fan' },
    { Id: 'Fan1Level', ReadingType: 'Percent', Reading: 40, ReadingUnits: '%', PhysicalContext: 'Fan' },
    { Id: 'Total', ReadingType: 'Power', Reading: 210, ReadingUnits: 'W', PhysicalContext: 'Chassis' },
    { Id: 'Moisture', ReadingType: 'Humidity', Reading: 30, ReadingUnits: '%', PhysicalContext: 'Intake' },
  ];
  return {
    [at]: collection(
      'Sensor',
      sensors.map(({ Id: id }) => `${at}/${id}`),
    ),
    ...Object.fromEntries(
      sensors.map((sensor) => [
        `${at}/${sensor.Id}`,
        { '@odata.type': typeOf('Sensor'), Name: sensor.Id, Status: ENABLED, ...sensor },
      ]),
    ),
  };
}
