// Rules for every file beyond what compiler and linter check. A rule returns a text for each breach.
import { SyntaxKind } from 'typescript/unstable/ast';
import type { SourceFile } from './source-tree.ts';
import { isString, type Token, tokensOf } from './tokens.ts';

export interface FileRule {
  readonly law: string;
  readonly breaches: (file: SourceFile) => readonly string[];
}

const MAXIMUM_OPENING_COMMENT_LINES = 3;

export const fileRules: readonly FileRule[] = [
  { law: 'a file is named after what it holds', breaches: ({ path }) => emptyNames(path) },
  { law: 'modules have no mutable state', breaches: inTypeScript(outsideTests(mutableState)) },
  { law: 'a file opens with what it is for', breaches: inTypeScript(missingPurpose) },
  { law: 'SQL stays in daemon/db', breaches: inTypeScript(straySql) },
  { law: 'nothing is left for later', breaches: inOurText(/\b(?:TODO|FIXME|XXX)\b/g) },
  { law: 'no path that only one machine has', breaches: inOurText(/(?<![\w.-])\/(?:work|root)\/[\w.]*/g) },
];

function inTypeScript(breaches: FileRule['breaches']): FileRule['breaches'] {
  return (file) => (file.path.endsWith('.ts') ? breaches(file) : []);
}

// the tests of a file may share variables for what their set-up has started
function outsideTests(breaches: FileRule['breaches']): FileRule['breaches'] {
  return (file) => (file.path.endsWith('.test.ts') ? [] : breaches(file));
}

// the rules and their tests quote what they forbid
function inOurText(forbidden: RegExp): FileRule['breaches'] {
  return ({ path, text }) =>
    path.startsWith('test/architecture/') ? [] : [...text.matchAll(forbidden)].map(([found]) => found);
}

const EMPTY_PART = /(?:^|-)(?:utils?|helpers?|common|misc|manager|impl)(?:$|-)/;
const EMPTY_NAME = /^(?:data|info)$/;

function emptyNames(path: string): readonly string[] {
  const names = path.split('/').map((part) => part.replace(/\..*$/, '').toLowerCase());
  return names
    .filter((name) => EMPTY_PART.test(name) || EMPTY_NAME.test(name))
    .map((name) => `"${name}" says nothing`);
}

function mutableState({ text }: SourceFile): readonly string[] {
  const tokens = tokensOf(text).filter((token) => token.depth === 0);
  return tokens.flatMap((token, index) => {
    const name = tokens[index + 1];
    const variable = token.kind === SyntaxKind.LetKeyword || token.kind === SyntaxKind.VarKeyword;
    return variable ? [`${token.text} ${name?.text ?? ''} at module level`] : [];
  });
}

// test files need no opening comment: their names and titles explain them
function missingPurpose({ path, text }: SourceFile): readonly string[] {
  if (path.endsWith('.test.ts')) return [];
  const lines = text.split('\n');
  if (lines[0]?.startsWith('#!') === true) lines.shift();
  const code = lines.findIndex((line) => !line.startsWith('//'));
  if (code === 0) return ['it does not open with a // comment'];
  return code > MAXIMUM_OPENING_COMMENT_LINES ? [`its opening comment has ${code} lines`] : [];
}

const SQL = new RegExp(
  [
    String.raw`\bSELECT\s.+\sFROM\s`,
    String.raw`\bINSERT\s+(?:OR\s+\w+\s+)?INTO\s`,
    String.raw`\bUPDATE\s+\S+\s+SET\s`,
    String.raw`\bDELETE\s+FROM\s`,
    String.raw`\b(?:CREATE|ALTER|DROP)\s+(?:TABLE|INDEX|UNIQUE|TRIGGER|VIEW)\s`,
    String.raw`^\s*(?:PRAGMA|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|VACUUM)\b`,
  ].join('|'),
  's',
);
const SQL_PLACES = /^daemon\/db\/(?:tables\/|copies\/|ironic-\w+\.ts$|open\.ts$|migrate\.ts$)|^test\//;

function straySql({ path, text }: SourceFile): readonly string[] {
  if (SQL_PLACES.test(path)) return [];
  return tokensOf(text)
    .filter((token: Token) => isString(token) && SQL.test(token.value))
    .map((token) => token.text.slice(0, 60));
}
