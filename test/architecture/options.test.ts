// No option is left that nobody has tried and nobody can find a reason for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTreeSections } from '../../daemon/plugin-host/configured-plugins.ts';
import { coreSource } from '../../daemon/config/sections/core-sections.ts';
import {
  allOptions,
  environmentVariable,
  label,
  mergeSections,
  type Option,
} from '../../daemon/config/options.ts';
import { type SourceFile, sourceFiles } from './source-tree.ts';

// the reference is generated from the options, so it names them all
const GENERATED = 'daemon/docs/configuration.md';
const OWN = 'test/architecture/options.test.ts';

const tells = ({ path }: SourceFile) =>
  path !== GENERATED && path !== OWN && /^(?:test|systemd)\/|^README\.md$|^daemon\/docs\/.*\.md$/.test(path);

/**
 * Returns the options that no file names. `default_..._interface` and `..._delay` name each option that begins and ends so; a
 * variable of the environment names its option.
 */
function unnamed(options: readonly Option[], texts: readonly string[]): readonly string[] {
  const words = new Set(texts.flatMap((text) => text.match(/[A-Za-z]\w*/g) ?? []));
  const families = new Set(texts.flatMap((text) => text.match(/(?:[a-z]\w*_)?\.{3}_[a-z]\w*/g) ?? []));
  const pairs = [...families].map((family) => family.split('...'));
  return options
    .filter(
      ({ name }) => !pairs.some(([start, end]) => name.startsWith(start ?? '') && name.endsWith(end ?? '')),
    )
    .filter((option) => !words.has(option.name) && !words.has(environmentVariable(option)))
    .map(label);
}

const anyMachine = { hostname: 'edge-1', address: '192.0.2.10', workingDirectory: '/' };
const option = (name: string): Option => ({
  section: 'acme',
  name,
  schema: { type: 'boolean' },
  declaredBy: 'plugin acme',
});

test('a test or a page that an operator reads names each option', () => {
  const options = allOptions(mergeSections([coreSource(anyMachine), ...inTreeSections()]));
  assert.ok(options.length > 200, `only ${options.length} options were read`);
  const texts = sourceFiles()
    .filter(tells)
    .map(({ text }) => text);
  assert.deepEqual(
    unnamed(options, texts),
    [],
    'test its effect, say on a page why it is there, or remove it',
  );
});

test('an option is found by its name, its variable or its family, and an option that nothing names is reported', () => {
  const options = ['port', 'boot_delay', 'user_name', 'host'].map(option);
  assert.deepEqual(unnamed(options, ['`[acme] port`', '`..._delay`', 'IRONIC_ACME__USER_NAME=a']), [
    '[acme] host',
  ]);
  assert.deepEqual(unnamed(options, ['`ports`', 'boot_...', '...options', '`..._names`']).length, 4);
});
