// A file as TypeScript tokens, to keep rules from mistaking a comment or a string for code.
import { createScanner, SyntaxKind } from 'typescript/unstable/ast';

export interface Token {
  readonly kind: SyntaxKind;
  readonly text: string;
  /** The content of a string or template. */
  readonly value: string;
  /** The number of open brackets around the token; 0 at module level. */
  readonly depth: number;
  /** Where the token ends in the file. */
  readonly end: number;
}

const opening: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.OpenBraceToken,
  SyntaxKind.OpenParenToken,
  SyntaxKind.OpenBracketToken,
  SyntaxKind.TemplateHead,
]);
const closing: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.CloseBraceToken,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.TemplateTail,
]);
const stringKinds: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
]);
const operandKinds: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.ThisKeyword,
]);

export const isString = (token: Token | undefined): token is Token =>
  token !== undefined && stringKinds.has(token.kind);

export function tokensOf(text: string): readonly Token[] {
  const scanner = createScanner(true);
  scanner.setText(text);
  const tokens: Token[] = [];
  const brackets: SyntaxKind[] = [];
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    kind = inContext(kind, tokens.at(-1), brackets.at(-1)) ?? kind;
    if (closing.has(kind)) brackets.pop();
    tokens.push({
      kind,
      text: scanner.getTokenText(),
      value: scanner.getTokenValue(),
      depth: brackets.length,
      end: scanner.getTokenEnd(),
    });
    if (opening.has(kind)) brackets.push(kind);
  }
  return tokens;

  // a `/` after an operand is a division, and a `}` can end a placeholder of a template: the scanner alone cannot tell
  function inContext(kind: SyntaxKind, before: Token | undefined, open: SyntaxKind | undefined) {
    if (kind === SyntaxKind.CloseBraceToken && open === SyntaxKind.TemplateHead)
      return scanner.reScanTemplateToken(false);
    const slash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken;
    return slash && !endsOperand(before) ? scanner.reScanSlashToken() : undefined;
  }
}

function endsOperand(token: Token | undefined): boolean {
  if (
    token === undefined ||
    token.kind === SyntaxKind.TemplateHead ||
    token.kind === SyntaxKind.TemplateMiddle
  )
    return false;
  return operandKinds.has(token.kind) || closing.has(token.kind) || isString(token);
}
