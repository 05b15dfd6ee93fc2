// Texts made to be slow: what backtracks, or looks again and again at the same characters, takes hours over them.

const falling = (length: number, text: (run: number) => string): string => {
  const runs = Math.floor(Math.sqrt(2 * length));
  return Array.from({ length: runs }, (_, at) => text(runs - at))
    .join('')
    .slice(0, length);
};
const pumped = (length: number, piece: string): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

function quotedAgain(length: number): string {
  let text = 'it is "here"';
  while (JSON.stringify({ password: text }).length <= length) text = JSON.stringify({ password: text });
  return text;
}

const PIECES = [
  ...[
    'a',
    '/',
    '\\',
    '"',
    ' ',
    '\n',
    '0',
    '00',
    ':',
    '.',
    ',',
    '%',
    '[',
    '{',
    '{{',
    '(',
    '=',
    '-',
    '1.',
    '1e1',
    'é',
  ],
  ...[
    'a:',
    'a=',
    'a,b:',
    '" "',
    `'"`,
    'password=',
    'token="',
    'secret: \\"',
    '"password": "',
    '{"token":"',
    'aa:',
    '0a:',
  ],
  ...['::1', 'fe80::', 'http://', 'https://a/', '%25', 'x failed: ', ' message : ', '\u2028', '<or> '],
];

/** Each has at most `length` characters. */
export function slowTexts(length: number): readonly string[] {
  return [
    // what fits up to the end, and not there, is what a pattern tries again from everywhere
    ...PIECES.map((piece) => `${pumped(length - 2, piece)}\n!`),
    falling(length, (run) => `password=${'\\'.repeat(run)}"`),
    falling(length, (run) => `token: ${'\\'.repeat(run)}'x`),
    falling(length, (run) => `secret${' '.repeat(run)}=`),
    quotedAgain(length),
  ];
}
