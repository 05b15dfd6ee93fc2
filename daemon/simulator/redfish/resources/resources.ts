// The resources that clients can read, except single tasks. They are made from the current state of the machine.
import type { Json, JsonObject } from '../../../model/json.ts';
import { collection, link, textOr, typeOf } from './odata.ts';
import { accountResources } from './account-resources.ts';
import { biosResources } from './bios-resources.ts';
import { chassisResources } from './chassis-resources.ts';
import { isoResources } from './iso-configuration.ts';
import type { FakeAccounts } from '../accounts.ts';
import type { FakeMachine } from '../machine.ts';
import { type Paths, PUSH, ROOT, SESSIONS, SUBSCRIPTIONS, TASKS } from './paths.ts';
import { storageResources } from './storage-resources.ts';

export type Resources = Readonly<Record<string, JsonObject>>;

export interface ResourceSurroundings {
  readonly machine: FakeMachine;
  readonly paths: Paths;
  readonly sessions: readonly string[];
  readonly accounts: FakeAccounts;
  readonly tasks: readonly string[];
}

/** Returns undefined when there is no resource at `path`. */
export function resourceAt(around: ResourceSurroundings, path: string): JsonObject | undefined {
  const found = resourcesOf(around)[path];
  return found && { '@odata.id': path, ...found };
}

/**
 * Applies `?$expand=.($levels=1)`: replaces each link that is a property, or a member of an array, by the resource that it leads
 * to. Links inside other objects, and links that lead to no resource, stay.
 */
export function expanded(around: ResourceSurroundings, resource: JsonObject): JsonObject {
  const follow = (value: Json): Json => {
    if (Array.isArray(value)) return (value as readonly Json[]).map(follow);
    const isLink = typeof value === 'object' && value !== null && Object.keys(value).join() === '@odata.id';
    return isLink ? (resourceAt(around, textOr((value as JsonObject)['@odata.id'])) ?? value) : value;
  };
  return Object.fromEntries(Object.entries(resource).map(([key, value]) => [key, follow(value)]));
}

const resourcesOf = (around: ResourceSurroundings): Resources => ({
  ...services(around),
  ...accountResources(around.accounts),
  ...systemResources(around),
  ...mediaResources(around),
  ...biosResources(around.machine, around.paths),
  ...storageResources(around.machine, around.paths),
  ...chassisResources(around.machine, around.paths),
  ...Object.fromEntries(around.machine.subscriptions),
});

function services({ machine, paths, sessions, tasks }: ResourceSurroundings): Resources {
  const { rootVendor, product, oem, expand, sessionLimit, refusesEventTypes } = machine.shape;
  const names = ['Systems', 'Managers', 'Chassis', 'UpdateService', 'EventService', 'AccountService'];
  return {
    [ROOT]: {
      '@odata.type': typeOf('ServiceRoot'),
      Id: 'RootService',
      Name: 'Root',
      RedfishVersion: '1.11.0',
      UUID: machine.bmcUuid,
      ...(rootVendor !== null && { Vendor: rootVendor }),
      ...(product !== null && { Product: product }),
      ...(oem !== null && { Oem: { [oem]: {} } }),
      ProtocolFeaturesSupported: { ExpandQuery: { Levels: expand, NoLinks: expand } },
      ...Object.fromEntries(names.map((name) => [name, link(`${ROOT}/${name}`)])),
      Tasks: link(`${ROOT}/TaskService`),
      ...(paths.bios !== null && { Registries: link(`${ROOT}/Registries`) }),
      ...(sessionLimit > 0 && {
        SessionService: link(`${ROOT}/SessionService`),
        Links: { Sessions: link(SESSIONS) },
      }),
    },
    [`${ROOT}/Systems`]: collection('ComputerSystem', [paths.system]),
    [`${ROOT}/Managers`]: collection('Manager', [paths.manager]),
    [`${ROOT}/Chassis`]: collection('Chassis', [paths.chassis]),
    ...(sessionLimit > 0 && {
      [`${ROOT}/SessionService`]: {
        '@odata.type': typeOf('SessionService'),
        Id: 'SessionService',
        Name: 'Sessions',
        SessionTimeout: 1800,
        ServiceEnabled: true,
        Sessions: link(SESSIONS),
      },
      [SESSIONS]: collection('Session', sessions),
    }),
    [`${ROOT}/UpdateService`]: updateService(machine.shape),
    [`${ROOT}/UpdateService/FirmwareInventory`]: collection('SoftwareInventory', []),
    [`${ROOT}/EventService`]: {
      '@odata.type': typeOf('EventService'),
      Id: 'EventService',
      Name: 'Events',
      ServiceEnabled: true,
      ...(refusesEventTypes
        ? { RegistryPrefixes: ['OpenBMC', 'ResourceEvent'] }
        : { EventTypesForSubscription: ['Alert', 'StatusChange'] }),
      Subscriptions: link(SUBSCRIPTIONS),
    },
    [SUBSCRIPTIONS]: collection('EventDestination', [...machine.subscriptions.keys()]),
    [`${ROOT}/TaskService`]: {
      '@odata.type': typeOf('TaskService'),
      Id: 'TaskService',
      Name: 'Tasks',
      Tasks: link(TASKS),
    },
    [TASKS]: collection('Task', tasks),
  };
}

