// The registry of a BIOS: the type and the allowed values of each setting.
import type { BiosSettingSeen, JsonObject } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { numberIn, objectIn, objectsIn, pathIn, textIn } from '../bmc/fields.ts';

export type BiosRegistry = Readonly<Record<string, Omit<BiosSettingSeen, 'name' | 'value'>>>;

const REGISTRY = 'the registry of the BIOS settings, with their types and allowed values';

/** Returns an empty object when the BIOS names no registry, or the BMC does not show it; `unread` then says so. */
export async function readRegistry(bmc: Bmc, bios: JsonObject): Promise<BiosRegistry> {
  const name = textIn(bios['AttributeRegistry']);
  if (name === undefined) return {};
  const before = bmc.unread.length;
  const found = await bmc.known(`BIOS registry ${name}`, () =>
    bmc.optional(REGISTRY, async () => {
      const file = await registryFile(bmc, name);
      const uri = file && englishUri(file);
      const registry = uri === undefined ? undefined : await bmc.find(uri);
      return registry && entriesIn(registry);
    }),
  );
  if (found === undefined && bmc.unread.length === before)
    bmc.unread.push(`${REGISTRY}: the BMC does not have ${name}`);
  return found ?? {};
}

async function registryFile(bmc: Bmc, name: string): Promise<JsonObject | undefined> {
  const path = pathIn((await bmc.root())['Registries']) ?? `${bmc.rootPath}/Registries`;
  const listed = await bmc.optional('the registries', () => bmc.memberPaths(path));
  const paths = listed ?? [`${path}/${encodeURIComponent(name)}`];
  // a BMC lists many registries: those come first whose path ends with the beginning of `name`
  const isLikely = (each: string) => unversioned(name).startsWith(unversioned(each.split('/').at(-1)));
  const others: JsonObject[] = [];
  for (const each of [...paths.filter(isLikely), ...paths.filter((other) => !isLikely(other))]) {
    const file = await bmc.optional(`the registry ${each}`, () => bmc.get(each));
    if (file === undefined) continue;
    if (namesOf(file).includes(name)) return file;
    others.push(file);
  }
  // the file of some BMCs has an older version than the BIOS names
  return others.find((file) => namesOf(file).map(unversioned).includes(unversioned(name)));
}

const namesOf = ({ Id: id, Registry: registry }: JsonObject): readonly string[] =>
  [id, registry].flatMap((name) => textIn(name) ?? []);

/** The name without a version such as `.v1_0_3` at its end. */
function unversioned(name = ''): string {
  const end = name.lastIndexOf('.v');
  return end === -1 ? name : name.slice(0, end);
}

function englishUri({ Location: locations }: JsonObject): string | undefined {
  const all = objectsIn(locations);
  const english = all.find(({ Language: language }) => textIn(language)?.startsWith('en') === true);
  const uri = (english ?? all[0])?.['Uri'];
  return textIn(uri) ?? pathIn(uri);
}

function entriesIn(registry: JsonObject): BiosRegistry {
  const entries = objectsIn(objectIn(registry['RegistryEntries'])['Attributes']);
  return Object.fromEntries(entries.map((entry) => [textIn(entry['AttributeName']) ?? '', entryOf(entry)]));
}

const entryOf = (entry: JsonObject): BiosRegistry[string] => ({
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
