import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { Fault, type JsonObject } from '../../../daemon/plugin-api/index.ts';
import { bmcUrl, connectionOf } from '../../../plugins/ipmi/connection.ts';
import { fakeNode } from '../../fakes/task.ts';

const connect = (driverInfo: JsonObject, suites: readonly string[] = []) =>
  connectionOf(fakeNode({ driver_info: { ipmi_address: '192.0.2.1', ...driverInfo } }), suites);

test('ipmi_address is the only required field', () => {
  assert.deepEqual(connect({}), {
    host: '192.0.2.1',
    port: 623,
    interface: 'lanplus',
    username: '',
    password: '',
    privilegeLevel: 'ADMINISTRATOR',
    cipherSuites: [],
    kgKey: Buffer.alloc(0),
    bridging: [],
  });
});

test('a missing ipmi_address is reported with the command to set it', () => {
  assert.throws(() => connect({ ipmi_address: null }), {
    code: 'DriverInfoMissing',
    message: /parameters of node .* are missing: ipmi_address\. Set them with: baremetal node set/,
  });
});

const url = (address: string) => bmcUrl(connect({ ipmi_address: address }));

test('different spellings of an address give the same URL', () => {
  assert.equal(url('192.0.2.1'), 'ipmi://192.0.2.1:623');
  assert.equal(url('2001:DB8:0::1'), 'ipmi://[2001:db8::1]:623');
  assert.equal(url('[2001:db8::1]'), 'ipmi://[2001:db8::1]:623');
  assert.equal(url('fe80::1%eth0'), 'ipmi://[fe80::1%eth0]:623');
  assert.equal(url('BMC-1.example'), 'ipmi://bmc-1.example:623');
});

for (const address of [
  '-v',
  '-Ipath',
  '--help',
  'a b',
  'a;reboot',
  '$(reboot)',
  '10.0.0.300',
  '10.0.0',
  'http://192.0.2.1',
  '192.0.2.1:623',
  'a..b',
  'a-.example',
  'a\n',
  'x'.repeat(64),
]) {
  test(`the address ${JSON.stringify(address).slice(0, 30)} is refused`, () => {
    assert.throws(() => connect({ ipmi_address: address }), {
      code: 'DriverInfoInvalid',
      message: /Expected an IP address or a host name\.$/,
    });
  });
}

test('cipher suite 0 is refused in driver_info and in the configuration', () => {
  const expected = /suite 0 would accept any login without a password/;
  assert.throws(() => connect({ ipmi_cipher_suite: 0 }), { code: 'DriverInfoInvalid', message: expected });
  assert.throws(() => connect({ ipmi_cipher_suite: '0' }), expected);
  assert.throws(() => connect({ ipmi_cipher_suite: '00' }), expected);
  assert.throws(() => connect({}, ['3', '0']), { code: 'Invalid', message: expected });
});

test("the cipher suites are the node's, or else the configured ones in reverse order; IPMI 1.5 has none", () => {
  assert.deepEqual(connect({ ipmi_cipher_suite: 3 }, ['3', '17']).cipherSuites, ['3']);
  assert.deepEqual(connect({}, ['3', '17']).cipherSuites, ['17', '3']);
  assert.deepEqual(connect({ ipmi_protocol_version: '1.5' }, ['3']).cipherSuites, []);
});

test('a password that is too long, has control characters or is an object is refused without being shown', () => {
  assert.equal(connect({ ipmi_password: 'p'.repeat(20) }).password.length, 20);
  assert.equal(connect({ ipmi_password: 1234 }).password, '1234');
  for (const [ipmi_password, version] of [
    ['hunter2'.repeat(3), '2.0'],
    ['hunter2-hunter2-h', '1.5'],
    ['hunter2é-hunter2é-h', '2.0'],
    ['hunter2\n', '2.0'],
    ['hunter2\t', '2.0'],
    [{ hunter2: 1 }, '2.0'],
  ] as const) {
    assert.throws(
      () => connect({ ipmi_password, ipmi_protocol_version: version }),
      (error) =>
        error instanceof Fault && /ipmi_password/.test(error.message) && !/hunter2/.test(error.message),
    );
  }
});

test('an ipmi_username that IPMI cannot transmit is refused', () => {
  assert.throws(() => connect({ ipmi_username: 'u'.repeat(17) }), /ipmi_username .* at most 16 bytes/);
  assert.throws(() => connect({ ipmi_username: 'a\0b' }), { code: 'DriverInfoInvalid' });
});

test('the zero padding of a Kg key is removed', () => {
  assert.deepEqual(connect({ ipmi_hex_kg_key: `61FF${'00'.repeat(18)}` }).kgKey, Buffer.from([0x61, 0xff]));
  assert.equal(connect({ ipmi_hex_kg_key: '00'.repeat(20) }).kgKey.length, 0);
});

test('an invalid Kg key is refused without being shown', () => {
  for (const key of [`6100${'61'.repeat(18)}`, `610a${'61'.repeat(18)}`, '61', `${'61'.repeat(19)}6g`]) {
    assert.throws(
      () => connect({ ipmi_hex_kg_key: key }),
      (error) =>
        error instanceof Fault && /ipmi_hex_kg_key/.test(error.message) && !error.message.includes(key),
    );
  }
});

test('bridging requires its channels and addresses as numbers', () => {
  const single = { ipmi_bridging: 'single', ipmi_target_channel: 7, ipmi_target_address: '0x72' };
  assert.deepEqual(connect(single).bridging, ['-b', '7', '-t', '0x72']);
  assert.deepEqual(
    connect({
      ...single,
      ipmi_bridging: 'dual',
      ipmi_local_address: '0x20',
      ipmi_transit_channel: '0',
      ipmi_transit_address: '0x82',
    }).bridging,
    ['-m', '0x20', '-B', '0', '-T', '0x82', '-b', '7', '-t', '0x72'],
  );
  assert.deepEqual(connect({ ...single, ipmi_bridging: 'no' }).bridging, []);
  assert.throws(
    () => connect({ ...single, ipmi_bridging: 'dual' }),
    /missing: ipmi_transit_channel, ipmi_transit_address\./,
  );
  assert.throws(() => connect({ ...single, ipmi_target_channel: '256' }), /ipmi_target_channel .* 0 to 255/);
  assert.throws(() => connect({ ...single, ipmi_target_channel: '-1' }), /ipmi_target_channel .* 0 to 255/);
  assert.throws(() => connect({ ipmi_bridging: 'triple' }), /Expected one of no, single, dual/);
});

test('any driver_info becomes a connection or a fault, and no address or channel can pass as an option of ipmitool', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^-{0,2}[\w.:%-]*$/),
    fc.jsonValue(),
  );
  const driverInfo = fc.record(
    {
      ipmi_address: value,
      ipmi_port: value,
      ipmi_username: value,
      ipmi_password: value,
      ipmi_cipher_suite: value,
      ipmi_bridging: fc.constantFrom('no', 'single'),
      ipmi_target_channel: value,
      ipmi_target_address: value,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(driverInfo, (fields) => {
      try {
        const { host, bridging } = connect(fields as JsonObject);
        assert.match(host, /^[a-z0-9_:][\w.:%-]*$/i);
        assert.ok(bridging.every((word, index) => word.startsWith('-') === (index % 2 === 0)));
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        assert.equal(error.status, 400);
      }
    }),
    { numRuns: 500 },
  );
});