const updateService = ({ hasSimpleUpdate, updatesPushed }: FakeMachine['shape']): JsonObject => ({
  '@odata.type': typeOf('UpdateService'),
  Id: 'UpdateService',
  Name: 'Update',
  ServiceEnabled: true,
  ...(updatesPushed === 'form' && { MultipartHttpPushUri: PUSH }),
  ...(updatesPushed === 'raw' && { HttpPushUri: PUSH }),
  FirmwareInventory: link(`${ROOT}/UpdateService/FirmwareInventory`),
  Actions: hasSimpleUpdate
    ? {
        '#UpdateService.SimpleUpdate': {
          target: `${ROOT}/UpdateService/Actions/UpdateService.SimpleUpdate`,
          'TransferProtocol@Redfish.AllowableValues': ['HTTP', 'HTTPS'],
        },
      }
    : {},
});

function systemResources({ machine, paths }: ResourceSurroundings): Resources {
  const { shape } = machine;
  const { system } = paths;
  const parameter = {
    Name: 'ResetType',
    Required: true,
    DataType: 'String',
    AllowableValues: shape.resets,
  };
  return {
    [system]: { ...identityOf(machine), ...stateOf(machine), ...linksOf(machine, paths) },
    ...(shape.bootSettings !== null && {
      [paths.boot]: {
        '@odata.type': typeOf('ComputerSystem'),
        Id: shape.bootSettings,
        Name: 'Pending',
        Boot: bootOf(machine),
      },
    }),
    [`${system}/ResetActionInfo`]: {
      '@odata.type': typeOf('ActionInfo'),
      Id: 'ResetActionInfo',
      Name: 'Reset',
      Parameters: [parameter],
    },
    [`${system}/SecureBoot`]: {
      '@odata.type': typeOf('SecureBoot'),
      Id: 'SecureBoot',
      Name: 'Secure Boot',
      SecureBootEnable: machine.secureBoot,
      SecureBootCurrentBoot: machine.secureBoot ? 'Enabled' : 'Disabled',
      Actions: {
        '#SecureBoot.ResetKeys': {
          target: `${system}/SecureBoot/Actions/SecureBoot.ResetKeys`,
          'ResetKeysType@Redfish.AllowableValues': ['ResetAllKeysToDefault', 'DeleteAllKeys', 'DeletePK'],
        },
      },
    },
  };
}

const identityOf = ({ shape, biosVersion, uuid, serialNumber, sku }: FakeMachine): JsonObject => ({
  '@odata.type': typeOf('ComputerSystem'),
  Id: shape.system,
  Name: 'System',
  UUID: uuid,
  Manufacturer: shape.manufacturer,
  Model: shape.model,
  SerialNumber: serialNumber,
  SKU: sku,
  BiosVersion: biosVersion,
  MemorySummary: { TotalSystemMemoryGiB: 64 },
});

