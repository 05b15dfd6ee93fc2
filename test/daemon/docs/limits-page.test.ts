// The page lists every limit of what can be sent without a login, with its value.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { bootLoopLimits, dhcpLimits, tftpLimits } from '../../../daemon/boot/limits.ts';
import { bmcEventLimits, timelineLimits } from '../../../daemon/conductor/limits.ts';

const page = readFileSync(new URL('../../../daemon/docs/secure.md', import.meta.url), 'utf8');
const tables = { dhcpLimits, tftpLimits, bootLoopLimits, timelineLimits, bmcEventLimits };

test('the page Secure lists each limit without an option, with its value', () => {
  const listed = page
    .matchAll(/^\| `(\w+Limits\.\w+)` +\| ([\d,]+) +\|/gm)
    .map(([, name, value]) => `${name} = ${value?.replaceAll(',', '')}`)
    .toArray();
  const real = Object.entries(tables).flatMap(([table, limits]) =>
    Object.entries(limits).map(([name, value]) => `${table}.${name} = ${value}`),
  );
  assert.deepEqual(listed, real);
});
