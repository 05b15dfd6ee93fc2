// Checks manifests of in-tree plugins against their code and each other.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { interfaceTypes } from '../../daemon/model/machine/interface-types.ts';

interface Manifest {
  readonly name: string;
  readonly entryPoints?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly hardwareTypes?: Readonly<Record<string, HardwareType>>;
}
interface HardwareType {
  readonly extends?: string;
  readonly supported: Readonly<Record<string, readonly string[]>>;
}

const plugins = new URL('../../plugins/', import.meta.url);
const folders = readdirSync(plugins);
const folderUrl = (folder: string) => new URL(`${folder}/`, plugins);
const manifests = folders.map(
  (folder) => JSON.parse(readFileSync(new URL('plugin.json', folderUrl(folder)), 'utf8')) as Manifest,
);
const hardwareTypes = Object.assign({}, ...manifests.map((manifest) => manifest.hardwareTypes)) as Readonly<
  Record<string, HardwareType>
>;
const hasInterface = (type: string, name: string) =>
  manifests.some(
    ({ entryPoints }) => entryPoints?.[`ironic.hardware.interfaces.${type}`]?.[name] !== undefined,
  );

function supported(name: string, type: string): readonly string[] {
  const hardwareType = hardwareTypes[name];
  assert.ok(hardwareType, `hardware type ${name}`);
  const inherited = () => (hardwareType.extends === undefined ? [] : supported(hardwareType.extends, type));
  return (
    hardwareType.supported[type]?.flatMap((item) => (item === '...' ? inherited() : [item])) ?? inherited()
  );
}

test("a manifest's name is the name of its folder", () => {
  assert.deepEqual(
    manifests.map(({ name }) => name),
    folders,
  );
});

test("each manifest names the schema's file, for editors", () => {
  for (const folder of folders) {
    const url = new URL('plugin.json', folderUrl(folder));
    const { $schema = '' } = JSON.parse(readFileSync(url, 'utf8')) as { $schema?: string };
    assert.match(readFileSync(new URL($schema, url), 'utf8'), /"title": "plugin\.json/, folder);
  }
});

for (const manifest of manifests) {
  for (const [group, entries] of Object.entries(manifest.entryPoints ?? {})) {
    for (const [name, target] of Object.entries(entries)) {
      test(`the entry point ${group} ${name} of ${manifest.name} names an export that exists`, async () => {
        const [file = '', exportName = ''] = target.split(':');
        const module = (await import(new URL(file, folderUrl(manifest.name)).href)) as Record<
          string,
          unknown
        >;
        assert.notEqual(module[exportName], undefined);
      });
    }
  }
}

test('a hardware type names only interfaces that exist', () => {
  for (const name of Object.keys(hardwareTypes)) {
    for (const type of interfaceTypes) {
      for (const choice of supported(name, type))
        assert.ok(hasInterface(type, choice), `${name}: ${type} ${choice}`);
    }
  }
});

test('fake-hardware and manual-management support every interface type', () => {
  for (const name of ['fake-hardware', 'manual-management']) {
    for (const type of interfaceTypes) assert.ok(supported(name, type).length > 0, `${name}: ${type}`);
  }
});

test('generic itself supports no power or management interface, and it prefers agent inspection', () => {
  assert.deepEqual(supported('generic', 'power'), []);
  assert.deepEqual(supported('generic', 'management'), []);
  assert.deepEqual(supported('generic', 'inspect'), ['agent', 'inspector', 'no-inspect']);
});

test('fake-hardware prefers fake interfaces, and noop for storage and network', () => {
  const first = Object.fromEntries(interfaceTypes.map((type) => [type, supported('fake-hardware', type)[0]]));
  const { network, storage, ...others } = first;
  assert.deepEqual({ network, storage }, { network: 'noop', storage: 'noop' });
  assert.deepEqual(new Set(Object.values(others)), new Set(['fake']));
});
