import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentParameters } from '../../../../daemon/conductor/ramdisk/ramdisk-parameters.ts';
import { readConfig } from '../../../../daemon/config/read-config.ts';

function apiUrl(environment: Readonly<Record<string, string>>) {
  const { config } = readConfig({
    configFile: undefined,
    environment: { IRONIC_DEFAULT__MY_IP: '10.0.0.1', ...environment },
    sections: [],
  });
  return agentParameters(config)['ipa-api-url'];
}

test('the ramdisk receives the configured URL of the API, or else one with [api] host_ip (my_ip if that is 0.0.0.0)', () => {
  const everywhere = { IRONIC_API__HOST_IP: '0.0.0.0' };
  assert.equal(apiUrl({}), 'http://127.0.0.1:6385');
  assert.equal(apiUrl(everywhere), 'http://10.0.0.1:6385');
  const ipv6 = { IRONIC_API__HOST_IP: '::', IRONIC_DEFAULT__MY_IP: '2001:db8::1' };
  assert.equal(apiUrl(ipv6), 'http://[2001:db8::1]:6385');
  assert.equal(apiUrl({ IRONIC_API__HOST_IP: 'fd00::1', IRONIC_API__PORT: '1234' }), 'http://[fd00::1]:1234');
  const files = { IRONIC_API__CERT_FILE: '/c', IRONIC_API__KEY_FILE: '/k' };
  assert.equal(
    apiUrl({ ...everywhere, ...files, IRONIC_API__ENABLE_SSL_API: 'true' }),
    'https://10.0.0.1:6385',
  );
  const named = { IRONIC_API__PUBLIC_ENDPOINT: 'https://api.test/' };
  assert.equal(apiUrl(named), 'https://api.test');
  assert.equal(
    apiUrl({ ...named, IRONIC_SERVICE_CATALOG__ENDPOINT_OVERRIDE: 'http://10.0.0.9' }),
    'http://10.0.0.9',
  );
});

test('if there is a listener for ramdisks, they receive its URL and not that of the API, unless endpoint_override is set', () => {
  const own = { IRONIC_RAMDISK__PORT: '6386', IRONIC_API__PUBLIC_ENDPOINT: 'https://api.test' };
  assert.equal(apiUrl(own), 'http://10.0.0.1:6386');
  const files = { IRONIC_RAMDISK__CERT_FILE: '/c', IRONIC_RAMDISK__KEY_FILE: '/k' };
  const tls = { ...own, ...files, IRONIC_RAMDISK__ENABLE_SSL_API: 'true', IRONIC_RAMDISK__HOST_IP: '::' };
  assert.equal(apiUrl(tls), 'https://10.0.0.1:6386');
  assert.equal(apiUrl({ ...own, IRONIC_SERVICE_CATALOG__ENDPOINT_OVERRIDE: 'http://b' }), 'http://b');
});
