// Regular expressions as inspection rules and Ironic's options write them: Python's syntax.

/** Throws SyntaxError, also for what only Python has. Flags at the beginning, as in `(?i)dell`, are understood. */
export function pythonRegex(text: string): RegExp {
  const [leading = '', letters = ''] = /^\(\?([aiLmsux]+)\)/.exec(text) ?? [];
  if (/[Lx]/.test(letters)) throw new SyntaxError(`the flags ${letters} are not supported; i, m and s are`);
  const source = text
    .slice(leading.length)
    // an escaped character is taken whole, so that \\A is a backslash and an A
    .replaceAll(/\\[^]|\(\?P<|\(\?P=(\w+)\)/g, (token, name: string | undefined) =>
      name === undefined ? (EQUIVALENTS[token] ?? token) : `\\k<${name}>`,
    );
  return new RegExp(source, [...new Set(letters)].filter((letter) => 'ims'.includes(letter)).join(''));
}

const EQUIVALENTS: Readonly<Record<string, string>> = {
  '(?P<': '(?<',
  '\\A': '(?<![^])',
  '\\Z': '(?![^])',
};
