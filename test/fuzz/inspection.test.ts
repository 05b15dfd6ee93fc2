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

test('mutated reports are processed or refused, and none changes what comes of another', async () => {
  assertBoth(await fuzzReports(2000, seed));
});

test('whatever a switch sends is parsed or ignored', async () => {
  assertBoth(await fuzzLldp(1000, seed));
});

test('rules are refused or do what they say, and nothing beside', async () => {
  assertBoth(await fuzzRules(3000, seed));
});

test('texts with references are filled in as Python does it', () => fuzzFormats(5000, seed).then(assertBoth));

test('root device hints choose disks or are refused', async () => {
  assertBoth(await fuzzHints(2000, seed));
});

test('a daemon goes on whatever ramdisks post', async (t) => {
  assertBoth(await fuzzDaemon(t, 60, seed));
});
