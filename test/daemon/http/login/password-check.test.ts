import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswordCheck } from '../../../../daemon/http/login/password-check.ts';
import type { Accounts } from '../../../../daemon/http/login/password-file.ts';
import type { Credentials } from '../../../../daemon/http/login/password-worker.ts';

const UNLIMITED = { attempt: () => () => undefined };

const PEER = '192.0.2.7';

/** Returns the password check as a function of user, password and address; the address is PEER by default. */
const asLogin =
  (isRight: ReturnType<typeof createPasswordCheck>) =>
  (user: string, password: string, peer = PEER): Promise<boolean> =>
    isRight({ user, password, peer });

const digestOf = (password: string) => `$2b$10$${password.padEnd(53, '.')}`;

/** A check that compares passwords at once, or after `compareWhen`. */
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
    UNLIMITED,
  );
  return { isRight: asLogin(isRight), compared, change: (changed: Accounts) => (accounts = changed) };
}

const ann = new Map([['ann', digestOf('secret')]]);

test('a correct password is accepted and compared once', async () => {
  const { isRight, compared } = check(ann);
  assert.deepEqual([await isRight('ann', 'secret'), await isRight('ann', 'secret')], [true, true]);
  assert.equal(compared.length, 1);
});

test('a wrong password is refused and compared each time', async () => {
  const { isRight, compared } = check(ann);
  assert.deepEqual([await isRight('ann', 'wrong'), await isRight('ann', 'wrong')], [false, false]);
  assert.equal(compared.length, 2);
});

test('an unknown user is refused after a comparison with the algorithm and cost of a known user', async () => {
  const { isRight, compared } = check(ann);
  for (const password of ['secret', 'guess', 'secret']) assert.equal(await isRight('bob', password), false);
  assert.deepEqual(
    compared.map(({ digest }) => digest.slice(0, 7)),
    ['$2b$10$', '$2b$10$', '$2b$10$'],
  );
  assert.ok(compared.every(({ digest }) => digest.length === 60 && digest !== digestOf('secret')));
});

test('an unknown user is refused even if the comparison succeeds', async () => {
  const isRight = asLogin(
    createPasswordCheck(
      () => ann,
      async () => true,
      UNLIMITED,
    ),
  );
  assert.deepEqual([await isRight('bob', 'secret'), await isRight('bob', 'secret')], [false, false]);
});

test('a changed password is compared again, and a removed user is refused', async () => {
  const { isRight, compared, change } = check(ann);
  assert.equal(await isRight('ann', 'secret'), true);
  change(new Map([['ann', digestOf('changed')]]));
  assert.deepEqual([await isRight('ann', 'secret'), await isRight('ann', 'changed')], [false, true]);
  change(new Map([['bob', digestOf('secret')]]));
  assert.deepEqual([await isRight('ann', 'changed'), await isRight('bob', 'secret')], [false, true]);
  assert.equal(compared.length, 5);
});

test('the accepted password of one user is not accepted for another', async () => {
  const { isRight } = check(
    new Map([
      ['ann', digestOf('secret')],
      ['bob', digestOf('other')],
    ]),
  );
  assert.deepEqual([await isRight('ann', 'secret'), await isRight('bob', 'secret')], [true, false]);
});

test('concurrent requests with the same password share one comparison', async () => {
  const gate = Promise.withResolvers<void>();
  const { isRight, compared } = check(ann, gate.promise);
  const asked = [isRight('ann', 'secret'), isRight('ann', 'secret'), isRight('ann', 'secret')];
  gate.resolve();
  assert.deepEqual(await Promise.all(asked), [true, true, true]);
  assert.equal(compared.length, 1);
});

/** A check in which each call of `step` ends one comparison; `compared` lists the passwords in the order of comparison. */
function steppedCheck(accounts: Accounts) {
  const compared: string[] = [];
  const gates: (() => void)[] = [];
  const isRight = createPasswordCheck(
    () => accounts,
    async ({ password }) => {
      compared.push(password);
      await new Promise<void>((resolve) => void gates.push(resolve));
      return password === 'secret';
    },
    UNLIMITED,
  );
  const step = async () => {
    gates.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { isRight: asLogin(isRight), compared, step };
}

test('a login that was not compared does not count as a wrong password', async () => {
  let wrong = 0;
  const attempt = () => {
    wrong += 1;
    return () => void (wrong -= 1);
  };
  const gate = Promise.withResolvers<boolean>();
  const isRight = asLogin(
    createPasswordCheck(
      () => ann,
      () => gate.promise,
      { attempt },
    ),
  );
  const logins = Array.from({ length: 140 }, (_, index) => isRight('ann', `guess ${index}`));
  const outcomes = Promise.allSettled(logins);
  gate.resolve(false);
  const refused = (await outcomes).filter(({ status }) => status === 'rejected').length;
  assert.ok(refused > 0);
  assert.equal(wrong, logins.length - refused);
});

test('one comparison runs at a time', async () => {
  const { isRight, compared, step } = steppedCheck(ann);
  const logins = [isRight('ann', 'one'), isRight('ann', 'two')];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(compared, ['one']);
  await step();
  assert.deepEqual(compared, ['one', 'two']);
  await step();
  assert.deepEqual(await Promise.all(logins), [false, false]);
});

const others: readonly (readonly [string, string, string])[] = [
  ['an unknown user from the same address', 'nobody', PEER],
  ['another user from the same address', 'bob', PEER],
  ['the same user from another address', 'ann', '192.0.2.66'],
];
for (const [whom, user, peer] of others) {
  test(`while a hundred guesses for ${whom} wait, a login waits for two comparisons`, async () => {
    const accounts = new Map([...ann, ['bob', digestOf('other')]]);
    const { isRight, compared, step } = steppedCheck(accounts);
    const guesses = Array.from({ length: 100 }, (_, index) => isRight(user, `guess ${index}`, peer));
    const login = isRight('ann', 'secret');
    while (!compared.includes('secret')) await step();
    assert.deepEqual(compared, ['guess 0', 'guess 1', 'secret']);
    await step();
    assert.equal(await login, true);
    for (let left = 0; left < 100; left += 1) await step();
    assert.ok((await Promise.all(guesses)).every((right) => !right));
  });
}

test('a full queue refuses logins, except those of users who have logged in; other queues still accept logins', async () => {
  const accounts = new Map([...ann, ['bob', digestOf('other')]]);
  const { isRight, step } = steppedCheck(accounts);
  const first = isRight('ann', 'secret');
  await step();
  assert.equal(await first, true);
  // one is being compared and 128 are waiting
  const guesses = Array.from({ length: 129 }, (_, index) => isRight('ann', `guess ${index}`));
  await assert.rejects(isRight('ann', 'one more'), { code: 'LoginsBusy', status: 503 });
  assert.equal(await isRight('ann', 'secret'), true);
  const other = isRight('bob', 'wrong');
  for (let left = 0; left < 130; left += 1) await step();
  assert.equal(await other, false);
  assert.ok((await Promise.all(guesses)).every((right) => !right));
});

test('a comparison that throws is not cached', async () => {
  let fails = true;
  const isRight = asLogin(
    createPasswordCheck(
      () => ann,
      async () => {
        if (fails) throw new Error('the thread ended');
        return true;
      },
      UNLIMITED,
    ),
  );
  await assert.rejects(isRight('ann', 'secret'), /the thread ended/);
  fails = false;
  assert.equal(await isRight('ann', 'secret'), true);
});
