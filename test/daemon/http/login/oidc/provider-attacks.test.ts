// What a provider, another provider or a foreign browser could send in the answer of a sign-in, and what becomes of it.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { PageVisitor, type Shown } from '../../../../fakes/people/page-visitor.ts';
import { startWithUsers } from '../../../../fakes/people/daemon-with-users.ts';
import { newKey, signedToken, startForgingProvider } from '../../../../fakes/people/forging-provider.ts';

const provider = await startForgingProvider({ after });
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const SECRET = 'the client secret';
const daemon = await startWithUsers(
  { after },
  {
    ini: `[oidc]\nissuer = ${provider.issuer}\nclient_id = edge\nclient_secret = ${SECRET}\nadmins = site-admins\n`,
  },
);
const honest = provider.token;
beforeEach(() => {
  provider.metadata = {};
  provider.token = honest;
  provider.isBroken = false;
});

/** A browser that has been sent to the provider, with the parameters with which it was sent there. */
async function begun(
  next = '/ui/work',
): Promise<{ readonly visitor: PageVisitor; readonly sent: URLSearchParams }> {
  const visitor = new PageVisitor(daemon.app);
  const { status, location, text } = await visitor.open(`/ui/login/oidc?next=${encodeURIComponent(next)}`);
  assert.equal(status, 302, text);
  const sent = new URL(location).searchParams;
  provider.claims = { nonce: sent.get('nonce'), preferred_username: 'ann', groups: ['site-admins'] };
  return { visitor, sent };
}

const CROSS = { 'sec-fetch-site': 'cross-site' };

const back = (visitor: PageVisitor, parameters: Readonly<Record<string, string>>): Promise<Shown> =>
  visitor.open(`/ui/login/callback?${new URLSearchParams(parameters).toString()}`, CROSS);

const rightAnswer = (sent: URLSearchParams) => ({
  code: 'the code',
  state: sent.get('state') ?? '',
  iss: provider.issuer,
});

const sessionCount = () => daemon.services.db.userSessions.list().length;

async function refused(answer: Promise<Shown>, reason: RegExp): Promise<void> {
  const before = sessionCount();
  const { status, text, headers } = await answer;
  assert.equal(status, 403, text);
  assert.match(text, reason);
  assert.match(text, /name="password"/, 'the page still offers passwords');
  assert.doesNotMatch(headers.getSetCookie().join(), /ironic-edge-session=./);
  assert.equal(sessionCount(), before);
}

test('a right answer of the provider signs the browser in that began, with the code, PKCE and the secret of the client', async () => {
  const { visitor, sent } = await begun();
  const { status, location } = await back(visitor, rightAnswer(sent));
  assert.deepEqual([status, location], [303, '/ui/work']);
  assert.match((await visitor.open('/ui/')).text, /oidc:ann/);
  assert.equal(sent.get('code_challenge_method'), 'S256');
  const exchanged = provider.exchanged.at(-1);
  assert.equal(exchanged?.get('code'), 'the code');
  assert.ok((exchanged?.get('code_verifier') ?? '').length >= 43);
  assert.equal(exchanged?.get('redirect_uri'), 'http://ironic.test/ui/login/callback');
  assert.equal(visitor.cookies.has('ironic-edge-sign-in'), false);
});

test('an answer is taken once, also from the same browser with the same cookie', async () => {
  const { visitor, sent } = await begun();
  const kept = visitor.cookies.get('ironic-edge-sign-in') ?? '';
  assert.equal((await back(visitor, rightAnswer(sent))).status, 303);
  await refused(back(new PageVisitor(daemon.app), rightAnswer(sent)), /has not begun a sign-in/);
  const again = new PageVisitor(daemon.app);
  again.cookies.set('ironic-edge-sign-in', kept);
  await refused(back(again, rightAnswer(sent)), /was used already/);
});

test('the answer for one browser is of no use in another: nobody is signed in as somebody else', async () => {
  const [victim, attacker] = [await begun(), await begun()];
  await refused(back(victim.visitor, rightAnswer(attacker.sent)), /state/);
  await refused(back(new PageVisitor(daemon.app), rightAnswer(attacker.sent)), /has not begun a sign-in/);
});

test('an answer that names another provider, or none, is refused: the code could be meant for that one (mix-up)', async () => {
  const before = provider.exchanged.length;
  const other = await begun();
  await refused(back(other.visitor, { ...rightAnswer(other.sent), iss: 'https://evil.example' }), /iss/);
  const none = await begun();
  const { iss: _, ...withoutIssuer } = rightAnswer(none.sent);
  await refused(back(none.visitor, withoutIssuer), /iss/);
  assert.equal(provider.exchanged.length, before, 'the code was not sent anywhere');
});

test('an ID token with a wrong nonce, audience, issuer, time or user is refused', async () => {
  const now = Math.floor(Date.now() / 1000);
  for (const [name, value] of [
    ['nonce', 'another'],
    ['nonce', undefined],
    ['aud', 'another'],
    ['aud', ['edge', 'another']],
    ['azp', 'another'],
    ['iss', 'https://evil.example'],
    ['exp', now - 120],
    ['exp', undefined],
    ['nbf', now + 3600],
    ['iat', undefined],
    ['sub', undefined],
  ] as const) {
    const { visitor, sent } = await begun();
    provider.claims = { ...provider.claims, [name]: value };
    await refused(back(visitor, rightAnswer(sent)), /failed/);
  }
});

