import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json } from '#plugin-api';
import { memory } from '../../../plugins/inspection/memory.ts';
import { draftOf } from './draft.ts';

function after(found: Json) {
  const draft = draftOf({ inventory: { memory: found }, properties: { memory_mb: 1 } });
  memory.call?.(draft);
  return draft;
}

test('the physical memory in MiB becomes a property', () => {
  assert.equal(after({ physical_mb: 524_288 }).node.properties['memory_mb'], 524_288);
});

test('it may be written as a text', () => {
  assert.equal(after({ physical_mb: '524288' }).node.properties['memory_mb'], 524_288);
});

test('memory that the ramdisk could not find out, or wrote as no size, leaves the property', () => {
  for (const physical_mb of [null, 1.5, -1, true, '', '8 GiB', [8], {}]) {
    const draft = after({ physical_mb, total: 1 });
    assert.equal(draft.node.properties['memory_mb'], 1);
    assert.match(draft.warnings.join(), /Memory size unchanged: .*physical_mb is /);
  }
});

test('an inventory that does not tell is invalid', () => {
  for (const found of [null, {}, []]) {
    assert.throws(() => after(found), {
      name: 'InspectionError',
      message: /Invalid inventory: memory\.physical_mb/,
    });
  }
});
