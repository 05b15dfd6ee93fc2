// Which declarations the reference page of #plugin-api shows.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import * as api from '#plugin-api';
import { declarationsIn, typesIn } from '../../../daemon/docs/declarations.ts';
import { pluginApiPage } from '../../../daemon/docs/plugin-api-page.ts';
import { interfaceTypes } from '../../../daemon/model/machine/interface-types.ts';

const page = pluginApiPage();

/** Types that the page does not declare, because plugins neither write them nor read their members. */
const unexplained = new Set([
  'Conversation',
  'FaultCode',
  'FaultKind',
  'FaultParameters',
  'Field',
  'Learnt',
  'ParametersOf',
  'Patience',
  'Remedies',
]);

const index = new URL('../../../daemon/plugin-api/index.ts', import.meta.url);

const isDeclared = (name: string): boolean =>
  new RegExp(`^(?:async )?(?:interface|type|function|class|const) ${name}\\b`, 'm').test(page);

test('the page declares every value and every type that #plugin-api exports, except PLUGIN_API_VERSION', () => {
  const source = readFileSync(index, 'utf8');
  const passedOn = [...source.matchAll(/\{([^}]*)\}/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.replace('type ', '').trim()),
  );
  const own = [...source.matchAll(/export (?:type )?\* from '(.*)'/g)].flatMap(([, file = '']) =>
    [...readFileSync(new URL(file, index), 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm)].map(
      ([, name = '']) => name,
    ),
  );
  const names = [...Object.keys(api), ...passedOn, ...own].filter(
    (name) => name !== '' && name !== 'PLUGIN_API_VERSION',
  );
  assert.ok(names.length > 150, String(names.length));
  assert.deepEqual(
    names.filter((name) => !isDeclared(name)),
    [],
  );
});

test('the page declares every type of the project that its declarations name, except those that no plugin needs', () => {
  const code = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, text = '']) => text).join('\n');
  const cwd = path.join(import.meta.dirname, '../../..');
  const exported = new Set(
    globSync('{daemon,plugins}/**/*.ts', { cwd })
      .map((file) => readFileSync(path.join(cwd, file), 'utf8'))
      .flatMap((source) => [...source.matchAll(/^export (?:interface|type|class) (\w+)/gm)])
      .map(([, name = '']) => name),
  );
  const used = new Set(typesIn(code));
  assert.ok(used.has('SensorUnit') && used.has('JsonObject'), 'typesIn finds types that the page names');
  const undeclared = [...used].filter(
    (name) => exported.has(name) && !isDeclared(name) && !unexplained.has(name),
  );
  assert.deepEqual(undeclared, []);
});

test('the page shows every group of entry points, and neither function bodies nor private members', () => {
  const code = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, text = '']) => text).join('\n');
  assert.doesNotMatch(code, /^\s*return |#\w+\(|^ {2}private /m);
  const groups = [
    ...interfaceTypes.map((type) => `ironic.hardware.interfaces.${type}`),
    'ironic.inspection.hooks',
    'ironic.drivers',
  ];
  for (const group of groups) assert.ok(page.includes(`\`entryPoints.${group}\``), group);
});

test('declarationsIn returns each declaration with its comment and its members', () => {
  const lines = [
    "import type { Kind } from './kind.ts';",
    '/** Adds. */',
    'export declare function add(one: number): number;',
    'export declare class Sum {',
    '    #private;',
    '    /** So far. */',
    '    readonly total: number;',
    '}',
    'interface Hidden {',
    '}',
    'export {};',
    '',
  ];
  assert.deepEqual(
    declarationsIn('sum.ts', new Map([['sum.ts', lines]])).map(({ name, text }) => [name, text]),
    [
      ['add', '/** Adds. */\nfunction add(one: number): number;'],
      ['Sum', 'class Sum {\n    /** So far. */\n    readonly total: number;\n}'],
      ['Hidden', 'interface Hidden {\n}'],
    ],
  );
});
