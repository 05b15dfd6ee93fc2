import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseUrl } from '../../../../daemon/http/request/arriving.ts';
import type { Config } from '../../../../daemon/config/sections/core-sections.ts';

const config = (publicEndpoint: string | null, behindProxies = false) =>
  ({
    api: { public_endpoint: publicEndpoint },
    oslo_middleware: {
      enable_proxy_headers_parsing: behindProxies,
      trusted_proxies: [] as readonly string[],
    },
  }) as Config;
const asked = (
  headers: Readonly<Record<string, string>> = {},
  url = 'http://10.0.0.1:6385/v1/nodes?limit=1',
) => ({
  url,
  header: (name: string) => headers[name],
  // of a Unix socket, which only a proxy on this host uses
  peer: undefined,
});
const behindProxy = (headers: Readonly<Record<string, string>>, url?: string) =>
  baseUrl(config('https://public.example', true), asked(headers, url));

const direct = (url: string) => baseUrl(config(null), asked({}, url));

test('links begin with the scheme, host and port of the request', () => {
  assert.equal(direct('http://10.0.0.1:6385/v1/nodes'), 'http://10.0.0.1:6385');
  assert.equal(direct('https://edge.example:6385/'), 'https://edge.example:6385');
  assert.equal(direct('http://[2001:db8::1]:6385/v1'), 'http://[2001:db8::1]:6385');
  assert.equal(direct('https://edge.example:443/v1'), 'https://edge.example');
});

test('links begin with public_endpoint, if it is set, without its trailing slashes', () => {
  for (const given of ['https://public.example/baremetal', 'https://public.example/baremetal//'])
    assert.equal(baseUrl(config(given), asked()), 'https://public.example/baremetal');
});

test("a proxy's headers are ignored unless the request comes from a trusted proxy", () => {
  const headers = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil',
  };
  assert.equal(baseUrl(config(null), asked(headers)), 'http://10.0.0.1:6385');
});

test('the headers of a proxy set protocol, host and port, and public_endpoint is ignored', () => {
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

test('the first of several forwarded values is used', () => {
  assert.equal(
    behindProxy({
      'x-forwarded-proto': 'https, http',
      'x-forwarded-host': 'edge.example , inner:8080',
      'x-forwarded-prefix': '/baremetal, /ironic',
    }),
    'https://edge.example/baremetal',
  );
});

test('links keep the prefix that a proxy forwards', () => {
  const https = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'edge.example' };
  for (const prefix of ['/baremetal', '/baremetal/'])
    assert.equal(behindProxy({ ...https, 'x-forwarded-prefix': prefix }), 'https://edge.example/baremetal');
  assert.equal(behindProxy({ ...https, 'x-forwarded-prefix': '/a/b-c' }), 'https://edge.example/a/b-c');
  assert.equal(behindProxy({ ...https, 'x-forwarded-prefix': '/' }), 'https://edge.example');
});

test('the Forwarded header, with or without quoted values, overrides X-Forwarded-Proto and X-Forwarded-Host', () => {
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

test('forwarded headers that do not form a plain URL are refused', () => {
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
