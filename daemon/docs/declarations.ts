// Reads what the source of the plugin API declares, without the code, and the types that these declarations name.
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

/** The declarations that the file itself exports. */
export function declaredIn(file: URL): readonly Declaration[] {
  const source = readFileSync(file, 'utf8');
  return exportsOf(source).map((text) => {
    const name = declaredName(text);
    return { name, text: writtenOut(name, text, source), file };
  });
}

/** The declarations that the file exports from other files, in the order of its source. */
export const declaredThrough = (file: URL): readonly Declaration[] =>
  passedOn(file).flatMap(({ file: from, names }) => names.flatMap((name) => declarationOf(name, from) ?? []));

/** The types that the declarations name, sorted by name, without those in `known`. */
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

/** The names in the text that begin with a capital letter, outside comments and strings. */
export function typesIn(text: string): readonly string[] {
  const bare = text.replaceAll(/\/\*\*[^]*?\*\/|'[^']*'/g, '');
  return [...bare.matchAll(/(?<![.\w])([A-Z][a-z]\w*)/g)].map(([, name = '']) => name);
}

/** Returns the declaration of the name, in this file or in the file that it is exported from; undefined when there is none. */
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
 * The names in statements that begin with `word`. Each has the file that it comes from, which the source names by a relative
 * path.
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

/** Returns exported types and classes with their comments, and functions and constants without their bodies. */
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
