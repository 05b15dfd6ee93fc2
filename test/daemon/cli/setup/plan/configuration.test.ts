import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SetupAnswers } from '../../../../../daemon/cli/setup/answers.ts';
import { configurationFor, setupOptions } from '../../../../../daemon/cli/setup/plan/configuration.ts';

const answers: SetupAnswers = {
  interface: 'br0',
  address: '10.0.0.1',
  subnet: '10.0.0.0/24',
  dhcp: 'own',
  range: '10.0.0.50-10.0.0.99',
  admin: 'admin',
  password: undefined,
  apiAddress: '192.0.2.7',
  tls: undefined,
  keepsRamdisk: true,
  images: [],
  ramdisk: 'none',
};
const ports = { bootHttp: 8080, ramdisk: 6386 };
const made = (text: string, given: Partial<SetupAnswers> = {}) =>
  configurationFor(text, setupOptions({ ...answers, ...given }, ports));

test('without lines of the operator, everything that the daemon needs is added', () => {
  const { lines, kept, loaded } = made('');
  assert.deepEqual(kept, []);
  const { config } = loaded;
  assert.deepEqual(config.dhcp_server.subnet, ['10.0.0.0/24 range=10.0.0.50-10.0.0.99 interface=br0']);
  assert.deepEqual([config.api.host_ip, config.api.enable_ssl_api], ['192.0.2.7', true]);
  assert.equal(config.DEFAULT.auth_strategy, 'http_basic');
  assert.equal(config.tftp_server.enabled, true);
  assert.equal(lines.filter((line) => line === '[api]').length, 1);
  assert.deepEqual(loaded.warnings, []);
});

test('an option that the operator has set is not set again, and one with another value is named', () => {
  const { lines, kept, loaded } = made('[DEFAULT]\nmy_ip = 10.0.0.1\n[boot_http]\nport = 80\n');
  assert.ok(!lines.some((line) => line.startsWith('my_ip')));
  assert.ok(!lines.includes('[boot_http]'));
  assert.deepEqual(kept, [
    '/etc/ironic-edge/ironic.conf:4 sets [boot_http] port = 80; setup would set 8080, and keeps yours',
  ]);
  assert.equal(loaded.config.boot_http.port, 80);
});

test("the operator's subnet is not joined by another one", () => {
  const { loaded, kept } = made(
    '[dhcp_server]\nsubnet = 10.0.0.0/24 range=10.0.0.2-10.0.0.9 interface=br0\n',
  );
  assert.deepEqual(loaded.config.dhcp_server.subnet.length, 1);
  assert.match(kept.join(), /sets \[dhcp_server\] subnet = 10\.0\.0\.0\/24 range=10\.0\.0\.2-10\.0\.0\.9/);
});

test('a proxy needs no range, and without DHCP there is no TFTP', () => {
  const proxy = made('', { dhcp: 'proxy' }).loaded.config;
  assert.deepEqual(proxy.dhcp_server.subnet, ['10.0.0.0/24 interface=br0']);
  assert.equal(proxy.dhcp_server.mode, 'proxy');
  const none = made('', { dhcp: 'none' }).loaded.config;
  assert.deepEqual([none.dhcp_server.subnet, none.tftp_server.enabled], [[], false]);
});

test('the API has no TLS at a loopback address, and otherwise the certificate of the operator', () => {
  assert.equal(made('', { apiAddress: '127.0.0.1' }).loaded.config.api.enable_ssl_api, false);
  const tls = { certificate: '/etc/tls/site.pem', key: '/etc/tls/site.key' };
  assert.equal(made('', { tls }).loaded.config.api.cert_file, '/etc/tls/site.pem');
});

test('an invalid configuration of the operator is refused with its place', () => {
  assert.throws(() => made('[api]\nport = many\n'), /\/etc\/ironic-edge\/ironic\.conf:2.*port.*"many"/s);
});
