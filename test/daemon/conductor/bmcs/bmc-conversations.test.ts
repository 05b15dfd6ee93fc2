import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BmcConversations } from '../../../../daemon/conductor/bmcs/bmc-conversations.ts';
import { fault } from '../../../../daemon/model/faults.ts';
import type { BmcOptions } from '../../../../daemon/plugin-api/index.ts';
import { fakeClock, settled } from '../../../fakes/clock.ts';
import { fakeLogger } from '../../../fakes/task.ts';
import { rejectsFault } from '../../../fakes/faults.ts';

const BMC = 'https://192.0.2.1';
const MINUTE = 60_000;

interface Session {
  readonly token: number;
}

/** Conversations whose states are numbered sessions; `done` lists the logins and logouts in order. */
function setUp() {
  const clock = fakeClock(0);
  const bmcs = new BmcConversations({ clock, log: fakeLogger() });
  const done: string[] = [];
  let sessions = 0;
  const state: NonNullable<BmcOptions<Session>['state']> = {
    key: 'session',
    create() {
      sessions += 1;
      done.push(`log in ${sessions}`);
      return { token: sessions };
    },
    async dispose({ token }) {
      done.push(`log out ${token}`);
    },
  };
  const options = (more: Partial<BmcOptions<Session>> & { readonly urgent?: boolean } = {}) => ({
    deadline: MINUTE,
    node: 'node-1',
    urgent: false,
    signal: new AbortController().signal,
    state,
    ...more,
  });
  const tokenAt = (address: string, more: Parameters<typeof options>[0] = {}) =>
    bmcs.converse(address, options(more), async ({ state: { token } }) => token);
  return { clock, bmcs, done, state, options, tokenAt };
}

test('the state of a conversation is created once and serves the conversations that follow', async () => {
  const { tokenAt, done } = setUp();
  assert.deepEqual(await Promise.all([tokenAt(BMC), tokenAt(BMC), tokenAt(BMC)]), [1, 1, 1]);
  assert.deepEqual(done, ['log in 1']);
});

test('each address, each key and each set of credentials has its own state', async () => {
  const { tokenAt, state } = setUp();
  assert.equal(await tokenAt(BMC), 1);
  assert.equal(await tokenAt('https://192.0.2.2'), 2);
  assert.equal(await tokenAt(BMC, { state: { ...state, key: 'paths' } }), 3);
  assert.equal(await tokenAt(BMC, { credentials: ['admin', 'one'] }), 4);
  assert.equal(await tokenAt(BMC, { credentials: ['admin', 'two'] }), 5);
  assert.equal(await tokenAt(BMC, { credentials: ['admin', 'one'] }), 4);
  assert.equal(await tokenAt(BMC), 1);
});

test('a state that has not been used for five minutes is disposed of, and created again when needed', async () => {
  const { tokenAt, done, clock, bmcs } = setUp();
  await tokenAt(BMC);
  await clock.advance(4 * MINUTE);
  await tokenAt(BMC);
  await clock.advance(4 * MINUTE);
  assert.deepEqual(done, ['log in 1']);
  await clock.advance(MINUTE);
  assert.deepEqual(done, ['log in 1', 'log out 1']);
  assert.equal(bmcs.size, 0);
  assert.equal(await tokenAt(BMC), 2);
});

test('a state that cannot be created fails the conversation and is not kept', async () => {
  const { tokenAt, state, bmcs } = setUp();
  const failing = { ...state, create: () => Promise.reject(new Error('no session left')) };
  await assert.rejects(tokenAt(BMC, { state: failing }), /no session left/);
  assert.equal(bmcs.size, 0);
  assert.equal(await tokenAt(BMC), 1);
});

test('closing disposes of all states', async () => {
  const { tokenAt, done, bmcs, clock } = setUp();
  await tokenAt(BMC);
  await tokenAt('https://192.0.2.2');
  await bmcs.close();
  assert.deepEqual(done, ['log in 1', 'log in 2', 'log out 1', 'log out 2']);
  assert.equal(bmcs.size, 0);
  assert.equal(clock.pending, 0);
});

test('closing waits five seconds at most for a plugin that does not dispose of its state', async () => {
  const { tokenAt, state, bmcs, clock } = setUp();
  await tokenAt(BMC, { state: { ...state, dispose: () => new Promise(() => {}) } });
  let isClosed = false;
  const closing = bmcs.close().then(() => (isClosed = true));
  await clock.advance(4999);
  assert.equal(isClosed, false);
  await clock.advance(1);
  await closing;
});

test('a disposal that fails is not an error', async () => {
  const { tokenAt, state, bmcs, clock } = setUp();
  await tokenAt(BMC, { state: { ...state, dispose: () => Promise.reject(new Error('no')) } });
  await clock.advance(5 * MINUTE);
  assert.equal(bmcs.size, 0);
});

const refusing = async (): Promise<never> => {
  throw fault('BmcCredentialsRefused', {
    operation: 'Login',
    node: 'node-1',
    address: BMC,
    reason: 'wrong password',
  });
};

