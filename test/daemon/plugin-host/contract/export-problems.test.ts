import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { interfaceTypes } from '../../../../daemon/model/machine/interface-types.ts';
import { exportProblems } from '../../../../daemon/plugin-host/contract/export-problems.ts';
import type { EntryPointGroup } from '../../../../daemon/plugin-host/manifests/manifest.ts';

const groups: readonly EntryPointGroup[] = [
  ...interfaceTypes.map((type) => `ironic.hardware.interfaces.${type}` as const),
  'ironic.inspection.hooks',
  'ironic.drivers',
];

const members = [
  'properties',
  'validate',
  'steps',
  'periodic',
  'nodeMethods',
  'call',
  'dependencies',
  'poll',
  'power',
];

test('checking any export never throws, and each problem found begins with lacks or has', () => {
  const member = fc.oneof(
    fc.anything({ withBigInt: true, withNullPrototype: true }),
    fc.constant(() => 1),
  );
  const exported = fc.dictionary(fc.constantFrom(...members), member);
  fc.assert(
    fc.property(fc.constantFrom(...groups), exported, (group, value) => {
      for (const problem of exportProblems(group, value)) assert.match(problem, /^(?:lacks|has) /);
    }),
  );
});

test('poll of an inspect interface needs a valid interval and the function check', () => {
  const inspect = { properties: {}, validate() {}, inspectHardware() {} };
  const problemsOf = (poll: unknown) =>
    exportProblems('ironic.hardware.interfaces.inspect', { ...inspect, poll });
  const problem = 'has poll, which is not an object with an interval and the function check';
  for (const poll of [1, {}, { check() {} }, { interval: 'often', check() {} }, { interval: -1, check() {} }])
    assert.deepEqual(problemsOf(poll), [problem]);
  assert.deepEqual(problemsOf({ interval: { section: 'acme', option: 'every' }, check() {} }), []);
});

test('a complete export has no problems, and an unknown interface type is reported', () => {
  const base = { properties: {}, validate() {} };
  assert.deepEqual(exportProblems('ironic.hardware.interfaces.storage', base), []);
  assert.deepEqual(exportProblems('ironic.drivers', { storage: base }), []);
  assert.deepEqual(exportProblems('ironic.drivers', { storge: base }), [
    'has storge, which is not an interface type',
  ]);
  assert.deepEqual(exportProblems('ironic.inspection.hooks', { call() {}, dependencies: ['ports'] }), []);
});
