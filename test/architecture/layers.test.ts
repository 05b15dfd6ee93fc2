// Every file keeps to the import table, and `forbiddenImports` reports each import that the table does not allow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf } from './imports.ts';
import { forbiddenImports, layers, layersAsMarkdown, strangeRooms, unusedGrants } from './layers.ts';
import { sourceFiles } from './source-tree.ts';

const problemsOf = (path: string, ...lines: readonly string[]) =>
  forbiddenImports({ path, text: lines.join('\n') });
const accepts = (path: string, ...lines: readonly string[]) =>
  assert.deepEqual(problemsOf(path, ...lines), []);
const refuses = (path: string, line: string, because: RegExp) => {
  const problems = problemsOf(path, line);
  assert.equal(problems.length, 1, `${path}: ${line} gave ${JSON.stringify(problems)}`);
  assert.match(problems[0] ?? '', because);
};

test('every import of every file keeps to the table', () => {
  const files = sourceFiles().filter(({ path }) => path.endsWith('.ts'));
  assert.ok(files.length > 20, `only ${files.length} files were read`);
  assert.deepEqual(
    files.flatMap((file) => forbiddenImports(file).map((problem) => `${file.path}: ${problem}`)),
    [],
  );
});

test('every grant of the table is used', () => {
  assert.deepEqual(unusedGrants(sourceFiles().filter(({ path }) => path.endsWith('.ts'))), []);
});

test('every folder of a layer with rooms is a room, and every room exists', () => {
  const files = sourceFiles();
  assert.deepEqual(strangeRooms(files), []);
  const strange = { path: 'daemon/conductor/attic/a.ts', text: '' };
  assert.deepEqual(strangeRooms([...files, strange]), ['conductor: attic']);
  const withoutLoops = files.filter(({ path }) => !path.startsWith('daemon/conductor/loops/'));
  assert.deepEqual(strangeRooms(withoutLoops), ['conductor: loops']);
});

test('a room may import only rooms below it, and no room the files that put the rooms together', () => {
  const above = /tasks may import limits.ts, bmcs, timeline of conductor, not flows/;
  refuses('daemon/conductor/tasks/task.ts', `import { x } from '../flows/steps/x.ts';`, above);
  refuses('daemon/conductor/tasks/task.ts', `import type { X } from '../services.ts';`, /not services\.ts/);
  refuses('daemon/ui/read/x.ts', `import type { X } from '../views/node/x.ts';`, /not views/);
  accepts('daemon/conductor/flows/steps/x.ts', `import { x } from '../../tasks/task.ts';`);
  accepts('daemon/conductor/flows/steps/x.ts', `import { x } from '../phases/x.ts';`);
  accepts('daemon/conductor/plugin-task.ts', `import { x } from './loops/x.ts';`, `import './services.ts';`);
  accepts('daemon/ui/forms/x.ts', `import type { X } from '../site.ts';`);
});

// daemon/api and ramdisk-callback hand daemon/http the facts about resources as data and functions
test('daemon/http imports no module of the model or the conductor that knows a resource', () => {
  const foreign =
    /model\/records\/(?!fields\.ts|field-validator\.ts)|model\/(?:states|steps|rules|machine)\/|conductor\/(?!services\.ts|records\/storable-record\.ts)/;
  const found = sourceFiles()
    .filter(({ path }) => path.startsWith('daemon/http/'))
    .flatMap(({ path, text }) => importsOf(text).map(({ specifier }) => `${path}: ${specifier}`));
  assert.ok(found.length > 50);
  assert.deepEqual(
    found.filter((each) => foreign.test(each)),
    [],
  );
});

test('the table lets a layer import and load only layers of the rows above its own', () => {
  for (const [index, { name, imports, loads = [] }] of layers.entries()) {
    const above = new Set(layers.slice(0, index).map((layer) => layer.name));
    const named = [...(imports === 'anything' ? [] : imports), ...loads];
    assert.deepEqual(
      named.filter((other) => !above.has(other)),
      [],
      name,
    );
  }
});

test('imports in every syntactic form are found', () => {
  const forms = [
    `import { x } from '../db/open.ts';`,
    `import type { X } from '../db/open.ts';`,
    `import * as x from "../db/open.ts";`,
    `import '../db/open.ts';`,
    `export { x } from '../db/open.ts';`,
    `export * from '../db/open.ts';`,
    `export type { X } from '../db/open.ts';`,
    `const x = await import('../db/open.ts');`,
    'const x = await import(`../db/open.ts`);',
    `type X = import('../db/open.ts').X;`,
    'const x = `${a} ${await import("../db/open.ts")} ${b}`;',
    `const x = a / (await import('../db/open.ts')).b / c;`,
    `import {\n  x,\n  from,\n} from '../db/open.ts';`,
    `const quote = /['"\`]/;\nimport '../db/open.ts';`,
  ];
  for (const form of forms) refuses('daemon/lib/mac.ts', form, /lib may import nothing, not db/);
});