function setUpLogins() {
  const { clock, bmcs, options } = setUp();
  let asked = 0;
  const credentials = ['admin', 'wrong'];
  const { state: _, ...plain } = options();
  const logIn = (more: { readonly credentials?: readonly string[]; readonly urgent?: boolean } = {}) =>
    bmcs.converse(BMC, { ...plain, credentials, ...more }, async () => {
      asked += 1;
      return refusing();
    });
  const attempts = async (each: ReturnType<typeof logIn>) => {
    const before = asked;
    await rejectsFault(each, 'BmcCredentialsRefused', /wrong password/);
    return asked - before;
  };
  return { clock, bmcs, plain, credentials, logIn, attempts };
}

test('refused credentials are held back for five minutes, then ten, and at most an hour', async () => {
  const { clock, logIn, attempts } = setUpLogins();
  assert.equal(await attempts(logIn()), 1);
  assert.equal(await attempts(logIn()), 0);
  for (const minutes of [5, 10, 20, 40, 60, 60]) {
    await clock.advance(minutes * MINUTE - 1);
    assert.equal(await attempts(logIn()), 0, `before ${minutes} minutes`);
    await clock.advance(1);
    assert.equal(await attempts(logIn()), 1, `after ${minutes} minutes`);
  }
});

test('the fault of a held back login says why and until when', async () => {
  const { logIn } = setUpLogins();
  await assert.rejects(logIn());
  await rejectsFault(
    logIn(),
    'BmcCredentialsRefused',
    /wrong password; .* not tried again before 1970-01-01T00:05:00.000\+00:00 unless driver_info changes/,
  );
});

test('conversations that were waiting when a login was refused do not try the login again', async () => {
  const { logIn, attempts } = setUpLogins();
  const all = Promise.allSettled([logIn(), logIn()]);
  assert.equal(await attempts(logIn()), 1, 'the three together');
  await all;
});

test('other credentials are tried at once', async () => {
  const { logIn, attempts } = setUpLogins();
  assert.equal(await attempts(logIn()), 1);
  assert.equal(await attempts(logIn({ credentials: ['admin', 'also wrong'] })), 1);
});

test("an operator's request tries a refused login again after half a minute", async () => {
  const { clock, logIn, attempts } = setUpLogins();
  assert.equal(await attempts(logIn()), 1);
  assert.equal(await attempts(logIn({ urgent: true })), 0);
  await clock.advance(30_000);
  assert.equal(await attempts(logIn()), 0);
  assert.equal(await attempts(logIn({ urgent: true })), 1);
});

test('after a login that succeeds, the next refusal holds the login back for only five minutes again', async () => {
  const { clock, bmcs, plain, credentials, logIn, attempts } = setUpLogins();
  assert.equal(await attempts(logIn()), 1);
  await clock.advance(5 * MINUTE);
  assert.equal(await bmcs.converse(BMC, { ...plain, credentials }, async () => 'in'), 'in');
  assert.equal(await attempts(logIn()), 1);
  await clock.advance(5 * MINUTE);
  assert.equal(await attempts(logIn()), 1);
});

test('a refusal counts as an answer of the BMC; a login that is held back is neither an answer nor a failure', async () => {
  const { bmcs, plain, credentials, logIn } = setUpLogins();
  const unanswered = () =>
    bmcs.converse(BMC, plain, async () => {
      throw fault('BmcFailure', { operation: 'Reading', node: 'node-1', address: BMC, reason: 'silence' });
    });
  const refused = () =>
    bmcs.converse(BMC, plain, async () => {
      throw fault('BmcRefused', {
        operation: 'Reset',
        node: 'node-1',
        address: BMC,
        status: 400,
        message: 'ActionNotSupported',
        reason: 'no',
      });
    });
  await assert.rejects(unanswered(), /silence/);
  await assert.rejects(unanswered(), /silence/);
  await assert.rejects(refused(), /answered with 400 \(ActionNotSupported\): no/);
  await assert.rejects(unanswered(), /silence/);
  await assert.rejects(unanswered(), /silence/);
  await assert.rejects(refused(), /answered with 400/, 'the breaker is still closed');
  await assert.rejects(logIn({ credentials }));
  for (let times = 0; times < 2; times += 1) await assert.rejects(unanswered(), /silence/);
  await assert.rejects(logIn({ credentials }), /wrong password/);
  await assert.rejects(unanswered(), /silence/);
  await settled();
  await assert.rejects(refused(), /it has not answered since/, 'the breaker has opened');
});

test('parallel conversations share one state; if it could not be created, later conversations try again', async () => {
  const { bmcs, options, state, done } = setUp();
  const parallel = { parallel: 3 };
  const token = (more: object) =>
    bmcs.converse(BMC, options({ ...parallel, ...more }), async ({ state: one }) => one.token);
  const failing = { ...state, create: async (): Promise<Session> => Promise.reject(new Error('no session')) };
  const refused = await Promise.allSettled([token({ state: failing }), token({ state: failing })]);
  assert.deepEqual(
    refused.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual(await Promise.all([token({}), token({}), token({})]), [1, 1, 1]);
  assert.deepEqual(done, ['log in 1']);
});
