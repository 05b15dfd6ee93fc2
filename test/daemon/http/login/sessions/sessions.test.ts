import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { restore } from '../../../../../daemon/db/copies/restore.ts';
import { backUp } from '../../../../../daemon/db/copies/back-up.ts';
import { createDatabase } from '../../../../../daemon/db/database.ts';
import { PageSessions } from '../../../../../daemon/http/login/sessions/sessions.ts';
import { PageVisitor } from '../../../../fakes/people/page-visitor.ts';
import { fakeClock } from '../../../../fakes/clock.ts';
import { DIGESTS, startWithUsers } from '../../../../fakes/people/daemon-with-users.ts';
import { fastDirectory } from '../../../../fakes/daemon/in-process-daemon.ts';

const HOUR = 3_600_000;
const SHORT = '[ui]\nsession_idle_time = 7200\nsession_lifetime = 86400\n';

const isSignedIn = async (visitor: PageVisitor) => (await visitor.open('/ui/')).status === 200;

test('a session outlives a restart of the daemon', async (t) => {
  const clock = fakeClock();
  const first = await startWithUsers(t, { clock });
  const visitor = new PageVisitor(first.app);
  await visitor.signIn('ann', 'secret');
  await first.stop();
  const second = await startWithUsers(t, { clock, stateDirectory: first.stateDirectory });
  const again = new PageVisitor(second.app);
  for (const [name, value] of visitor.cookies) again.cookies.set(name, value);
  assert.equal(await isSignedIn(again), true);
});

test('a session ends some time after its last use, and at the latest some time after the sign-in', async (t) => {
  const daemon = await startWithUsers(t, { ini: SHORT });
  const idle = new PageVisitor(daemon.app);
  const busy = new PageVisitor(daemon.app);
  await idle.signIn('ann', 'secret');
  await busy.signIn('ann', 'secret');
  for (let hours = 0; hours < 23; hours += 1) {
    await daemon.clock.advance(HOUR);
    assert.equal(await isSignedIn(busy), true, `after ${hours + 1} hours`);
  }
  assert.equal(await isSignedIn(idle), false);
  await daemon.clock.advance(HOUR);
  assert.equal(await isSignedIn(busy), false);
});

test('a page that refreshes itself keeps no session from ending', async (t) => {
  const daemon = await startWithUsers(t, { ini: SHORT });
  const visitor = new PageVisitor(daemon.app);
  await visitor.signIn('ann', 'secret');
  const refreshed = async () => (await visitor.script('/ui/', { headers: { accept: 'text/html' } })).status;
  await daemon.clock.advance(1.5 * HOUR);
  assert.equal(await refreshed(), 200);
  await daemon.clock.advance(HOUR);
  assert.equal(await refreshed(), 401);
});

test('sessions end when the password, the role or the user is gone, and those of others stay', async (t) => {
  const clock = fakeClock();
  const daemon = await startWithUsers(t, { clock });
  const [ann, olga, rita] = ['ann', 'olga', 'rita'].map(() => new PageVisitor(daemon.app)) as [
    PageVisitor,
    PageVisitor,
    PageVisitor,
  ];
  await ann.signIn('ann', 'secret');
  await olga.signIn('olga', 'secret');
  await rita.signIn('rita', 'secret');
  daemon.writeAccounts([`ann:${DIGESTS.horse}`, `rita:${DIGESTS.secret}`]);
  assert.deepEqual(await Promise.all([ann, olga, rita].map(isSignedIn)), [false, false, true]);
  daemon.writeAccounts([`ann:${DIGESTS.secret}`, `rita:${DIGESTS.secret}`]);
  await daemon.stop();
  const demoted = await startWithUsers(t, {
    clock,
    stateDirectory: daemon.stateDirectory,
    ini: 'admins = rita\n[users]\nreaders = none\n',
  });
  const again = new PageVisitor(demoted.app);
  for (const [name, value] of rita.cookies) again.cookies.set(name, value);
  assert.equal(await isSignedIn(again), false);
});

