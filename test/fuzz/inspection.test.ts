import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fuzzDaemon,
  fuzzFormats,
  fuzzHints,
  fuzzLldp,
  fuzzReports,
  fuzzRules,
  type Tally,
} from './inspection.ts';

const seed = 20_778;

function assertBoth({ processed, refused }: Tally): void {
  assert.ok(processed > 0 && refused > 0, `${processed} processed, ${refused} refused`);
}

test('mutated reports are processed or refused, and an unchanged one between them always has the same result', async () => {
  assertBoth(await fuzzReports(2000, seed));
});

test('any LLDP data is parsed or ignored', async () => {
  assertBoth(await fuzzLldp(1000, seed));
});

test('rules are refused, fail, or change only the data that hooks may edit', async () => {
  assertBoth(await fuzzRules(3000, seed));
});

test('texts with references are formatted as in Python', () => fuzzFormats(5000, seed).then(assertBoth));

test('root device hints select disks or are refused', async () => {
  assertBoth(await fuzzHints(2000, seed));
});

test('a daemon survives 60 mutated reports from ramdisks', async (t) => {
  assertBoth(await fuzzDaemon(t, 60, seed));
});
