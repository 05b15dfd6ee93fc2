import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json } from '#plugin-api';
import { cpus } from '../../../plugins/inspection/cpus.ts';
import { draftOf } from './draft.ts';

function after(cpu: Json) {
  const draft = draftOf({ inventory: { cpu }, properties: { cpus: 2 } });
  cpus.call?.(draft);
  return draft;
}

test('cpus becomes the number of logical processors, as a number', () => {
  for (const count of [8, '8']) assert.equal(after({ count }).node.properties['cpus'], 8);
});

test('a missing or invalid count leaves cpus unchanged and is logged', () => {
  for (const cpu of [
    null,
    {},
    [],
    ...['', 'eight', 0, null, -1, 1.5, true, '1e3'].map((count) => ({ count })),
  ]) {
    const draft = after(cpu);
    assert.equal(draft.node.properties['cpus'], 2, JSON.stringify(cpu));
    assert.match(draft.warnings.join(), /Number of CPUs unchanged/);
  }
});
