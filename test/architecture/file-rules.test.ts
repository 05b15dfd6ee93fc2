// Every file keeps the file rules, and each rule refuses its bad examples.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileRules } from './file-rules.ts';
import { sourceFiles, topLevelEntries } from './source-tree.ts';

const files = sourceFiles();

for (const { law, breaches } of fileRules) {
  test(`every file keeps the rule: ${law}`, () => {
    assert.deepEqual(
      files.flatMap((file) => breaches(file).map((breach) => `${file.path}: ${breach}`)),
      [],
    );
  });
}

interface Example {
  readonly law: RegExp;
  readonly path?: string;
  readonly bad: readonly string[];
  readonly good: readonly string[];
}

const examples: readonly Example[] = [
  {
    law: /no mutable state/,
    bad: ['let cache = 1;', 'export let cache: string | undefined;', 'var x;'],
    good: ['const a = () => {\n  let b = 1;\n};', 'for (let i = 0; i < 3; i++) a();', 'const a = `let`;'],
  },
  {
    law: /opens with what it is for/,
    bad: ['', 'const a = 1;', '/* a block */', '\n// late', '// 1\n// 2\n// 3\n// 4\n'],
    good: [
      '// What it is for.\nconst a = 1;',
      '#!/usr/bin/env node\n// What it is for.\n',
      '// 1\n// 2\n// 3\n',
    ],
  },
  {
    law: /SQL stays/,
    path: 'daemon/conductor/a.ts',
    bad: [
      `db.prepare('SELECT uuid FROM nodes');`,
      'db.prepare(`\n  SELECT *\n  FROM nodes WHERE a = ${b}`);',
      `run('INSERT INTO nodes VALUES (1)');`,
      `run('INSERT OR IGNORE INTO nodes VALUES (1)');`,
      `run("UPDATE nodes SET name = 'x'");`,
      `run('DELETE FROM nodes');`,
      `run('CREATE TABLE nodes (uuid TEXT)');`,
      `run('PRAGMA user_version');`,
      `run('BEGIN IMMEDIATE');`,
    ],
    good: [
      `// SELECT uuid FROM nodes`,
      `const method = 'DELETE';`,
      `const text = 'Select one of the nodes from the list';`,
      `const text = 'UPDATE of the node';`,
    ],
  },
  {
    law: /nothing is left for later/,
    path: 'daemon/docs/a.md',
    bad: ['TODO: write', 'a FIXME b', '/* XXX */'],
    good: ['todo', 'AUTODOC', 'XXXL'],
  },
  {
    law: /no path that only one machine has/,
    path: '.ci/run',
    bad: ['cd /work/main', `'/root/.ssh'`],
    good: ['test/work/main', 'https://example.org/root/x', '/usr/share'],
  },
];

for (const { law, path = 'daemon/lib/a.ts', bad, good } of examples) {
  test(`the rule ${law.source} refuses its bad examples and accepts its good ones`, () => {
    const rule = fileRules.find((each) => law.test(each.law));
    assert.ok(rule !== undefined);
    for (const text of bad) assert.notEqual(rule.breaches({ path, text }).length, 0, `accepted: ${text}`);
    for (const text of good) assert.deepEqual(rule.breaches({ path, text }), [], `refused: ${text}`);
  });
}

test('meaningless names of files and folders are refused and domain terms are accepted', () => {
  const rule = fileRules.find(({ law }) => law.includes('named after'));
  const problemsOf = (path: string) => rule?.breaches({ path, text: '' }).length;
  const bad = [
    'daemon/lib/utils.ts',
    'daemon/node-utils.ts',
    'daemon/lib/string-helper.ts',
    'daemon/helpers/a.ts',
    'daemon/common.ts',
    'daemon/misc/a.sql',
    'daemon/node-manager.ts',
    'daemon/power-impl.ts',
    'daemon/data.ts',
    'daemon/info/a.ts',
    'test/Utils.test.ts',
  ];
  for (const path of bad) assert.equal(problemsOf(path), 1, path);
  for (const path of [
    'daemon/db/tables/plugin-data.ts',
    'daemon/plugin-api/driver-info.ts',
    'plugins/management.ts',
  ])
    assert.equal(problemsOf(path), 0, path);
});

test('SQL is allowed in tests and in tables/, copies/, open.ts and migrate.ts of daemon/db, but not in columns.ts', () => {
  const rule = fileRules.find(({ law }) => law.includes('SQL'));
  const text = `run('DELETE FROM nodes');`;
  for (const path of [
    'daemon/db/tables/nodes.ts',
    'daemon/db/copies/restore.ts',
    'daemon/db/open.ts',
    'daemon/db/migrate.ts',
    'test/daemon/a.test.ts',
  ])
    assert.deepEqual(rule?.breaches({ path, text }), [], path);
  assert.equal(rule?.breaches({ path: 'daemon/db/database.ts', text }).length, 1);
});

test('the top level contains only known entries and dot-files', () => {
  const known = new Set([
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'daemon',
    'plugins',
    'pxe-filter',
    'ramdisk-callback',
    'systemd',
    'test',
  ]);
  assert.deepEqual(
    topLevelEntries().filter((name) => !known.has(name) && !name.startsWith('.')),
    [],
  );
});
