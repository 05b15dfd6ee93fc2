// One exported name has one meaning: who searches for a name finds the one thing that it stands for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SourceFile, sourceFiles } from './source-tree.ts';

const OPERATION =
  'an operation of a driver interface: the contract of plugins gives it its name, for those who call it and those who do it';
const NO_SHARING = 'the same thing, in plugins, which import nothing from each other or from the daemon';
const DECLARED = 'declares a value of this kind: of an option, or of the contract of plugins';

/** The names that several files export, each with the reason: all of these files mean one concept. */
const oneConcept: Readonly<Record<string, string>> = {
  supportedBootDevices: OPERATION,
  getBootDevice: OPERATION,
  setBootDevice: OPERATION,
  setBootMode: OPERATION,
  setSecureBoot: OPERATION,
  listIndicators: OPERATION,
  listVirtualMedia: OPERATION,
  attachVirtualMedia: OPERATION,
  detachVirtualMedia: OPERATION,
  readSensors: OPERATION,
  accepting: NO_SHARING,
  connectionProperties: NO_SHARING,
  objectsIn: NO_SHARING,
  text: DECLARED,
  flag: DECLARED,
  seconds: DECLARED,
};

/** The names of these rooms are compared with those of all others, but not among themselves. */
const APART = /^daemon\/(?:plugin-host|plugin-kit|plugin-api|http)\//;

const EXPORTED = /^export (?:abstract |async |declare )*(?:type|interface|class|const|function\*?) +(\w+)/gm;

/** Returns `NAME: FILE, FILE` for each name that several files declare and export. Overloads in one file count once. */
function sharedNames(files: readonly SourceFile[]): readonly string[] {
  const exported = files.flatMap(({ path, text }) => {
    const names = new Set(text.matchAll(EXPORTED).map(([, name = '']) => name));
    return [...names].map((name) => ({ name, path }));
  });
  return [...Map.groupBy(exported, ({ name }) => name)]
    .map(([name, found]) => ({ name, paths: found.map(({ path }) => path) }))
    .filter(
      ({ name, paths }) =>
        paths.length > 1 && oneConcept[name] === undefined && !paths.every((path) => APART.test(path)),
    )
    .map(({ name, paths }) => `${name}: ${paths.join(', ')}`);
}

test('no two files export one name with different meanings', () => {
  const files = sourceFiles().filter(({ path }) => path.endsWith('.ts') && !path.startsWith('test/'));
  assert.ok(files.length > 1000, `only ${files.length} files were read`);
  assert.deepEqual(sharedNames(files), [], 'rename the less central one to what it is');
});

const file = (path: string, text: string): SourceFile => ({ path, text });

test('a name in two files is found, with both; overloads, local names and names of one concept are not', () => {
  const files = [
    file('daemon/boot/a.ts', 'export interface Site {}\nexport const readSensors = 1;\ninterface Own {}\n'),
    file('daemon/ui/b.ts', 'export type Site = 1;\nexport const readSensors = 2;\nexport interface Own {}\n'),
    file('daemon/ui/c.ts', 'export function twice(): void;\nexport function twice() {}\n'),
    file('daemon/http/d.ts', 'export class Room {}\nexport class Origin {}\n'),
    file('daemon/plugin-host/e.ts', 'export class Room {}\n'),
    file('daemon/db/f.ts', 'export abstract class Origin {}\n'),
  ];
  assert.deepEqual(sharedNames(files), [
    'Site: daemon/boot/a.ts, daemon/ui/b.ts',
    'Origin: daemon/http/d.ts, daemon/db/f.ts',
  ]);
});