test('clocks may differ by a minute', async () => {
  const now = Math.floor(Date.now() / 1000);
  const { visitor, sent } = await begun();
  provider.claims = { ...provider.claims, iat: now + 40, nbf: now + 40, exp: now - 40 };
  assert.equal((await back(visitor, rightAnswer(sent))).status, 303);
});

test('an ID token that the provider has not signed is refused', async () => {
  const foreign = newKey();
  for (const forged of [
    (claims: object) => signedToken(claims, foreign),
    (claims: object) => signedToken(claims, foreign, { kid: 'second' }),
    (claims: object) => `${encoded({ alg: 'none' })}.${encoded(claims)}.`,
    (claims: object) => `${encoded({ alg: 'HS256' })}.${encoded(claims)}.AAAA`,
    () => 'not a token',
  ]) {
    const { visitor, sent } = await begun();
    provider.token = forged;
    await refused(back(visitor, rightAnswer(sent)), /failed/);
  }
});

test('a user without a role, without a name or with a hostile name is refused, and the reason is shown as text', async () => {
  for (const [claims, reason] of [
    [{ groups: ['others'] }, /no value of the claim groups of user ann gives a role/],
    [{ groups: undefined }, /gives a role/],
    [{ groups: { 'site-admins': true } }, /gives a role/],
    [{ preferred_username: undefined }, /preferred_username.*is not a name/],
    [{ preferred_username: 'a\nb' }, /is not a name/],
    [{ preferred_username: ['ann'] }, /is not a name/],
    [{ preferred_username: 'x'.repeat(201) }, /is not a name/],
    [{ preferred_username: '<script>alert(1)</script>', groups: [] }, /&lt;script&gt;/],
  ] as const) {
    const { visitor, sent } = await begun();
    provider.claims = { ...provider.claims, ...claims };
    await refused(back(visitor, rightAnswer(sent)), reason);
  }
});

test('a user of the provider is never one of the password file, whatever the name', async () => {
  const { visitor, sent } = await begun();
  provider.claims = { ...provider.claims, preferred_username: 'rita' };
  await back(visitor, rightAnswer(sent));
  const rita = new PageVisitor(daemon.app);
  await rita.signIn('rita', 'secret');
  assert.match((await visitor.open('/ui/')).text, /data-role="admin"/);
  assert.match((await rita.open('/ui/')).text, /data-role="reader"/);
  assert.equal((await rita.open('/ui/sessions')).text.split('name="session"').length, 2);
});

test('a refusal of the provider is shown to who began, and a made-up one to nobody', async () => {
  const { visitor, sent } = await begun();
  const said = { error: 'access_denied', error_description: '<b>call 555</b>', iss: provider.issuer };
  await refused(
    back(visitor, { ...said, state: sent.get('state') ?? '' }),
    /access_denied.*&lt;b&gt;call 555/,
  );
  const other = await begun();
  const { text } = await back(other.visitor, { ...said, state: 'made up' });
  assert.doesNotMatch(text, /call 555/);
});

test('a sign-in that takes more than ten minutes begins again', async () => {
  const { visitor, sent } = await begun();
  await daemon.clock.advance(601_000);
  await refused(back(visitor, rightAnswer(sent)), /took too long/);
});

test('a cookie that nobody has given is refused, whatever is in it', async () => {
  for (const text of [
    'AAAA',
    Buffer.from('null').toString('base64url'),
    Buffer.from('{"began":1}').toString('base64url'),
  ]) {
    const visitor = new PageVisitor(daemon.app);
    visitor.cookies.set('ironic-edge-sign-in', text);
    await refused(back(visitor, { code: 'x', state: 'y' }), /has not begun a sign-in/);
  }
});

test('the way back leads to no other site, although the browser keeps it', async () => {
  const { visitor, sent } = await begun('//evil.example/');
  const flow = JSON.parse(
    Buffer.from(visitor.cookies.get('ironic-edge-sign-in') ?? '', 'base64url').toString(),
  ) as Readonly<Record<string, unknown>>;
  const changed = Buffer.from(JSON.stringify({ ...flow, next: '//evil.example/' })).toString('base64url');
  visitor.cookies.set('ironic-edge-sign-in', changed);
  assert.equal((await back(visitor, rightAnswer(sent))).location, '/ui/');
});

test('a provider that fails in the middle is named as the reason, and the log has no secret', async () => {
  const { visitor, sent } = await begun();
  provider.isBroken = true;
  await refused(back(visitor, rightAnswer(sent)), /failed/);
  const log = daemon.log();
  for (const secret of [SECRET, 'the code', sent.get('state') ?? '-', sent.get('nonce') ?? '-'])
    assert.ok(!log.includes(secret), secret);
  assert.ok(provider.exchanged.every((body) => !log.includes(body.get('code_verifier') ?? '-')));
});
