// Which names are traits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standardTraits } from '../../../daemon/model/standard-traits.ts';
import { isTrait } from '../../../daemon/model/traits.ts';

test('a standard name and a CUSTOM_ name of capitals, digits and underscores are traits', () => {
  for (const name of ['HW_CPU_X86_VMX', 'STORAGE_DISK_SSD', 'CUSTOM_GOLD', 'CUSTOM_1_A', 'CUSTOM__']) {
    assert.equal(isTrait(name), true, name);
  }
});

test('any other name is not a trait', () => {
  for (const name of [
    '',
    'CUSTOM_',
    'CUSTOM_gold',
    'CUSTOM_A-B',
    'custom_a',
    'HW_CPU_X86_NOPE',
    'A CUSTOM_A',
  ]) {
    assert.equal(isTrait(name), false, name);
  }
  assert.equal(isTrait('CUSTOM_A\n'), false);
});

test('a trait has at most 255 characters', () => {
  assert.equal(isTrait(`CUSTOM_${'A'.repeat(248)}`), true);
  assert.equal(isTrait(`CUSTOM_${'A'.repeat(249)}`), false);
});

test('there are as many standard names as in os-traits 3.9.0, well formed and none of them custom', () => {
  assert.equal(standardTraits.size, 377);
  for (const name of standardTraits) assert.match(name, /^(?!CUSTOM_)[A-Z0-9_]{1,255}$/);
});
