import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswordCheck } from '../../../daemon/api/password-check.ts';
import type { Accounts } from '../../../daemon/api/password-file.ts';
import type { Credentials } from '../../../daemon/api/password-worker.ts';

const digestOf = (password: string) => `$2b$10$${password.padEnd(53, '.')}`;

/** Passwords that are compared at once, or when the test says so. */
function check(initial: Accounts, compareWhen: Promise<void> = Promise.resolve()) {
  const compared: Credentials[] = [];
  let accounts = initial;
  const isRight = createPasswordCheck(
    () => accounts,
    async (credentials) => {
      compared.push(credentials);
      await compareWhen;
      return credentials.digest === digestOf(credentials.password);
    },
  );
  return { isRight, compared, change: (changed: Accounts) => (accounts = changed) };
}

const ann = new Map([['ann', digestOf('secret')]]);

test('the right password is right and is compared once', async () => {
  const { isRight, compared } = check(ann);
  assert.deepEqual([await isRight('ann', 'secret'), await isRight('ann', 'secret')], [true, true]);
  assert.equal(compared.length, 1);
});

test('a wrong password is wrong and is compared each time', async () => {
  const { isRight, compared } = check(ann);
  assert.deepEqual([await isRight('ann', 'wrong'), await isRight('ann', 'wrong')], [false, false]);
  assert.equal(compared.length, 2);
});

test('a user that does not exist costs the same comparison, which nothing passes', async () => {
  const { isRight, compared } = check(ann);
  for (const password of ['secret', 'guess', 'secret']) assert.equal(await isRight('bob', password), false);
  assert.deepEqual(
    compared.map(({ digest }) => digest.slice(0, 7)),
    ['$2b$10$', '$2b$10$', '$2b$10$'],
  );
  assert.ok(compared.every(({ digest }) => digest.length === 60 && digest !== digestOf('secret')));
});

test('a user that does not exist is refused even by a comparison that says yes', async () => {
  const isRight = createPasswordCheck(
    () => ann,
    async () => true,
  );
  assert.deepEqual([await isRight('bob', 'secret'), await isRight('bob', 'secret')], [false, false]);
});

test('a user is asked again when the password changed, and refused when removed', async () => {
  const { isRight, compared, change } = check(ann);
  assert.equal(await isRight('ann', 'secret'), true);
  change(new Map([['ann', digestOf('changed')]]));
  assert.deepEqual([await isRight('ann', 'secret'), await isRight('ann', 'changed')], [false, true]);
  change(new Map([['bob', digestOf('secret')]]));
  assert.deepEqual([await isRight('ann', 'changed'), await isRight('bob', 'secret')], [false, true]);
  assert.equal(compared.length, 5);
});

test('what one user proved is worth nothing to another', async () => {
  const { isRight } = check(
    new Map([
      ['ann', digestOf('secret')],
      ['bob', digestOf('other')],
    ]),
  );
  assert.deepEqual([await isRight('ann', 'secret'), await isRight('bob', 'secret')], [true, false]);
});

test('requests with the same new password wait for one comparison', async () => {
  const gate = Promise.withResolvers<void>();
  const { isRight, compared } = check(ann, gate.promise);
  const asked = [isRight('ann', 'secret'), isRight('ann', 'secret'), isRight('ann', 'secret')];
  gate.resolve();
  assert.deepEqual(await Promise.all(asked), [true, true, true]);
  assert.equal(compared.length, 1);
});

test('guesses beyond the limit are told to wait, while who is known passes', async () => {
  const gate = Promise.withResolvers<void>();
  let open = true;
  const isRight = createPasswordCheck(
    () => ann,
    async ({ password }) => {
      if (!open) await gate.promise;
      return password === 'secret';
    },
  );
  assert.equal(await isRight('ann', 'secret'), true);
  open = false;
  const guesses = Array.from({ length: 32 }, (_, index) => isRight('ann', `guess ${index}`));
  await assert.rejects(isRight('ann', 'one more'), { code: 'LoginsBusy', status: 503 });
  assert.equal(await isRight('ann', 'secret'), true);
  gate.resolve();
  assert.ok((await Promise.all(guesses)).every((right) => !right));
  assert.equal(await isRight('ann', 'one more'), false);
});

test('a comparison that fails is not remembered', async () => {
  let fails = true;
  const isRight = createPasswordCheck(
    () => ann,
    async () => {
      if (fails) throw new Error('the thread ended');
      return true;
    },
  );
  await assert.rejects(isRight('ann', 'secret'), /the thread ended/);
  fails = false;
  assert.equal(await isRight('ann', 'secret'), true);
});
