// Finds the imports of a file: static and type-only imports, re-exports, and dynamic imports with a literal specifier.
import { SyntaxKind } from 'typescript/unstable/ast';
import { isString, type Token, tokensOf } from './tokens.ts';

export interface Import {
  readonly specifier: string;
  /** Written as `import('...')`, in code or in a type. */
  readonly dynamic: boolean;
}

export function importsOf(text: string): readonly Import[] {
  const tokens = tokensOf(text);
  return tokens.flatMap((token, index) => {
    const found = importAt(token, tokens.slice(index + 1, index + 3)) ?? fromClause(token, tokens, index);
    return found === undefined ? [] : [found];
  });
}

function importAt(token: Token, [first, second]: readonly Token[]): Import | undefined {
  if (token.kind !== SyntaxKind.ImportKeyword) return undefined;
  if (first?.kind === SyntaxKind.OpenParenToken && isString(second))
    return { specifier: second.value, dynamic: true };
  return isString(first) ? { specifier: first.value, dynamic: false } : undefined;
}

// at module level `from '...'` occurs only in an import or export declaration
function fromClause(token: Token, tokens: readonly Token[], index: number): Import | undefined {
  const source = tokens[index + 1];
  if (token.kind !== SyntaxKind.FromKeyword || token.depth > 0 || !isString(source)) return undefined;
  return { specifier: source.value, dynamic: false };
}
