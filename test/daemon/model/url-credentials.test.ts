import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskUrlCredentials } from '../../../daemon/model/url-credentials.ts';

test('the credentials of every URL are masked anywhere in a text or value', () => {
  const cases = {
    'http://u:p@images.test/a': 'http://******@images.test/a',
    'https://token@images.test:8443/a?b=c': 'https://******@images.test:8443/a?b=c',
    'http://u:p@ss@images.test': 'http://******@images.test',
    'see ftp://u:p@a/ and HTTP://v:q@b/': 'see ftp://******@a/ and HTTP://******@b/',
    '{"url":"http://u:p@a/"}': '{"url":"http://******@a/"}',
    'http://images.test/pool/@latest': 'http://images.test/pool/@latest',
    'http://images.test/?mail=a@b': 'http://images.test/?mail=a@b',
    'a@b': 'a@b',
  };
  for (const [given, masked] of Object.entries(cases)) assert.equal(maskUrlCredentials(given), masked);
  assert.deepEqual(maskUrlCredentials({ a: [{ b: 'http://u:p@c' }], n: 1, nothing: null }), {
    a: [{ b: 'http://******@c' }],
    n: 1,
    nothing: null,
  });
});

test('masking hostile texts takes linear time', () => {
  // in quadratic time, a text that repeats :// or ://a would take minutes
  for (const part of ['://', ':', 'a', '@', '://a', '://@'])
    assert.equal(typeof maskUrlCredentials(part.repeat(300_000)), 'string');
});
