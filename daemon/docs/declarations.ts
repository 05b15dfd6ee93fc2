// Extracts the exported declarations of a source file, such as the plugin API's, without their code, and finds the declarations
// of the types that they name.
import { readFileSync } from 'node:fs';
import { writtenOut } from './declared-types.ts';

export interface Declaration {
  readonly name: string;
  readonly text: string;
  readonly file: URL;
}

/** Types that docs/plugin-api.md does not explain, because plugins neither write them nor read their members. */
export const unexplainedTypes: ReadonlySet<string> = new Set([
  'Conversation',
  'FaultCode',
  'FaultKind',
  'FaultParameters',
  'Field',
  'Learnt',
  'ParametersOf',
  'Remedies',
]);

/** Returns the declarations that the file contains and exports. */
export function declaredIn(file: URL): readonly Declaration[] {
  const source = readFileSync(file, 'utf8');
  return exportsOf(source).map((text) => {
    const name = declaredName(text);
    return { name, text: writtenOut(name, text, source), file };
  });
}

/** Returns the declarations that the file exports from other files, in the order in which the file names them. */
export const declaredThrough = (file: URL): readonly Declaration[] =>
  passedOn(file).flatMap(({ file: from, names }) => names.flatMap((name) => declarationOf(name, from) ?? []));

/**
 * Returns the declarations of the types that `declarations` name, and of those that these types name in turn, sorted by name.
 * Leaves out `declarations`, `known` and the unexplained types.
 */
export function namedTypes(
  declarations: readonly Declaration[],
  known: readonly Declaration[],
): readonly Declaration[] {
  const seen = new Set([...unexplainedTypes, ...[...declarations, ...known].map(({ name }) => name)]);
  const found: Declaration[] = [];
  const waiting = [...declarations];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop())
    for (const name of typesIn(one.text)) {
      const declaration = seen.has(name) ? undefined : declarationOf(name, one.file);
      seen.add(name);
      if (declaration === undefined) continue;
      found.push(declaration);
      waiting.push(declaration);
    }
  return found.toSorted((one, other) => one.name.localeCompare(other.name));
}

/** Returns the words that look like names of types: they begin with a capital and a small letter. Skips docstrings and strings. */
export function typesIn(text: string): readonly string[] {
  const bare = text.replaceAll(/\/\*\*[^]*?\*\/|'[^']*'/g, '');
  return [...bare.matchAll(/(?<![.\w])([A-Z][a-z]\w*)/g)].map(([, name = '']) => name);
}

/**
 * Returns the declaration of the name in `file`; if `file` imports the name or passes it on, its declaration in the other file.
 * Returns undefined when there is none.
 */
function declarationOf(name: string, file: URL): Declaration | undefined {
  const own = declaredIn(file).find((one) => one.name === name);
  if (own !== undefined) return own;
  const from = [...passedOn(file), ...importedBy(file)].find(({ names }) => names.includes(name))?.file;
  return from && declarationOf(name, from);
}

interface Names {
  readonly file: URL;
  readonly names: readonly string[];
}

/** Each `export { NAMES } from FILE` of a source. */
const passedOn = (of: URL): readonly Names[] => namesAfter('export ', of);

/** Each `import { NAMES } from FILE` of a source. */
const importedBy = (of: URL): readonly Names[] => namesAfter('import ', of);

/**
 * Finds the statements of file `of` that begin with `word`, and returns for each its names and the file that they come from.
 * Skips statements that take names from anything but a relative path.
 */
function namesAfter(word: string, of: URL): readonly Names[] {
  const [, ...parts] = readFileSync(of, 'utf8').split(word);
  return parts.flatMap((part) => {
    const [, names, path] = /^(?:type )?\{([^}]*)\} from '(\.[^']+)';/.exec(part) ?? [];
    if (names === undefined || path === undefined) return [];
    const bare = names.split(',').map((name) => name.replace('type ', '').trim());
    return [{ file: new URL(path, of), names: bare }];
  });
}

/** The name that a declaration declares. */
export const declaredName = (declaration: string): string => {
  const bare = declaration.replace(COMMENT, '').replace('async ', '');
  return /^(?:interface|type|class|const|function) (\w+)/.exec(bare)?.[1] ?? '';
};

const COMMENT = /^\/\*\*[^]*?\*\/\s*/;

/**
 * Returns the exported declarations of a source with their comments: types and lists whole, classes with the signatures of their
 * public members, functions without their bodies, and other constants without their values.
 */
export function exportsOf(source: string): readonly string[] {
  return source.split(/\n\n+(?! )|(?<=[;}])\n(?=export |\/\*\*)/).flatMap((block) => {
    const text = block.trim().replaceAll('export ', '');
    if (!/^export /m.test(block)) return [];
    const bare = text.replace(COMMENT, '');
    const comment = text.slice(0, text.length - bare.length);
    if (/^(?:interface|type|const \w+ = \[)/.test(bare)) return [text];
    if (bare.startsWith('class ')) return [`${comment}${publicMembers(bare)}`];
    const end = signatureEnd(bare);
    return end === undefined ? [] : [`${comment}${bare.slice(0, end)};`];
  });
}

/** Returns where the signature of a function, or the name of a constant, ends; undefined for other texts. */
function signatureEnd(declaration: string): number | undefined {
  if (/^(?:async )?function /.test(declaration)) return declaration.indexOf(' {\n');
  if (!declaration.startsWith('const ')) return undefined;
  const arrow = declaration.search(/ =>(?: |\n)(?!.*\)(?:: [^=]*)? =>)/);
  const value = declaration.indexOf(' =');
  return /^const \w+ =\s+(?:async )?[<(]/.test(declaration) && arrow !== -1 ? arrow : value;
}

/** The head of a class, with its members that are not private and the comments before them. */
function publicMembers(declaration: string): string {
  const lines = declaration.split('\n');
  const kept: string[] = [];
  let comment: string[] = [];
  for (const line of lines.slice(1)) {
    if (/^ {2}(?:\/\*\*| \*)/.test(line)) comment.push(line);
    else {
      if (
        /^ {2}(?!(?:async |readonly |static )?#|private )(?:async |readonly |override |static |get )?\w.*[{;]$/.test(
          line,
        )
      )
        kept.push(...comment, line.replace(/ \{$/, ';').replace('async ', ''));
      comment = [];
    }
  }
  return [lines[0], ...kept, '}'].join('\n');
}