test('a user has at most 20 sessions: one more ends the one that was not used for the longest time', async (t) => {
  const daemon = await startWithUsers(t);
  const visitors = Array.from({ length: 21 }, () => new PageVisitor(daemon.app));
  for (const visitor of visitors) {
    await visitor.signIn('ann', 'secret');
    await daemon.clock.advance(1000);
  }
  assert.equal(daemon.services.db.userSessions.list().length, 20);
  assert.deepEqual(await Promise.all(visitors.slice(0, 2).map(isSignedIn)), [false, true]);
});

test('a stream of events ends when its session does: at once by signing out, within a minute when the password changes', async (t) => {
  const daemon = await startWithUsers(t);
  const stream = async () => {
    const visitor = new PageVisitor(daemon.app);
    await visitor.signIn('ann', 'secret');
    const { body, status } = await visitor.raw('/v1/events/stream', {
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    assert.equal(status, 200);
    const reader = body?.getReader() ?? assert.fail('no stream');
    assert.equal((await reader.read()).done, false);
    return { visitor, ended: untilDone(reader) };
  };
  const [first, second] = [await stream(), await stream()];
  await first.visitor.submit('/ui/logout', {});
  await first.ended;
  daemon.writeAccounts([`ann:${DIGESTS.horse}`]);
  await daemon.clock.advance(60_000);
  await second.ended;
});

test('what is opened at the moment in which its session ends is closed too, and nothing happens after the stop of the daemon', async (t) => {
  const daemon = await startWithUsers(t);
  const { services, clock } = daemon;
  const sessions = new PageSessions(services, () => true);
  sessions.begin({ user: 'ann', role: null, basis: '', address: null, browser: '' });
  const { id } = sessions.list()[0] ?? assert.fail('no session');
  const closed: string[] = [];
  const forget = sessions.whenEnded(id, () => void closed.push('forgotten'));
  forget();
  sessions.whenEnded(id, () => void closed.push('early'));
  sessions.end(id);
  sessions.whenEnded(id, () => void closed.push('late'));
  assert.deepEqual(closed, ['early']);
  await clock.advance(60_000);
  assert.deepEqual(closed, ['early', 'late']);
  // once the database is closed, nothing looks at sessions
  sessions.begin({ user: 'olga', role: null, basis: '', address: null, browser: '' });
  sessions.whenEnded(sessions.list()[0]?.id ?? '', () => void closed.push('never'));
  sessions.close();
  await daemon.stop();
  await clock.advance(120_000);
  assert.deepEqual(closed, ['early', 'late']);
});

async function untilDone(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (;;) {
    const { done } = await reader.read();
    if (done) return;
  }
}

test('Basic still works for the page, comes before the cookie, and has no session', async (t) => {
  const daemon = await startWithUsers(t);
  const visitor = new PageVisitor(daemon.app, 'http://ironic.test', {});
  await visitor.signIn('rita', 'secret');
  const basic = { authorization: `Basic ${btoa('ann:secret')}` };
  const { status, text } = await visitor.open('/ui/', basic);
  assert.equal(status, 200);
  assert.match(text, /data-role="admin"/);
  assert.doesNotMatch(text, /action="\/ui\/logout"/);
  assert.equal((await visitor.open('/ui/', { authorization: `Basic ${btoa('ann:wrong')}` })).status, 401);
});

test('a restored backup has no sessions: who was signed in then may have been signed out since', async (t) => {
  const daemon = await startWithUsers(t);
  await new PageVisitor(daemon.app).signIn('ann', 'secret');
  const folder = mkdtempSync(path.join(fastDirectory(), 'restored-'));
  const time = new Date(daemon.clock.now());
  const { file } = backUp(daemon.services.config.database.path, folder, { keep: 1, time });
  const target = path.join(folder, 'restored.sqlite');
  restore(file, target, time);
  const db = createDatabase(target);
  t.after(() => db.close());
  assert.deepEqual(db.userSessions.list(), []);
  assert.ok(readdirSync(folder).length > 0 && readFileSync(target).length > 0);
});
