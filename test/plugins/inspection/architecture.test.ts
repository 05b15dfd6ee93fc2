// The CPU architecture of a node.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json } from '#plugin-api';
import { architecture } from '../../../plugins/inspection/architecture.ts';
import { draftOf } from './draft.ts';

test('cpu_arch is set and the other properties stay', () => {
  const draft = draftOf({
    inventory: { cpu: { architecture: 'aarch64' } },
    properties: { cpus: 4, cpu_arch: 'x86_64' },
  });
  architecture.call?.(draft);
  assert.deepEqual(draft.node.properties, { cpus: 4, cpu_arch: 'aarch64' });
});

test('an empty architecture is accepted', () => {
  const draft = draftOf({ inventory: { cpu: { architecture: '' } } });
  architecture.call?.(draft);
  assert.deepEqual(draft.node.properties, { cpu_arch: '' });
});

test('an architecture that the inventory does not know leaves the one of the operator', () => {
  for (const name of ['', null]) {
    const draft = draftOf({
      inventory: { cpu: { architecture: name } },
      properties: { cpu_arch: 'aarch64' },
    });
    architecture.call?.(draft);
    assert.deepEqual(draft.node.properties, { cpu_arch: 'aarch64' });
    assert.match(draft.warnings.join(), /^Architecture unchanged: /);
  }
});

const invalid: readonly [title: string, inventory: Json, received: RegExp][] = [
  ['no cpu', {}, /missing/],
  ['cpu that is null', { cpu: null }, /missing/],
  ['cpu that is a list', { cpu: ['x86_64'] }, /missing/],
  ['cpu without architecture', { cpu: {} }, /missing/],
  ['an architecture that is a list', { cpu: { architecture: ['x86_64'] } }, /x86_64/],
  ['an architecture that is a number', { cpu: { architecture: 64 } }, /is 64,/],
  ['an architecture with a line break', { cpu: { architecture: 'x86\n64' } }, /x86\\n64/],
  ['an architecture of 65 characters', { cpu: { architecture: 'x'.repeat(65) } }, /xxx/],
];

for (const [title, inventory, received] of invalid) {
  test(`${title} is an invalid inventory and changes nothing`, () => {
    const draft = draftOf({ inventory, properties: { cpu_arch: 'x86_64' } });
    assert.throws(
      () => architecture.call?.(draft),
      (error: Error) => {
        assert.equal(error.name, 'InspectionError');
        assert.match(error.message, /^Invalid inventory: cpu\.architecture is .*, expected/);
        assert.match(error.message, received);
        return true;
      },
    );
    assert.deepEqual(draft.node.properties, { cpu_arch: 'x86_64' });
  });
}
