// The regular expressions in a file: literals, patterns of JSON Schemas, and expressions built at run time.
import { SyntaxKind } from 'typescript/unstable/ast';
import type { SourceFile } from './source-tree.ts';
import { isString, type Token, tokensOf } from './tokens.ts';

export interface FoundExpression {
  /** The expression as written, such as `/a+/i`, or the first words of the code that builds it at run time. */
  readonly text: string;
  /** Undefined when the expression is built at run time, or when the tokens do not tell where it ends. */
  readonly pattern?: { readonly source: string; readonly flags: string };
}

const TAKES_PATTERN: ReadonlySet<string> = new Set(['match', 'matchAll', 'search']);

export function regularExpressionsOf({ text }: SourceFile): readonly FoundExpression[] {
  const tokens = tokensOf(text);
  return tokens.flatMap((token, index) => {
    if (token.kind === SyntaxKind.RegularExpressionLiteral) return [literal(token)];
    if (token.kind === SyntaxKind.SlashToken && !isDivision(text, token))
      return [{ text: `what begins as ${text.slice(token.end - 1, token.end + 20)}` }];
    return named(token, tokens.slice(index + 1, index + 3));
  });
}

// expressions marked by a word: `RegExp(`, `pattern:`, `.match('...')`
function named({ text }: Token, [next, value]: readonly Token[]): readonly FoundExpression[] {
  if (next === undefined || value === undefined) return [];
  if (text === 'pattern' && next.kind === SyntaxKind.ColonToken) return schemaPattern(value);
  const isMade = text === 'RegExp' || (TAKES_PATTERN.has(text) && isString(value));
  return isMade && next.kind === SyntaxKind.OpenParenToken ? [{ text: `${text}(${value.text}` }] : [];
}

function literal({ text }: Token): FoundExpression {
  const end = text.lastIndexOf('/');
  return { text, pattern: { source: text.slice(1, end), flags: text.slice(end + 1) } };
}

// The formatter puts blanks around a division. After a closing bracket, the tokens alone do not tell whether a `/` divides or begins
// a regular expression.
const isDivision = (text: string, { end }: Token): boolean =>
  /\s/.test(text[end] ?? '') && /\s/.test(text[end - 2] ?? '');

function schemaPattern(value: Token): readonly FoundExpression[] {
  if (value.kind === SyntaxKind.RegularExpressionLiteral) return [];
  const isWhole = isString(value) && value.kind !== SyntaxKind.TemplateHead;
  if (isWhole) return [{ text: `pattern: ${value.text}`, pattern: { source: value.value, flags: 'u' } }];
  // `pattern: string` and `pattern: RegExp` declare the type of a property
  return ['RegExp', 'string'].includes(value.text) ? [] : [{ text: `pattern: ${value.text}` }];
}
