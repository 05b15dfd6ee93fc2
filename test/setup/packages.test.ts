// How the test runner detects missing packages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingFrom } from './packages.ts';

const wanted = [
  { name: 'ipmitool', for: 'power' },
  { name: 'openipmi', for: 'the simulated BMC' },
  { name: 'socat', for: 'consoles' },
];

test('packages that dpkg reports as removed or does not report are missing', () => {
  const output = 'ii ipmitool\nrc openipmi\n';
  assert.deepEqual(
    missingFrom(wanted, output).map(({ name }) => name),
    ['openipmi', 'socat'],
  );
});

test('every package is missing when dpkg prints nothing', () => {
  assert.deepEqual(missingFrom(wanted, ''), wanted);
});
