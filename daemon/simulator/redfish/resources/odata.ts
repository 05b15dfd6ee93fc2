// Links and collections in the form of OData.
import type { Json, JsonObject } from '../../../model/json.ts';

export const link = (path: string): JsonObject => ({ '@odata.id': path });

/** The version of each schema that the simulated BMC follows. */
const versions = {
  AccountService: 'v1_7_0',
  ActionInfo: 'v1_1_0',
  AttributeRegistry: 'v1_3_0',
  Bios: 'v1_1_0',
  Chassis: 'v1_14_0',
  ComputerSystem: 'v1_16_0',
  Drive: 'v1_12_0',
  EthernetInterface: 'v1_6_0',
  EventDestination: 'v1_9_0',
  EventService: 'v1_7_0',
  Manager: 'v1_10_0',
  ManagerAccount: 'v1_6_0',
  MessageRegistryFile: 'v1_1_0',
  NetworkAdapter: 'v1_5_0',
  Port: 'v1_8_0',
  Power: 'v1_6_0',
  Processor: 'v1_10_0',
  SecureBoot: 'v1_1_0',
  Sensor: 'v1_1_0',
  ServiceRoot: 'v1_9_0',
  Session: 'v1_3_0',
  SessionService: 'v1_1_0',
  SimpleStorage: 'v1_3_0',
  Storage: 'v1_9_0',
  StorageController: 'v1_2_0',
  Task: 'v1_5_0',
  TaskService: 'v1_2_0',
  Thermal: 'v1_6_0',
  UpdateService: 'v1_8_0',
  VirtualMedia: 'v1_4_0',
  Volume: 'v1_5_0',
} as const;

export const typeOf = (kind: keyof typeof versions): string => `#${kind}.${versions[kind]}.${kind}`;

/**
 * Returns the members of an array inside a resource, each with its own path and MemberId. `path`: the path of the array, as in
 * `/x/Thermal#/Fans`.
 */
export const contained = (path: string, members: readonly JsonObject[]): readonly JsonObject[] =>
  members.map((member, index) => ({ '@odata.id': `${path}/${index}`, MemberId: String(index), ...member }));

export function collection(kind: string, members: readonly string[]): JsonObject {
  return {
    '@odata.type': `#${kind}Collection.${kind}Collection`,
    Name: kind,
    'Members@odata.count': members.length,
    Members: members.map(link),
  };
}

export const textOr = (value: Json | undefined, otherwise = ''): string =>
  typeof value === 'string' ? value : otherwise;
