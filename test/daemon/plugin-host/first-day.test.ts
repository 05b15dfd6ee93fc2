// What once went wrong for an author who wrote a first plugin from the documentation alone, each with the tests that guard
// against it. A test here fails when one of those tests is removed or gets another title.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { variants } from './broken-variants.ts';
import { waysToHurt } from './isolation/reckless-plugin.ts';

const root = path.join(import.meta.dirname, '../..');
const CHECK = 'daemon/plugin-host/conformance/isolated-check.test.ts';
const FOLDERS = 'daemon/plugin-host/conformance/folder-and-imports.test.ts';
const VARIANTS = 'daemon/plugin-host/broken-variants.ts';
const BROKEN_CODE = 'daemon/plugin-host/broken-code.ts';
const HARM = 'daemon/plugin-host/isolation/ways-to-hurt.test.ts';
const BESIDE = 'daemon/plugin-host/isolation/beside-harm.test.ts';
const HOOKS = 'ramdisk-callback/isolated-hooks.test.ts';
const COMMANDS = 'daemon/cli/plugins';

/** By file: titles of tests, or names of cases in a table of tests. */
type Tests = Readonly<Record<string, readonly string[]>>;

const findings: Readonly<Record<string, Tests>> = {
  'the check blamed a correct plugin whose password is required': {
    [CHECK]: ['finds nothing wrong with a correct plugin whose password is required'],
  },
  'what a hook or rule changed was dropped without a word': {
    [HOOKS]: [
      'a hook in a process changes traits and fields that PATCH may change; secrets that it sees masked are kept',
    ],
    [FOLDERS]: ['a key that a hook sets and the daemon would not store, and suggests the most similar key'],
    'ramdisk-callback/rules/run-rules.test.ts': [
      'traits are added once, and removing a missing trait logs a warning',
    ],
    'daemon/docs/generate.test.ts': [
      'the page of inspection rules has a row for each operator with all its arguments',
    ],
  },
  'the reference of the API had gaps': {
    'daemon/docs/plugin-api-page.test.ts': [
      'the page declares every value and every type that #plugin-api exports, except PLUGIN_API_VERSION',
      'the page declares every type of the project that its declarations name, except unexplainedTypes',
      'the page shows every group of entry points, and neither function bodies nor private members',
    ],
    [`${COMMANDS}/plugin-command.test.ts`]: [
      'show prints the interfaces of a hardware type, those of its base included',
    ],
  },
  'errors did not say where and what': {
    [BROKEN_CODE]: [
      'code with a syntax error',
      'TypeScript that must be compiled',
      'code that throws at import',
    ],
    [VARIANTS]: [
      'an unknown group of entry points',
      'a search path one level too low',
      'a search path one level too high',
    ],
    'daemon/model/faults.test.ts': ['the reason of a failed fetch ends with the reason of its cause'],
  },
  'a loop stopped the daemon and the check': {
    [HARM]: ['loop'],
    [CHECK]: ['an endless loop at the top level', 'an endless loop in validation'],
    [BESIDE]: [
      'SIGTERM stops the daemon cleanly while each of five plugins does a different kind of harm to its process',
    ],
    'daemon/cli/blocked-loop.test.ts': [
      'a plugin that blocks the event loop for too long ends the daemon and is reported',
    ],
  },
  'process.exit ended the daemon, and ended the check as if it had passed': {
    [HARM]: ['exit'],
    [CHECK]: ['process.exit at the top level', 'process.exit in an operation'],
  },
  'a timer kept the check, a stopped daemon and a refused start alive': {
    [CHECK]: ['a timer at the top level'],
    [BESIDE]: [
      'a start that a plugin makes impossible ends with the reason, even if the plugin has left a timer running',
    ],
  },
  'a senseless period became a busy loop, and a getter that throws stopped the start with an error that did not name the plugin':
    {
      [BROKEN_CODE]: ['a period below zero', 'a period that is no number', 'a getter that throws'],
      [CHECK]: ['a getter that throws'],
    },
  'a hook could fill the memory and was not named': {
    [HARM]: ['heap', 'buffers'],
    [HOOKS]: [
      'a hook runs in the process of its plugin: when it crashes or uses too much memory, only that process ends',
      'a hook that ends its process fails the inspection, and works again after a pause',
      'a hook that never ends is stopped with its process, and the API answers meanwhile',
    ],
  },
  'a prototype that one plugin changed was changed for the daemon and all plugins': {
    [BESIDE]: [
      'prototypes that a plugin changes are changed for itself only, not for the daemon or other plugins',
    ],
  },
  'foreign code, foreign imports and circles of hooks were not noticed': {
    [FOLDERS]: [
      'an import of an internal file of the daemon',
      "a plugin's file that every user of the host may change",
      'hooks that depend on each other in a circle',
      'a dependency that no plugin provides, and suggests the hook with the most similar name',
    ],
    'daemon/plugin-host/conformance/broken-variants.test.ts': ['finds code that belongs to another user'],
    [VARIANTS]: ['a folder that every user may change'],
  },
  'unusual files and outputs did harm': {
    [VARIANTS]: ['a manifest that is a pipe', 'code that is a pipe', 'a manifest that cannot be read'],
    [CHECK]: ['reads a manifest that begins with a byte order mark'],
    'daemon/plugin-host/broken-plugins.test.ts': [
      'a copy of the plugin in another folder is set aside, and the plugin works',
    ],
    [BESIDE]: ['what a plugin writes to standard output becomes lines of the log that name the plugin'],
    [HARM]: ['unhandle', 'closeDescriptors'],
  },
  'plugins could not be shipped, replaced or removed with care': {
    'daemon/conductor/drivers/lost-drivers.test.ts': [
      'the log names the nodes whose driver or interface is gone, with the reason',
    ],
    [`${COMMANDS}/reload-command.test.ts`]: [
      'a reload gives later operations the new code and lets running ones end; a reload that fails changes nothing',
    ],
    [`${COMMANDS}/reload-while-inspecting.test.ts`]: [
      'a report whose hooks run during a reload is processed by the old code, and a later report by the new code',
    ],
    [`${COMMANDS}/ship-commands.test.ts`]: [
      'a packed plugin is installed, upgraded and removed, and a daemon uses it',
    ],
    [`${COMMANDS}/plugin-command.test.ts`]: [
      'no file that is shipped with a new plugin names a path of the host',
    ],
  },
};

/** Whether the file has a test, or a case of a table, of this title. */
function hasTest(file: string, title: string): boolean {
  const text = readFileSync(path.join(root, file), 'utf8');
  const quoted = [`'${title}'`, `"${title}"`];
  return text
    .split('\n')
    .map((line) => line.trim())
    .some((line) =>
      quoted.some((name) =>
        [`test(${name}`, `what: ${name}`, `[${name}`, `${name},`].some((start) => line.startsWith(start)),
      ),
    );
}

for (const [finding, tests] of Object.entries(findings))
  test(`the tests that guard against this exist: ${finding}`, () => {
    const missing = Object.entries(tests).flatMap(([file, titles]) =>
      titles.filter((title) => !hasTest(file, title)).map((title) => `${file}: ${title}`),
    );
    assert.deepEqual(missing, []);
  });

test('there are at least 45 ways to break a plugin and 40 to do harm with one, and no two are the same', () => {
  assert.equal(new Set(variants.map(({ what }) => what)).size, variants.length);
  assert.ok(variants.length >= 45, String(variants.length));
  assert.equal(new Set(waysToHurt).size, waysToHurt.length);
  assert.ok(waysToHurt.length >= 40, String(waysToHurt.length));
});
