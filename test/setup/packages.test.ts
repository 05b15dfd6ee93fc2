// How the test runner judges what is installed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingFrom } from './packages.ts';

const wanted = [
  { name: 'ipmitool', for: 'power' },
  { name: 'openipmi', for: 'the simulated BMC' },
  { name: 'socat', for: 'consoles' },
];

test('only a package that dpkg reports as installed counts: removed and unknown ones are missing', () => {
  const output = 'ii ipmitool\nrc openipmi\n';
  assert.deepEqual(
    missingFrom(wanted, output).map(({ name }) => name),
    ['openipmi', 'socat'],
  );
});

test('without any output of dpkg everything is missing', () => {
  assert.deepEqual(missingFrom(wanted, ''), wanted);
});
