import assert from 'node:assert/strict';
import test from 'node:test';
import type { IpmiConnection } from '../../../plugins/ipmi/connection.ts';
import { ipmitoolArguments } from '../../../plugins/ipmi/ipmitool-arguments.ts';

const connection: IpmiConnection = {
  host: '192.0.2.1',
  port: 623,
  interface: 'lanplus',
  username: '',
  password: 'secret',
  privilegeLevel: 'OPERATOR',
  cipherSuites: [],
  kgKey: Buffer.alloc(0),
  bridging: [],
};
const ipmi = {
  command_retry_timeout: 60,
  min_command_interval: 5,
  disable_boot_timeout: true,
  cipher_suite_versions: [],
};
const session = { connection, cipherSuite: undefined };

test('a plain connection has only the basic arguments', () => {
  assert.deepEqual(
    ipmitoolArguments(session, ipmi, ['power', 'status']).join(' '),
    '-v -I lanplus -H 192.0.2.1 -p 623 -L OPERATOR -R 12 -N 5 -f /dev/fd/3 power status',
  );
});

test('user, cipher suite, bridging and Kg key are added when they are set', () => {
  const full = {
    ...connection,
    username: '-admin',
    kgKey: Buffer.from('key'),
    bridging: ['-b', '7', '-t', '0x72'],
  };
  assert.deepEqual(
    ipmitoolArguments({ ...session, connection: full, cipherSuite: '3' }, ipmi, ['power', 'on']).join(' '),
    '-v -I lanplus -H 192.0.2.1 -p 623 -L OPERATOR -U -admin -C 3 -R 12 -N 5 -f /dev/fd/3 -b 7 -t 0x72 -Y power on',
  );
});

test('at least one retransmission is requested', () => {
  const hasty = ipmitoolArguments(session, { ...ipmi, command_retry_timeout: 3 }, []);
  assert.equal(hasty[hasty.indexOf('-R') + 1], '1');
});
