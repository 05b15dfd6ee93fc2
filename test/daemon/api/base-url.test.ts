import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseUrl } from '../../../daemon/api/base-url.ts';
import type { Config } from '../../../daemon/config/core-sections.ts';

const config = (publicEndpoint: string | null, parsing: boolean) =>
  ({
    api: { public_endpoint: publicEndpoint },
    oslo_middleware: { enable_proxy_headers_parsing: parsing },
  }) as Config;
const asked = (
  headers: Readonly<Record<string, string>> = {},
  url = 'http://10.0.0.1:6385/v1/nodes?limit=1',
) => ({
  url,
  header: (name: string) => headers[name],
});
const behindProxy = (headers: Readonly<Record<string, string>>, url?: string) =>
  baseUrl(config('https://public.example', true), asked(headers, url));

const direct = (url: string) => baseUrl(config(null, false), asked({}, url));

test('links begin with what the client asked for', () => {
  assert.equal(direct('http://10.0.0.1:6385/v1/nodes'), 'http://10.0.0.1:6385');
  assert.equal(direct('https://edge.example:6385/'), 'https://edge.example:6385');
  assert.equal(direct('http://[2001:db8::1]:6385/v1'), 'http://[2001:db8::1]:6385');
  assert.equal(direct('https://edge.example:443/v1'), 'https://edge.example');
});

test('public_endpoint replaces it, with or without slashes at its end', () => {
  for (const given of ['https://public.example/baremetal', 'https://public.example/baremetal//'])
    assert.equal(baseUrl(config(given, false), asked()), 'https://public.example/baremetal');
});

test("a proxy's headers count only when they are to be parsed", () => {
  const headers = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil',
  };
  assert.equal(baseUrl(config(null, false), asked(headers)), 'http://10.0.0.1:6385');
});

test('a proxy decides protocol, host and port, and public_endpoint then does not', () => {
  assert.equal(
    behindProxy({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'edge.example:8443' }),
    'https://edge.example:8443',
  );
  assert.equal(
    behindProxy({ 'x-forwarded-proto': 'https' }, 'http://edge.example/v1'),
    'https://edge.example',
  );
  assert.equal(behindProxy({ 'x-forwarded-host': 'edge.example' }), 'http://edge.example');
  assert.equal(behindProxy({}), 'http://10.0.0.1:6385');
});

test('IPv6 addresses keep their brackets and port', () => {
  assert.equal(
    behindProxy({ 'x-forwarded-proto': 'https', 'x-forwarded-host': '[2001:db8::1]:8443' }),
    'https://[2001:db8::1]:8443',
  );
  assert.equal(behindProxy({ 'x-forwarded-host': '[2001:db8::1]' }), 'http://[2001:db8::1]');
});

test('of several proxies the first counts: it is the one that the client spoke to', () => {
  assert.equal(
    behindProxy({
      'x-forwarded-proto': 'https, http',
      'x-forwarded-host': 'edge.example , inner:8080',
      'x-forwarded-prefix': '/baremetal, /ironic',
    }),
    'https://edge.example/baremetal',
  );
});

test('the prefix under which a proxy serves the API is kept', () => {
  const https = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'edge.example' };
  for (const prefix of ['/baremetal', '/baremetal/'])
    assert.equal(behindProxy({ ...https, 'x-forwarded-prefix': prefix }), 'https://edge.example/baremetal');
  assert.equal(behindProxy({ ...https, 'x-forwarded-prefix': '/a/b-c' }), 'https://edge.example/a/b-c');
  assert.equal(behindProxy({ ...https, 'x-forwarded-prefix': '/' }), 'https://edge.example');
});

test('the standard header beats the others, quoted or not', () => {
  const others = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'other.example' };
  for (const [forwarded, expected] of [
    ['for=192.0.2.1;proto=https;host=edge.example:8443', 'https://edge.example:8443'],
    ['For="[2001:db8::9]:4711"; Host="[2001:db8::1]:8443"; Proto=https', 'https://[2001:db8::1]:8443'],
    ['host=edge.example;proto=https, host=inner;proto=http', 'https://edge.example'],
    ['for="a,b";host=edge.example, host=inner', 'http://edge.example'],
    ['proto=https', 'https://10.0.0.1:6385'],
    ['for=192.0.2.1', 'http://10.0.0.1:6385'],
  ] as const)
    assert.equal(behindProxy({ ...others, forwarded }), expected, forwarded);
});

test('headers that make no plain URL are refused with what they give', () => {
  const wrong: readonly Readonly<Record<string, string>>[] = [
    { 'x-forwarded-host': 'evil.example/path' },
    { 'x-forwarded-host': 'user@evil.example' },
    { 'x-forwarded-host': 'evil.example"><script>' },
    { 'x-forwarded-host': 'edge.example:99999' },
    { 'x-forwarded-proto': 'javascript' },
    { 'x-forwarded-proto': 'ftp' },
    { 'x-forwarded-prefix': 'evil.example' },
    { 'x-forwarded-prefix': '/?x=' },
    { 'x-forwarded-prefix': '@evil.example' },
    { forwarded: 'host="a b"' },
  ];
  for (const headers of wrong)
    assert.throws(
      () => behindProxy(headers),
      { code: 'InvalidParameter', status: 400 },
      JSON.stringify(headers),
    );
});
