import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWorkerPool } from '../../../../daemon/conductor/tasks/workers.ts';

test('background work cannot use the reserved workers; a full pool rejects requests too', () => {
  const pool = createWorkerPool(10, 25);
  const places = Array.from({ length: 8 }, () => pool.enter('background'));
  assert.throws(() => pool.enter('background'), /10 are busy/);
  places.push(pool.enter('request'), pool.enter('request'));
  assert.throws(() => pool.enter('request'), /10 are busy/);
  places.pop()?.();
  pool.enter('request');
});

test('releasing a worker twice frees only one place', () => {
  const pool = createWorkerPool(1, 0);
  const leave = pool.enter('request');
  leave();
  const next = pool.enter('request');
  leave();
  assert.throws(() => pool.enter('request'));
  next();
});

test('a closed pool rejects new work and becomes idle when the last work ends', async () => {
  const pool = createWorkerPool(2, 0);
  const leave = pool.enter('request');
  let idle = false;
  const ended = pool.idle().then(() => (idle = true));
  pool.close();
  assert.throws(() => pool.enter('request'), /shutting down/);
  await Promise.resolve();
  assert.equal(idle, false);
  leave();
  await ended;
  await pool.idle();
});
