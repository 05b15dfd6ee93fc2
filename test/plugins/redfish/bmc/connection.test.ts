import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import type { JsonObject } from '../../../../daemon/plugin-api/index.ts';
import { bmcConnectionOf } from '../../../../plugins/redfish/bmc/connection.ts';
import { tlsSettings } from '../../../../plugins/redfish/bmc/trust.ts';
import { redfishManagement } from '../../../../plugins/redfish/management/management.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { authority } from '../../../fakes/services/certificates.ts';
import { fakeTask } from '../../../fakes/task.ts';
import { defaults } from '../redfish-lab.ts';

const connection = (driver_info: JsonObject, options: JsonObject = {}) =>
  bmcConnectionOf(
    fakeTask({
      node: { driver: 'redfish', driver_info: { redfish_address: 'bmc.example', ...driver_info } },
      configuration: { redfish: { ...defaults, ...options } },
    }),
  );

test('the address is a URL, a name or an IP address; a path in it leads to the Redfish service', () => {
  for (const [given, address, root] of [
    ['192.0.2.1', 'https://192.0.2.1', '/redfish/v1'],
    ['http://192.0.2.1:8000', 'http://192.0.2.1:8000', '/redfish/v1'],
    ['https://bmc/redfish/v1/', 'https://bmc', '/redfish/v1'],
    ['https://bmc/api/redfish/v1/', 'https://bmc', '/api/redfish/v1'],
    ['bmc/api', 'https://bmc', '/api/redfish/v1'],
    ['2001:db8::1', 'https://[2001:db8::1]', '/redfish/v1'],
    ['[2001:db8::1]:8443', 'https://[2001:db8::1]:8443', '/redfish/v1'],
  ] as const) {
    const found = connection({ redfish_address: given });
    assert.deepEqual([found.address, found.root], [address, root], given);
  }
});

test('wrong fields are refused with their name and the expected value', () => {
  for (const [info, reason] of [
    [{ redfish_address: '' }, /redfish_address/],
    [{ redfish_address: null }, /redfish_address/],
    [{ redfish_address: 5 }, /redfish_address.*an http or https URL/],
    [{ redfish_address: 'ftp://192.0.2.1' }, /an http or https URL/],
    [{ redfish_address: 'https://admin@192.0.2.1' }, /an http or https URL/],
    [{ redfish_address: 'https://192.0.2.1?x=1' }, /an http or https URL/],
    [{ redfish_system_id: 5 }, /redfish_system_id.*a path/],
    [{ redfish_verify_ca: 'maybe' }, /redfish_verify_ca.*a file or directory that exists/],
    [{ redfish_verify_ca: '/nowhere.pem' }, /a file or directory that exists/],
    [{ redfish_verify_ca: 5 }, /redfish_verify_ca/],
    [{ redfish_auth_type: 'digest' }, /one of auto, session, basic/],
    [{ redfish_tls_minimum_version: '1.0' }, /one of 1\.1, 1\.2, 1\.3/],
    [{ redfish_quirks: 'bootFull' }, /redfish_quirks.*an object/],
    [{ redfish_quirks: { bootFul: true } }, /not bootFul/],
    [{ redfish_quirks: { bootFull: 'yes' } }, /bootFull to be a boolean/],
    [{ redfish_quirks: { bootCd: 'Dvd' } }, /bootCd to be one of Cd, UsbCd, auto/],
    [{ redfish_quirks: { mediaSlots: [1] } }, /mediaSlots to be a list of texts/],
  ] as const)
    assert.throws(() => connection(info), reason);
});

test('the path of the system is percent-encoded, except its slashes', () => {
  assert.equal(
    connection({ redfish_system_id: '/redfish/v1/Systems/a b' }).systemPath,
    '/redfish/v1/Systems/a%20b',
  );
  assert.equal(connection({ redfish_system_id: 'redfish/v1/Systems/1' }).systemPath, '/redfish/v1/Systems/1');
  assert.equal(connection({ redfish_system_id: null }).systemPath, undefined);
});

test('TLS settings come from the node, or else from the configuration; redfish_verify_ca true counts as not set', () => {
  assert.deepEqual(connection({}).trust, {
    verifies: true,
    certificates: undefined,
    minimumVersion: undefined,
    ciphers: undefined,
  });
  const options = { verify_ca: 'false', tls_minimum_version: '1.3', tls_ciphers: 'HIGH' };
  assert.deepEqual(connection({ redfish_verify_ca: true }, options).trust, {
    verifies: false,
    certificates: undefined,
    minimumVersion: '1.3',
    ciphers: 'HIGH',
  });
  assert.equal(connection({ redfish_tls_minimum_version: '1.1' }, options).trust.minimumVersion, '1.1');
  assert.equal(connection({ redfish_verify_ca: '/etc' }).trust.certificates, '/etc');
  for (const word of ['off', 'n', '0', 'False'])
    assert.equal(connection({ redfish_verify_ca: word }).trust.verifies, false, word);
});

test('an empty folder of trusted certificates is refused; a certificate in the folder is the only trusted one', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'redfish-ca-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const settings = () => tlsSettings(connection({ redfish_verify_ca: folder }).trust);
  await rejectsFault(settings(), 'InvalidParameter', /redfish_verify_ca.*has no certificate in PEM format/);
  writeFileSync(path.join(folder, 'ca.pem'), authority());
  assert.equal((await settings()).ca, authority());
});

test('validation refuses a wrong transport protocol without sending a request', async (t: TestContext) => {
  t.mock.method(globalThis, 'fetch', () => assert.fail('a request'));
  const task = fakeTask({
    node: {
      driver: 'redfish',
      driver_info: { redfish_address: 'bmc.invalid', vmedia_transport_protocol: 'tftp' },
    },
    configuration: { redfish: defaults },
  });
  await assert.rejects(async () => redfishManagement.validate(task), /one of HTTP, HTTPS, NFS, CIFS/);
  assert.deepEqual(task.conversations, []);
});
