// The declarations of source files, such as the plugin API's, as the TypeScript compiler writes them: without code.
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { writtenTypes } from './declared-types.ts';

const root = path.join(import.meta.dirname, '../..');
const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
const settings =
  '--ignoreConfig --target esnext --module nodenext --types node --strict --exactOptionalPropertyTypes --skipLibCheck --allowImportingTsExtensions --rootDir . --declaration --emitDeclarationOnly --outDir';

/** The lines of declaration files, by the path of the source file from the root of the project. */
export type DeclarationFiles = ReadonlyMap<string, readonly string[]>;

/** Compiles `files` and what they import. Throws when the compiler reports an error. */
export function compiled(files: readonly string[]): DeclarationFiles {
  const folder = mkdtempSync(path.join(tmpdir(), 'ironic-edge-declarations-'));
  try {
    execFileSync(process.execPath, [compiler, ...settings.split(' '), folder, ...files], { cwd: root });
    const written = globSync('**/*.d.ts', { cwd: folder });
    return new Map(
      written.map((file) => [
        file.replace('.d.ts', '.ts'),
        readFileSync(path.join(folder, file), 'utf8').split('\n'),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface Declaration {
  readonly name: string;
  /** The declaration with its comment. */
  readonly text: string;
  readonly file: string;
}

/** Every declaration begins at the left margin. Its comment, if it has one, comes directly before it. */
export function declarationsIn(file: string, all: DeclarationFiles): readonly Declaration[] {
  const found: Declaration[] = [];
  let comment: string[] = [];
  for (const line of all.get(file) ?? []) {
    const bare = line.replace(/^(?:export )?(?:declare (?!module))?/, '');
    const [, name] = /^(?:interface|type|class|const|function|declare module) ([\w'./]+)/.exec(bare) ?? [];
    if (name !== undefined) {
      found.push({ name, text: [...comment, bare].join('\n'), file });
      comment = [];
    } else if (/^(?:\/\*\*| \*)/.test(line)) comment.push(line);
    else if (/^(?: {4}(?!#private)|\})/.test(line)) found.push(longer(found.pop(), line));
  }
  return found.map((one) => ({ ...one, text: writtenTypes[one.name] ?? one.text }));
}

function longer(last: Declaration | undefined, line: string): Declaration {
  if (last === undefined) throw new Error(`no declaration comes before the line ${line}`);
  return { ...last, text: `${last.text}\n${line}` };
}

/** The declarations that a file exports by name from other files. */
export const passedOn = (file: string, all: DeclarationFiles): readonly Declaration[] =>
  linksOf(file, 'export', all).flatMap(({ from, names }) =>
    names.flatMap((name) => declarationOf(name, from, all) ?? []),
  );

/**
 * Returns the declarations of the types that `declarations` name, and of those that these types name in turn, sorted by name.
 * Leaves out `declarations` and the names in `known`.
 */
export function namedTypes(
  declarations: readonly Declaration[],
  known: Iterable<string>,
  all: DeclarationFiles,
): readonly Declaration[] {
  const seen = new Set([...known, ...declarations.map(({ name }) => name)]);
  const found: Declaration[] = [];
  const waiting = [...declarations];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop())
    for (const name of typesIn(one.text)) {
      const declaration = seen.has(name) ? undefined : declarationOf(name, one.file, all);
      seen.add(name);
      if (declaration === undefined) continue;
      found.push(declaration);
      waiting.push(declaration);
    }
  return found.toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Returns the words that can be names of types, and the names of lists that types are computed from. */
export const typesIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => !/^\s*(?:\/\*\*|\*)/.test(line))
    .flatMap((line) => [...line.matchAll(/'[^']*'|\b([A-Z][a-z]\w*)|\(typeof (\w+)\)\[number\]/g)])
    .flatMap(([, type, list]) => type ?? list ?? []);

/** Returns the declaration of the name in `file` or, if `file` takes the name from another file, in that file. */
function declarationOf(name: string, file: string, all: DeclarationFiles): Declaration | undefined {
  const own = declarationsIn(file, all).find((one) => one.name === name);
  if (own !== undefined) return own;
  const links = [...linksOf(file, 'export', all), ...linksOf(file, 'import', all)];
  const from = links.find(({ names }) => names.includes(name))?.from;
  return from === undefined ? undefined : declarationOf(name, from, all);
}

/** The files that a file takes names from, with the names, in its statements `import { ... }` or `export { ... } from`. */
const linksOf = (file: string, word: 'import' | 'export', all: DeclarationFiles) =>
  (all.get(file) ?? []).flatMap((line) => {
    const [, kind, names = '', from = ''] =
      /^(import|export) (?:type )?\{([^}]*)\} from '(\.[^']*)';$/.exec(line) ?? [];
    if (kind !== word) return [];
    const bare = names.split(',').map((name) => name.replace('type ', '').trim());
    return [{ from: path.join(path.dirname(file), from), names: bare }];
  });
