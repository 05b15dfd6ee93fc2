// Hostile texts: code that backtracks or rescans the same characters takes hours to process them.

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

const MARKS = [
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
  'é',
];
const NUMBERS = ['1.', '1e1', 'aa:', '0a:', '::1', 'fe80::', '%25'];
const PAIRS = [
  'a:',
  'a=',
  'a,b:',
  '" "',
  `'"`,
  '<or> ',
  'http://',
  'https://a/',
  'x failed: ',
  ' message : ',
];
const SECRETS = ['password=', 'token="', 'secret: \\"', '"password": "', '{"token":"'];
const PIECES = [MARKS, NUMBERS, PAIRS, SECRETS].flat();

/** Each has at most `length` characters. */
export function slowTexts(length: number): readonly string[] {
  return [
    // a text that matches except at its end makes a pattern retry from every position
    ...PIECES.map((piece) => `${pumped(length - 2, piece)}\n!`),
    falling(length, (run) => `password=${'\\'.repeat(run)}"`),
    falling(length, (run) => `token: ${'\\'.repeat(run)}'x`),
    falling(length, (run) => `secret${' '.repeat(run)}=`),
    quotedAgain(length),
  ];
}
