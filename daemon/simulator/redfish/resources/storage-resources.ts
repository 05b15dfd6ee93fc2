// The storage of the simulated machine: one controller with two drives and its volumes.
import type { JsonObject } from '../../../model/json.ts';
import type { FakeMachine } from '../machine.ts';
import type { Paths } from './paths.ts';
import { collection, contained, link, typeOf } from './odata.ts';

const CAPACITY = 480_000_000_000;
const DRIVES = ['D1', 'D2'];

export function storageResources(
  { shape, volumes, controllerMode }: FakeMachine,
  { system, storage }: Paths,
): Readonly<Record<string, JsonObject>> {
  const simple = `${system}/SimpleStorage`;
  return {
    [`${system}/Storage`]: collection('Storage', [storage]),
    [storage]: {
      '@odata.type': typeOf('Storage'),
      Id: 'S1',
      Name: 'Controller 1',
      StorageControllers: contained(`${storage}#/StorageControllers`, [
        { Name: 'RAID', SupportedRAIDTypes: ['RAID0', 'RAID1'] },
      ]),
      Drives: DRIVES.map((id) => link(`${storage}/Drives/${id}`)),
      Volumes: link(`${storage}/Volumes`),
      ...(shape.oem === 'Dell' && { Controllers: link(`${storage}/Controllers`) }),
    },
    ...(shape.oem === 'Dell' && dellControllers(storage, controllerMode)),
    ...Object.fromEntries(
      DRIVES.map((id) => [`${storage}/Drives/${id}`, driveOf(`${storage}/Drives/${id}`, id)]),
    ),
    [`${storage}/Volumes`]: {
      ...collection('Volume', [...volumes.keys()]),
      '@Redfish.OperationApplyTimeSupport': { SupportedValues: shape.volumeApplyTimes },
    },
    ...Object.fromEntries(volumes),
    ...(shape.simpleStorage && {
      [simple]: collection('SimpleStorage', [`${simple}/1`]),
      [`${simple}/1`]: {
        '@odata.type': typeOf('SimpleStorage'),
        Id: '1',
        Name: 'Simple',
        Devices: DRIVES.map((id) => ({ Name: `Drive ${id}`, CapacityBytes: CAPACITY, Status: ENABLED })),
      },
    }),
  };
}

/** The path of the resource that takes changes of the controller's mode. */
export const controllerSettings = (storage: string): string => `${storage}/Controllers/C1/Settings`;

function dellControllers(storage: string, ControllerMode: string): Readonly<Record<string, JsonObject>> {
  const at = `${storage}/Controllers/C1`;
  return {
    [`${storage}/Controllers`]: collection('StorageController', [at]),
    [at]: {
      '@odata.type': typeOf('StorageController'),
      Id: 'C1',
      Name: 'PERC H730',
      Oem: { Dell: { DellStorageController: { ControllerMode } } },
      '@Redfish.Settings': { SettingsObject: link(controllerSettings(storage)) },
    },
  };
}

const ENABLED = { State: 'Enabled', Health: 'OK' };

const driveOf = (path: string, id: string): JsonObject => ({
  '@odata.type': typeOf('Drive'),
  Id: id,
  Name: `Drive ${id}`,
  CapacityBytes: CAPACITY,
  MediaType: 'SSD',
  Protocol: 'SATA',
  SerialNumber: `SN-${id}`,
  IndicatorLED: 'Off',
  Status: ENABLED,
  Actions: { '#Drive.SecureErase': { target: `${path}/Actions/Drive.SecureErase` } },
});
