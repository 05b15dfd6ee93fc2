import assert from 'node:assert/strict';
import test from 'node:test';
import {
  isSameMachineUuid,
  isSameSerialNumber,
  machineUuidIn,
  serialNumberIn,
} from '../../../../daemon/model/machine/machine-identity.ts';

test('serial numbers are the same whatever their case and the white space around them', () => {
  assert.ok(isSameSerialNumber(' cz3108abcd\n', 'CZ3108ABCD'));
  assert.ok(!isSameSerialNumber('CZ3108ABCD', 'CZ3108ABCE'));
  assert.ok(!isSameSerialNumber('CZ 3108', 'CZ3108'));
});

test('placeholders are no serial numbers, and two of them are not the same machine', () => {
  const placeholders = [
    '',
    ' ',
    'Default string',
    'To Be Filled By O.E.M.',
    'None',
    'Not Specified',
    '0123456789',
  ];
  for (const text of [...placeholders, '0000000', '00-00-00', 'xxxxxx', '....', 'N/A']) {
    assert.equal(serialNumberIn(text), undefined, text);
    assert.ok(!isSameSerialNumber(text, text), text);
  }
  for (const text of ['0', '00000001', 'X1', 'NONE1'])
    assert.equal(serialNumberIn(text), text === '0' ? undefined : text);
});

test('UUIDs are the same in all orders of octets that machines and programs use, and not in others', () => {
  const [one, other] = ['33221100-5544-7766-8899-aabbccddeeff', '00112233-4455-6677-8899-AABBCCDDEEFF'];
  assert.ok(isSameMachineUuid(one, other));
  assert.ok(isSameMachineUuid(other, ` ${one} `));
  assert.ok(isSameMachineUuid(one, one.toUpperCase()));
  // as ipmitool prints what it takes for the order of IPMI
  const backwards = ['ffeeddcc-bbaa-9988-7766-554433221100', 'ffeeddcc-bbaa-9988-6677-445500112233'];
  for (const each of backwards)
    for (const known of [one, other])
      assert.ok(isSameMachineUuid(each, known) && isSameMachineUuid(known, each));
  assert.ok(!isSameMachineUuid(one, '33221100-5544-7766-9988-aabbccddeeff'));
});

test('a UUID of zeros or ones, or another text, is none', () => {
  for (const text of [
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
    'x',
    '',
  ]) {
    assert.equal(machineUuidIn(text), undefined);
    assert.ok(!isSameMachineUuid(text, text));
  }
});
