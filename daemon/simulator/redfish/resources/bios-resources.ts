// The BIOS of the simulated machine: its settings, the settings that wait for a boot, and their registry.
import type { JsonObject } from '../../../model/json.ts';
import type { FakeMachine } from '../machine.ts';
import { collection, link, typeOf } from './odata.ts';
import { type Paths, ROOT } from './paths.ts';

export function biosResources(
  machine: FakeMachine,
  { bios, biosSettings }: Paths,
): Readonly<Record<string, JsonObject>> {
  if (bios === null) return {};
  const { attributes, attributesWanted, shape } = machine;
  const settings = { SupportedApplyTimes: ['OnReset', 'Immediate'], SettingsObject: link(biosSettings) };
  return {
    [bios]: {
      '@odata.type': typeOf('Bios'),
      Id: shape.bios ?? '',
      Name: 'BIOS',
      AttributeRegistry: 'BiosAttributeRegistry.v1_0_0',
      Attributes: attributes,
      ...(shape.linksBiosSettings && { '@Redfish.Settings': settings }),
      Actions: { '#Bios.ResetBios': { target: `${bios}/Actions/Bios.ResetBios` } },
    },
    [biosSettings]: {
      '@odata.type': typeOf('Bios'),
      Id: shape.biosSettings,
      Name: 'Pending',
      Attributes: shape.biosPending === 'all' ? { ...attributes, ...attributesWanted } : attributesWanted,
    },
    [`${ROOT}/Registries`]: collection('MessageRegistryFile', [REGISTRY_FILE]),
    [REGISTRY_FILE]: {
      '@odata.type': typeOf('MessageRegistryFile'),
      Id: 'BiosAttributeRegistry.v1_0_0',
      Name: 'BIOS Attribute Registry File',
      Languages: ['en'],
      Registry: 'BiosAttributeRegistry.1.0',
      Location: [{ Language: 'en', Uri: REGISTRY }],
    },
    [REGISTRY]: {
      '@odata.type': typeOf('AttributeRegistry'),
      Id: 'BiosAttributeRegistry.v1_0_0',
      Name: 'BIOS Attribute Registry',
      Language: 'en',
      OwningEntity: 'Contoso',
      RegistryVersion: '1.0.0',
      RegistryEntries: { Attributes: REGISTRY_ENTRIES },
    },
  };
}

const REGISTRY_FILE = `${ROOT}/Registries/BiosAttributeRegistry.v1_0_0`;
const REGISTRY = `${REGISTRY_FILE}/en.json`;

const choice = (name: string, ...values: readonly string[]): JsonObject => ({
  AttributeName: name,
  Type: 'Enumeration',
  ReadOnly: false,
  ResetRequired: true,
  Value: values.map((value) => ({ ValueName: value, ValueDisplayName: value })),
});

const REGISTRY_ENTRIES: readonly JsonObject[] = [
  { ...choice('BootMode', 'Uefi', 'Bios'), ReadOnly: true },
  choice('ProcVirtualization', 'Enabled', 'Disabled'),
  choice('NumLock', 'On', 'Off'),
  {
    AttributeName: 'AcPwrRcvryUserDelay',
    Type: 'Integer',
    LowerBound: 60,
    UpperBound: 600,
    ResetRequired: true,
  },
  { AttributeName: 'AssetTag', Type: 'String', MinLength: 0, MaxLength: 8, IsSystemUniqueProperty: true },
];
