// Manager, processors and network cards of the simulated machine, and its chassis with sensors.
import type { JsonObject } from '../../../model/json.ts';
import { sensorResources } from './sensor-resources.ts';
import type { FakeMachine } from '../machine.ts';
import type { Paths } from './paths.ts';
import { collection, link, typeOf } from './odata.ts';

const ENABLED = { State: 'Enabled', Health: 'OK' };
const CARDS = [1, 2];

type Resources = Readonly<Record<string, JsonObject>>;

export const chassisResources = (machine: FakeMachine, paths: Paths): Resources => ({
  ...managerResources(machine, paths),
  ...processorResources(paths),
  ...cardResources(machine, paths),
  ...sensorResources(machine, paths),
});

function managerResources(
  { shape, bmcVersion, dateTime }: FakeMachine,
  { manager, media, dell }: Paths,
): Resources {
  const services = ['DellJobService', 'DelliDRACCardService', 'DellLCService', 'Jobs'];
  return {
    [manager]: {
      '@odata.type': typeOf('Manager'),
      Id: shape.manager,
      Name: 'Manager',
      ManagerType: 'BMC',
      Model: shape.managerModel,
      FirmwareVersion: bmcVersion,
      DateTime: dateTime,
      DateTimeLocalOffset: '+00:00',
      ...(shape.mediaAt === 'manager' && { VirtualMedia: link(media) }),
      GraphicalConsole: { ServiceEnabled: true, MaxConcurrentSessions: 2, ConnectTypesSupported: ['KVMIP'] },
      ...(shape.oem === 'Dell' && {
        Links: {
          Oem: { Dell: Object.fromEntries(services.map((name) => [name, link(`${dell}/${name}`)])) },
        },
        Actions: {
          Oem: {
            '#OemManager.ImportSystemConfiguration': {
              target: `${manager}/Actions/Oem/OemManager.ImportSystemConfiguration`,
            },
          },
        },
      }),
    },
  };
}

function processorResources({ system }: Paths): Resources {
  const at = `${system}/Processors`;
  return {
    [at]: collection('Processor', [`${at}/GPU1`, `${at}/CPU1`]),
    [`${at}/GPU1`]: {
      '@odata.type': typeOf('Processor'),
      Id: 'GPU1',
      Name: 'GPU 1',
      ProcessorType: 'GPU',
      ProcessorArchitecture: 'OEM',
      Model: 'Accelerator',
      TotalThreads: 512,
    },
    [`${at}/CPU1`]: {
      '@odata.type': typeOf('Processor'),
      Id: 'CPU1',
      Name: 'CPU 1',
      ProcessorType: 'CPU',
      ProcessorArchitecture: 'x86',
      InstructionSet: 'x86-64',
      Model: 'Processor 1',
      TotalCores: 32,
      TotalThreads: 64,
      MaxSpeedMHz: 3000,
    },
  };
}

function cardResources(machine: FakeMachine, { system, chassis }: Paths): Resources {
  const { shape, nicVersion } = machine;
  const interfaces = `${system}/EthernetInterfaces`;
  const adapters = `${chassis}/NetworkAdapters`;
  const controller = {
    FirmwarePackageVersion: nicVersion,
    Links: { Ports: CARDS.map((card) => link(`${adapters}/A1/Ports/${card}`)) },
  };
  return {
    [interfaces]: collection(
      'EthernetInterface',
      CARDS.map((card) => `${interfaces}/NIC.${card}`),
    ),
    ...Object.fromEntries(
      CARDS.map((card) => [
        `${interfaces}/NIC.${card}`,
        {
          '@odata.type': typeOf('EthernetInterface'),
          Id: `NIC.${card}`,
          Name: `NIC ${card}`,
          MACAddress: shape.showsMacs ? machine.mac(card) : '',
          SpeedMbps: 10_000,
          Status: ENABLED,
        },
      ]),
    ),
    [adapters]: collection('NetworkAdapter', [`${adapters}/A1`]),
    [`${adapters}/A1`]: {
      '@odata.type': typeOf('NetworkAdapter'),
      Id: 'A1',
      Name: 'Adapter 1',
      Manufacturer: 'Card Maker',
      Model: 'Card 1',
      SerialNumber: 'NIC-SERIAL-1',
      Controllers: [controller],
      Ports: link(`${adapters}/A1/Ports`),
    },
    [`${adapters}/A1/Ports`]: collection(
      'Port',
      CARDS.map((card) => `${adapters}/A1/Ports/${card}`),
    ),
    ...Object.fromEntries(CARDS.map((card) => [`${adapters}/A1/Ports/${card}`, portOf(machine, card)])),
  };
}

const portOf = (machine: FakeMachine, card: number): JsonObject => ({
  '@odata.type': typeOf('Port'),
  Id: String(card),
  Name: `Port ${card}`,
  Ethernet: {
    AssociatedMACAddresses: [machine.mac(card)],
    LLDPReceive: {
      ChassisId: '02:00:00:00:00:0a',
      PortId: `02:00:00:00:00:1${card}`,
      SystemName: 'switch-1',
    },
  },
});
