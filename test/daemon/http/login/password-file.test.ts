import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parsePasswordFile } from '../../../../daemon/http/login/password-file.ts';
import { ConfigurationError } from '../../../../daemon/config/configuration-error.ts';

const REST = 'abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW';
const accountsIn = (text: string) => [...parsePasswordFile('/etc/htpasswd', text)].toReversed();
const problemsOf = (text: string): readonly string[] => {
  try {
    parsePasswordFile('/etc/htpasswd', text);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    return error.problems;
  }
  return [];
};

test('each line holds a user and a bcrypt digest with prefix $2y$, $2a$ or $2b$', () => {
  assert.deepEqual(accountsIn(`ann:$2y$05$${REST}\nbob:$2a$10$${REST}\ncy:$2b$17$${REST}`), [
    ['ann', `$2y$05$${REST}`],
    ['bob', `$2a$10$${REST}`],
    ['cy', `$2b$17$${REST}`],
  ]);
});

test('blank lines and CRLF line ends are ignored', () => {
  assert.deepEqual(accountsIn(`\r\n\n  \nann:$2y$05$${REST}\r\n\n`), [['ann', `$2y$05$${REST}`]]);
});

test('the first of several lines for a user counts', () => {
  assert.deepEqual(accountsIn(`ann:$2y$05$${REST}\nann:$2y$06$${REST}\n`), [['ann', `$2y$05$${REST}`]]);
});

test('a user name that is a prefix of another is a separate user', () => {
  const accounts = parsePasswordFile('/etc/htpasswd', `anna:$2y$05$${REST}\nann:$2y$06$${REST}\n`);
  assert.equal(accounts.get('ann'), `$2y$06$${REST}`);
});

test('every line without a bcrypt digest is reported by number, without its text', () => {
  const digests = [
    'secret',
    '',
    '$apr1$r31.....$HqJZimcKQFAMYayBlzkrA/',
    '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=',
    `$2x$05$${REST}`,
    `$2y$03$${REST}`,
    `$2y$18$${REST}`,
    `$2y$5$${REST}`,
    `$2y$05$${REST}x`,
    `$2y$05$${REST.slice(1)}`,
    `$2y$05$${REST.slice(1)}!`,
  ];
  const problems = problemsOf(digests.map((digest) => `ann:${digest}`).join('\n'));
  assert.equal(problems.length, digests.length);
  for (const [index, problem] of problems.entries()) {
    assert.equal(
      problem,
      `/etc/htpasswd:${index + 1}: the text after the user name is not a bcrypt digest ($2y$, $2a$ or $2b$, cost 04 to 17); make one with: htpasswd -nB USER`,
    );
  }
  assert.equal(problemsOf('ann').length, 1);
  assert.match(problemsOf(`\n:$2y$05$${REST}`).join(), /^\/etc\/htpasswd:2: there is no user name/);
});

test('a file without a user is refused', () => {
  for (const text of ['', '\n\n'])
    assert.match(
      problemsOf(text).join(),
      /no users, so no client could log in to the API; add one: htpasswd -B/,
    );
});

test('any text yields accounts or a ConfigurationError', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
      const problems = problemsOf(text);
      assert.ok(problems.length > 0 || parsePasswordFile('f', text).size > 0);
    }),
  );
});
