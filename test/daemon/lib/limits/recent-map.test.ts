import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentMap } from '../../../../daemon/lib/limits/recent-map.ts';

test('a full map forgets the entry that was set longest ago; setting an entry again makes it the newest', () => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => map.get(key)),
    [3, undefined, 4],
  );
});
