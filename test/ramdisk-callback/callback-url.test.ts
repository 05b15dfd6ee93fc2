import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callbackUrlFlaw } from '../../ramdisk-callback/routes.ts';

test('a callback URL is http or https with a host and an optional port', () => {
  for (const url of [
    'https://192.0.2.1:9999',
    'http://192.0.2.1',
    'https://[2001:db8::1]:9999',
    'https://ramdisk.example:9999/',
  ])
    assert.equal(callbackUrlFlaw(url), undefined, url);
});

test('a malformed or non-HTTP URL is reported', () => {
  for (const url of [
    '',
    'text',
    'ftp://h',
    '//h',
    'https://',
    'https://[::1',
    'https://h:99999',
    'https://a b',
    'https:h',
  ])
    assert.equal(callbackUrlFlaw(url), 'it is not an http or https URL', url);
});

test('a callback URL with user, path, query or fragment is refused', () => {
  for (const rest of ['h/any/path', 'h:1/..', 'u@h', 'u:p@h', '@h', 'h?', 'h?x=1', 'h#', 'h/#f', 'h\\x'])
    assert.match(callbackUrlFlaw(`https://${rest}`) ?? '', /only a host and a port/, rest);
});
