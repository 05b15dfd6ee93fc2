import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { dumpFiles, FIXTURES, PAGE, tableOf } from './table.ts';

test('no operation fails on any of the BMCs, and redfish.md shows what each gives', async () => {
  assert.equal(dumpFiles(FIXTURES).length, 11);
  const table = await tableOf(FIXTURES);
  assert.doesNotMatch(table, /fails:/);
  const command = 'daemon/cli/node test/plugins/redfish/dumps/table.ts';
  assert.ok(readFileSync(PAGE, 'utf8').includes(table), `${command} writes the table:\n${table}`);
});
