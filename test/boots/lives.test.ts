import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killsDuringLives } from './kills.ts';
import { seededRandom } from './random.ts';
import { troubledLives } from './troubled-lives.ts';

// "npm run boots -- --kills 100" and "--troubles 100" do more of the same, each time with other moments
const RUNS = 16;
const SEED = 1;

test('kill -9 of the daemon at any moment of lives in one ramdisk session: no node claims to be clean or deployed that is not', async (t) => {
  const { met } = await killsDuringLives(RUNS, seededRandom(SEED));
  assert.ok(met.length >= RUNS);
  t.diagnostic(
    [...Map.groupBy(met, (state) => state)].map(([state, all]) => `${state} ${all.length}`).join(', '),
  );
});

test('agents that die, machines that are pulled, reset or switched off, and foreign agents: the same, and all lives go on', async (t) => {
  const happened = await troubledLives(t, RUNS, seededRandom(SEED));
  const times = [...happened.values()].reduce((sum, each) => sum + each, 0);
  assert.ok(times >= RUNS * 0.75, `only ${times} of ${RUNS}`);
});