test('text that only looks like an import is ignored', () => {
  accepts(
    'daemon/lib/mac.ts',
    `// import x from '../db/open.ts';`,
    `/* import '../db/open.ts' */`,
    `const a = "import x from '../db/open.ts'";`,
    'const b = `\nimport x from "../db/open.ts";\n${a}\nimport "../db/open.ts";\n`;',
    `const c = object.from('../db/open.ts');`,
    `const d = import.meta.url;`,
    `const e = /import '..\\/db\\/open.ts'/;`,
  );
});

test('the model may import lib, but neither the conductor nor an npm package', () => {
  accepts(
    'daemon/model/records/node.ts',
    `import { parseMac } from '../../lib/mac.ts';`,
    `import fs from 'node:fs';`,
  );
  refuses(
    'daemon/model/records/node.ts',
    `import { run } from '../../conductor/run.ts';`,
    /model may import lib, not conductor/,
  );
  refuses('daemon/model/records/node.ts', `import { Hono } from 'hono';`, /model may use nothing/);
});

test('only the database layer may use better-sqlite3', () => {
  accepts('daemon/db/open.ts', `import Database from 'better-sqlite3';`);
  for (const path of ['daemon/conductor/a.ts', 'daemon/main.ts', 'plugins/fake/power.ts'])
    refuses(path, `import Database from 'better-sqlite3';`, /may use/);
});

test('the API may not import plugins, the plugin host, sockets or child processes', () => {
  refuses(
    'daemon/http/app.ts',
    `import type { Registry } from '../plugin-host/registry.ts';`,
    /not plugin-host/,
  );
  refuses('daemon/api/routes/nodes.ts', `import '../../../plugins/ipmi/power.ts';`, /not plugins/);
  for (const name of ['node:net', 'node:dgram', 'node:child_process'])
    refuses('daemon/http/app.ts', `import * as x from '${name}';`, /never uses/);
  accepts(
    'daemon/http/app.ts',
    `import { randomUUID } from 'node:crypto';`,
    `import { Hono } from 'hono/tiny';`,
  );
});

test('a plugin may import only #plugin-api, modules of Node.js and its own folder', () => {
  accepts(
    'plugins/ipmi/power.ts',
    `import { definePower } from '#plugin-api';`,
    `import { execFile } from 'node:child_process';`,
    `import { run } from './ipmitool.ts';`,
    `import { parse } from './wire/parse.ts';`,
  );
  accepts('plugins/ipmi/wire/parse.ts', `import { run } from '../ipmitool.ts';`);
  refuses('plugins/ipmi/power.ts', `import { x } from '../redfish/power.ts';`, /its own folder/);
  refuses('plugins/ipmi/power.ts', `import { x } from '../ipmi-extra/power.ts';`, /its own folder/);
  refuses('plugins/ipmi/power.ts', `import { x } from '../../daemon/plugin-api/task.ts';`, /its own folder/);
  refuses('plugins/ipmi/power.ts', `import pino from 'pino';`, /plugins may use #plugin-api/);
});

test('#plugin-api counts as the plugin-api layer outside plugins', () => {
  accepts('daemon/conductor/a.ts', `import type { Task } from '#plugin-api';`);
  refuses('daemon/http/app.ts', `import type { Task } from '#plugin-api';`, /not plugin-api/);
});

test('only the command line loads main at run time and only tests import it', () => {
  accepts('daemon/cli/serve.ts', `const { serve } = await import('../main.ts');`);
  refuses('daemon/cli/serve.ts', `import { serve } from '../main.ts';`, /load main by import/);
  refuses('daemon/http/app.ts', `const x = await import('../main.ts');`, /not main/);
  accepts('test/daemon/main.test.ts', `import { serve } from '../../daemon/main.ts';`);
});

test('only tests may import tests', () => {
  refuses('daemon/main.ts', `import { bmc } from '../test/fakes/bmc.ts';`, /not test/);
  accepts('test/interop/a.test.ts', `import { bmc } from '../fakes/bmc.ts';`, `import fc from 'fast-check';`);
});

test('a module of Node.js must be imported by its node: name', () => {
  refuses('daemon/lib/mac.ts', `import fs from 'fs';`, /lib may use pino/);
});

test('a file outside every layer is refused, and so is an import of such a file', () => {
  assert.match(problemsOf('daemon/attic/x.ts', '').join(), /belongs to no layer/);
  refuses('daemon/conductor/a.ts', `import '../attic/x.ts';`, /daemon\/attic\/x.ts belongs to no layer/);
});

test('the table in Markdown has a row for each layer, and all its rows are equally long', () => {
  const rows = layersAsMarkdown().split('\n');
  assert.equal(rows.length, layers.length + 2);
  assert.equal(new Set(rows.map((row) => row.length)).size, 1);
});