const stateOf = (machine: FakeMachine): JsonObject => ({
  PowerState: machine.power,
  IndicatorLED: machine.led,
  Status: { State: 'Enabled', Health: machine.health, HealthRollup: machine.health },
  Boot: machine.shape.bootSettings === null ? bootOf(machine) : {},
  ...(machine.shape.showsProgress && {
    BootProgress: { LastState: machine.power === 'On' ? 'OSRunning' : 'None' },
  }),
});

function linksOf({ shape }: FakeMachine, paths: Paths): JsonObject {
  const { system } = paths;
  const names = ['SecureBoot', 'EthernetInterfaces', 'Processors', 'Storage'];
  const settings = { SettingsObject: link(paths.boot) };
  return {
    // AMI's BMCs have the settings resource but do not link it
    ...(paths.boot.endsWith('/Settings') && { '@Redfish.Settings': settings }),
    ...(paths.bios !== null && { Bios: link(paths.bios) }),
    ...Object.fromEntries(names.map((name) => [name, link(`${system}/${name}`)])),
    ...(shape.simpleStorage && { SimpleStorage: link(`${system}/SimpleStorage`) }),
    ...(shape.mediaAt === 'system' && { VirtualMedia: link(paths.media) }),
    Links: {
      Chassis: [link(paths.chassis)],
      [shape.managersIn]: [link(paths.manager)],
      ...(shape.oem === 'Dell' && {
        Oem: { Dell: { DellRaidService: link(`${system}/Oem/Dell/DellRaidService`) } },
      }),
    },
    Actions: { '#ComputerSystem.Reset': resetOf(shape, system) },
  };
}

const resetOf = ({ resets, resetsIn }: FakeMachine['shape'], system: string): JsonObject => ({
  target: `${system}/Actions/ComputerSystem.Reset`,
  ...(resetsIn === 'action' && { 'ResetType@Redfish.AllowableValues': resets }),
  ...(resetsIn === 'ActionInfo' && { '@Redfish.ActionInfo': `${system}/ResetActionInfo` }),
});

function bootOf({ shape, boot }: FakeMachine): JsonObject {
  const { BootSourceOverrideMode, HttpBootUri, ...always } = boot;
  return {
    'BootSourceOverrideTarget@Redfish.AllowableValues': shape.targets,
    ...always,
    ...(shape.bootMode !== 'hidden' && { BootSourceOverrideMode }),
    ...(shape.hasHttpBootUri && { HttpBootUri }),
  };
}

function mediaResources({ machine, paths: { media } }: ResourceSurroundings): Resources {
  const { shape } = machine;
  const slots = Object.entries(shape.media).map(([slot, types]) => {
    const at = `${media}/${slot}`;
    const { image, inserted } = machine.media[slot] ?? { image: null, inserted: false };
    const takesActions = shape.mediaBy === 'action' && !shape.slotsForConsole.includes(slot);
    const actions = ['InsertMedia', 'EjectMedia'].map((name): [string, JsonObject] => [
      `#VirtualMedia.${name}`,
      { target: `${at}/Actions/VirtualMedia.${name}` },
    ]);
    return [
      at,
      {
        '@odata.type': typeOf('VirtualMedia'),
        Id: slot,
        Name: slot,
        MediaTypes: types,
        Image: image,
        Inserted: inserted,
        ConnectedVia: inserted ? 'URI' : 'NotConnected',
        WriteProtected: true,
        Actions: takesActions ? Object.fromEntries(actions) : {},
      },
    ] as const;
  });
  if (shape.mediaBy === 'IsoConfig') return isoResources(machine, media, Object.fromEntries(slots));
  return {
    [media]: collection(
      'VirtualMedia',
      slots.map(([at]) => at),
    ),
    ...Object.fromEntries(slots),
  };
}
