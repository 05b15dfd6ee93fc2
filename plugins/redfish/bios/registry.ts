// The registry of a BIOS: the type and the allowed values of each setting.
import type { BiosSettingSeen, JsonObject } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { numberIn, objectIn, objectsIn, pathIn, textIn } from '../bmc/fields.ts';

export type Registry = Readonly<Record<string, Omit<BiosSettingSeen, 'name' | 'value'>>>;

/** Returns an empty object when the BMC has no registry, or when the registry itself cannot be read now. */
export async function readRegistry(bmc: Bmc, bios: JsonObject): Promise<Registry> {
  const uri = await bmc.learnt.fact('URI of the BIOS registry', () => registryUri(bmc, bios));
  if (uri === null) return {};
  return bmc.learnt.fact('BIOS registry', async () => entriesIn(await bmc.find(uri))).catch(() => ({}));
}

async function registryUri(bmc: Bmc, bios: JsonObject): Promise<string | null> {
  const name = textIn(bios['AttributeRegistry']);
  const file = name === undefined ? undefined : await registryFile(bmc, name);
  return (file && englishUri(file)) ?? null;
}

async function registryFile(bmc: Bmc, name: string): Promise<JsonObject | undefined> {
  const path = pathIn((await bmc.root())['Registries']) ?? `${bmc.rootPath}/Registries`;
  if ((await bmc.find(path)) === undefined) return undefined;
  const paths = await bmc.memberPaths(path);
  // a BMC lists many registries; on most BMCs the right path ends with `name` or the beginning of `name`, so such paths come first
  const likely = paths.filter((each) => name.startsWith(each.slice(each.lastIndexOf('/') + 1)));
  for (const each of [...likely, ...paths.filter((other) => !likely.includes(other))]) {
    const file = await bmc.find(each);
    if (textIn(file?.['Id']) === name || textIn(file?.['Registry']) === name) return file;
  }
  return undefined;
}

function englishUri({ Location: locations }: JsonObject): string | undefined {
  const all = objectsIn(locations);
  const english = all.find(({ Language: language }) => textIn(language)?.startsWith('en') === true);
  const uri = (english ?? all[0])?.['Uri'];
  return textIn(uri) ?? pathIn(uri);
}

function entriesIn(registry: JsonObject | undefined): Registry {
  const entries = objectsIn(objectIn(registry?.['RegistryEntries'])['Attributes']);
  return Object.fromEntries(entries.map((entry) => [textIn(entry['AttributeName']) ?? '', entryOf(entry)]));
}

const entryOf = (entry: JsonObject): Registry[string] => ({
  attribute_type: textIn(entry['Type']) ?? null,
  allowable_values:
    entry['Type'] === 'Enumeration'
      ? objectsIn(entry['Value']).map(
          (value) => textIn(value['ValueName']) ?? textIn(value['ValueDisplayName']) ?? '',
        )
      : [],
  lower_bound: numberIn(entry['LowerBound']) ?? null,
  upper_bound: numberIn(entry['UpperBound']) ?? null,
  min_length: numberIn(entry['MinLength']) ?? null,
  max_length: numberIn(entry['MaxLength']) ?? null,
  read_only: flagIn(entry['ReadOnly']),
  reset_required: flagIn(entry['ResetRequired']),
  unique: flagIn(entry['IsSystemUniqueProperty']),
});

const flagIn = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);
