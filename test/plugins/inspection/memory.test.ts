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

test('memory_mb becomes the physical memory in MiB', () => {
  assert.equal(after({ physical_mb: 524_288 }).node.properties['memory_mb'], 524_288);
});

test('physical_mb may be a string', () => {
  assert.equal(after({ physical_mb: '524288' }).node.properties['memory_mb'], 524_288);
});

test('an invalid physical_mb leaves memory_mb unchanged and is logged', () => {
  for (const physical_mb of [null, 1.5, -1, true, '', '8 GiB', [8], {}]) {
    const draft = after({ physical_mb, total: 1 });
    assert.equal(draft.node.properties['memory_mb'], 1);
    assert.match(draft.warnings.join(), /Memory size unchanged: .*physical_mb is /);
  }
});

test('an inventory without physical_mb is invalid', () => {
  for (const found of [null, {}, []]) {
    assert.throws(() => after(found), {
      name: 'InspectionError',
      message: /Invalid inventory: memory\.physical_mb/,
    });
  }
});
