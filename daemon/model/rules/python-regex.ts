// Regular expressions in Python's syntax, as used in inspection rules and in Ironic's options.

/**
 * Returns the expression in JavaScript's syntax. Throws SyntaxError for a wrong expression and for a construct of Python that is
 * not supported here. Accepts flags at the beginning, as in `(?i)dell`. \d, \w and \b match ASCII only, as with Python's flag a;
 * \s matches the white space of Unicode.
 */
export function pythonRegex(text: string): RegExp {
  const [leading = '', letters = ''] = /^\(\?([aiLmsux]+)\)/.exec(text) ?? [];
  if (/[Lx]/.test(letters))
    throw new SyntaxError(`${leading} has a flag that is not supported; use only i, m and s`);
  const flags = [...new Set(letters)].filter((letter) => 'ims'.includes(letter)).join('');
  return new RegExp(translated(text.slice(leading.length), flags), flags);
}

// An escaped character is one token, so \\A is a backslash and the letter A.
const TOKEN = /\\[^]|\[\^?\]?|\]|\(\?P<|\(\?P=\w+\)|\(\?[aiLmsux-]+:|\{,\d*\}|[.^$]/g;

function translated(text: string, flags: string): string {
  let inClass = false;
  return text.replaceAll(TOKEN, (token) => {
    if (token.startsWith('\\')) return escape(token, inClass);
    if (inClass) {
      inClass = !token.endsWith(']');
      return token;
    }
    inClass = token.startsWith('[');
    // a closing bracket at the start of a character class belongs to the class
    return inClass ? token.replace(']', '\\]') : equivalent(token, flags);
  });
}

function escape(token: string, inClass: boolean): string {
  // JavaScript treats an unknown escaped letter as the letter itself
  if (/[a-zA-Z]/.test(token) && !(inClass ? /[bdDfnrsStuvwWx]/ : /[AbBdDfnrsStuvwWxZ]/).test(token))
    throw new SyntaxError(`the escape ${token} is not supported${inClass ? ' in [...]' : ''}`);
  return ANCHORS[token] ?? token;
}

function equivalent(token: string, flags: string): string {
  if (token === '(?P<') return '(?<';
  if (token.startsWith('(?P=')) return `\\k<${token.slice(4, -1)}>`;
  if (token.startsWith('{,')) return `{0${token.slice(1)}`;
  if (token.startsWith('(?') && /[^(?i:-]/.test(token))
    throw new SyntaxError(`${token} is not supported; put flags other than i at the beginning, as in (?s)`);
  if (token === '.') return flags.includes('s') ? '[^]' : '[^\\n]';
  return ANCHORS[flags.includes('m') ? `m${token}` : token] ?? token;
}

// In Python, only \n ends a line, and $ also matches before a final \n.
const ANCHORS: Readonly<Record<string, string>> = {
  '\\A': '(?<![^])',
  '\\Z': '(?![^])',
  $: '(?=\\n?(?![^]))',
  'm^': '(?<![^\\n])',
  m$: '(?![^\\n])',
};
