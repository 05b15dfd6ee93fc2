import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PageVisitor } from '../../../fakes/people/page-visitor.ts';
import { DIGESTS, startWithUsers } from '../../../fakes/people/daemon-with-users.ts';

const daemon = await startWithUsers({ after });

test('guessing on the form has the limits of the API, and tells nobody which users exist', async (t) => {
  const guessed = await startWithUsers(t);
  const visitor = new PageVisitor(guessed.app);
  const shown: string[] = [];
  for (const user of ['ann', 'nobody']) {
    const { status, text } = await visitor.signIn(user, 'wrong');
    assert.equal(status, 401);
    shown.push(text.replaceAll(user, 'USER'));
  }
  assert.equal(shown[0], shown[1]);
  const statuses: number[] = [];
  for (let guess = 0; guess < 12; guess += 1)
    statuses.push((await visitor.signIn('ann', `guess ${guess}`)).status);
  assert.deepEqual(
    statuses.slice(0, 9),
    Array.from({ length: 9 }, () => 401),
  );
  assert.deepEqual(statuses.slice(9), [429, 429, 429]);
  const { status, text, headers } = await visitor.signIn('ann', 'secret');
  assert.equal(status, 429);
  assert.equal(headers.get('retry-after'), '60');
  assert.match(text, /role="alert"/);
  // the limit is one for the form and for Basic
  const basic = { authorization: `Basic ${btoa('ann:another')}` };
  assert.equal((await guessed.request('GET', '/v1/nodes', { headers: basic })).status, 429);
  await guessed.clock.advance(60_000);
  assert.equal((await visitor.signIn('ann', 'secret')).status, 303);
});

test('what is typed is shown as text, and no password is shown, logged or kept', async () => {
  const visitor = new PageVisitor(daemon.app);
  const hostile = '"><script>alert(1)</script>';
  const { text, status } = await visitor.signIn(hostile, 'hunter2hunter2', hostile);
  assert.equal(status, 401);
  assert.ok(!text.includes('<script>alert'), text);
  assert.ok(!text.includes('hunter2'));
  assert.ok(!daemon.log().includes('hunter2'));
  for (const [user, password] of [
    ['ann', 'secret\0secret'],
    ['ann:x', 'secret'],
    ['ann\n', 'secret'],
    ['', ''],
  ] as const)
    assert.equal((await visitor.signIn(user, password)).status, 401, JSON.stringify([user, password]));
});

test('names of users and browsers are shown as text', async (t) => {
  const hostile = '<img src=x onerror=alert(1)>';
  const shown = await startWithUsers(t);
  shown.writeAccounts([`${hostile}:${DIGESTS.secret}`]);
  const visitor = new PageVisitor(shown.app, 'http://ironic.test', { 'user-agent': hostile });
  assert.equal((await visitor.signIn(hostile, 'secret')).status, 303);
  for (const place of ['/ui/', '/ui/users', '/ui/sessions']) {
    const { text } = await visitor.open(place);
    assert.ok(text.includes('&lt;img src=x'), place);
    assert.ok(!text.includes(hostile), place);
  }
  const made = await visitor.submit('/ui/users/tokens', { user: hostile, until: hostile });
  assert.match(made.text, /is not a name of up to 255 characters/);
  assert.ok(!made.text.includes(hostile));
});

test('the view Users makes a token, shows it once, and revokes it; wrong input stays in the form with the reason', async () => {
  const ann = new PageVisitor(daemon.app);
  await ann.signIn('ann', 'secret');
  const made = await ann.submit('/ui/users/tokens', { user: 'backup', until: '2099-12-31' });
  const [token = ''] = /iet_[\w-]{43}/.exec(made.text) ?? [];
  const asked = () => daemon.request('GET', '/v1/nodes', { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await asked()).status, 200);
  const { text } = await ann.open('/ui/users');
  assert.ok(!text.includes(token.slice(4)));
  const id = /name="token" value="([0-9a-f-]{36})"/.exec(text)?.[1] ?? assert.fail(text);
  const refused = await ann.submit('/ui/users/tokens', { user: 'backup', until: '2099-02-31' });
  assert.match(refused.text, /is not a day such as/);
  assert.match(refused.text, /value="2099-02-31"/);
  assert.equal((await ann.submit('/ui/users/tokens/revoke', { token: id })).location, '/ui/users');
  assert.equal((await asked()).status, 401);
  assert.match(
    (await ann.submit('/ui/users/tokens/revoke', { token: id })).text,
    /There is no token with id/,
  );
});
