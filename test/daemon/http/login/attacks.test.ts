// What others could try with the session of somebody who is signed in on the page, and what becomes of it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { apiRoutes } from '../../../../daemon/api/routes/all-routes.ts';
import { PageVisitor, type Shown } from '../../../fakes/people/page-visitor.ts';
import { startWithUsers } from '../../../fakes/people/daemon-with-users.ts';

const daemon = await startWithUsers({ after });
const node = await createNode();
const FORMS =
  `/ui/actions /ui/indicators /ui/deploy /ui/images /ui/images/add /ui/settings /ui/add /ui/add/many
/ui/add/unknown /ui/add/unknown/ignore /ui/add/found/accept /ui/add/found/continue /ui/health/examine
/ui/health/reload-plugin /ui/users/tokens /ui/users/tokens/revoke /ui/sessions/end /ui/logout /ui/login`.split(
    /\s+/,
  );

async function createNode(): Promise<string> {
  const { body } = await daemon.request('POST', '/v1/nodes', {
    headers: { authorization: `Basic ${btoa('ann:secret')}` },
    body: { driver: 'fake-hardware', name: 'web-1' },
  });
  return body.uuid;
}

async function signedIn(user = 'ann', visitor = new PageVisitor(daemon.app)): Promise<PageVisitor> {
  const { status, text } = await visitor.signIn(user, 'secret');
  assert.equal(status, 303, text);
  return visitor;
}

const digestOf = (secret: string) => createHash('sha256').update(secret).digest('hex');
const idOf = ({ cookies }: PageVisitor) => {
  const digest = digestOf(cookies.get('ironic-edge-session') ?? '');
  return sessions().find((session) => session.digest === digest)?.id ?? '';
};
const sessions = () => daemon.services.db.userSessions.list();
/** All that a request could change. */
const state = () =>
  JSON.stringify([daemon.services.db.nodes.get(node), sessions(), daemon.services.db.userTokens.list()]);

/** How a page of another site sends a request, in browsers of today and of yesterday. */
const FOREIGN = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'same-site', origin: 'http://other.test' },
  { 'sec-fetch-site': 'same-site', origin: 'http://ironic.test:8080' },
  { 'sec-fetch-site': 'cross-site', origin: 'null' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'none' },
  { referer: 'https://evil.example/ui/' },
  {},
] as readonly Readonly<Record<string, string>>[];

/** What a form of another site can send. */
const foreignForm = (
  visitor: PageVisitor,
  place: string,
  headers: Readonly<Record<string, string>>,
): Promise<Shown> => {
  const body = new URLSearchParams({
    action: 'maintenance-on',
    node,
    user: 'ann',
    password: 'secret',
    session: sessions()[0]?.id ?? '',
  }).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length) };
  return visitor.send(place, { method: 'POST', body, headers: { accept: 'text/html', ...type, ...headers } });
};

test('a form of another site changes nothing, whatever form it imitates and whatever the browser says of it', async () => {
  const visitor = await signedIn();
  const before = state();
  for (const place of FORMS)
    for (const headers of FOREIGN) {
      const { status, location } = await foreignForm(visitor, place, headers);
      const isRefused = status === 403 || (status === 303 && location.startsWith('/ui/login'));
      assert.ok(isRefused, `${place} ${JSON.stringify(headers)}: ${status}`);
      assert.equal(state(), before, `${place} ${JSON.stringify(headers)}`);
    }
  const { status } = await visitor.submit('/ui/actions', { action: 'maintenance-on', node });
  assert.equal(status, 303);
  assert.notEqual(state(), before);
});

test('no route of the API that changes or shows something takes the cookie from another site', async () => {
  const visitor = await signedIn();
  const before = state();
  for (const { method, path: where, public: isOpen } of apiRoutes) {
    if (isOpen === true) continue;
    const asPath = where.replace(':node', node).replaceAll(/:\w+/g, 'x');
    for (const headers of FOREIGN.slice(-5)) {
      const body = method === 'GET' ? {} : { body: '{}' };
      const { status } = await visitor.send(asPath, { method, headers, ...body });
      assert.ok(status === 401 || status === 403, `${method} ${where} ${JSON.stringify(headers)}: ${status}`);
    }
  }
  assert.equal(state(), before);
});

test('the own scripts of the page use the API with the cookie, also in browsers that tell only Origin or Referer', async () => {
  const visitor = await signedIn();
  const own = [
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'http://ironic.test' },
    { referer: 'http://ironic.test/ui/nodes/x' },
  ] as readonly Readonly<Record<string, string>>[];
  for (const headers of own)
    assert.equal((await visitor.send('/v1/nodes', { headers })).status, 200, JSON.stringify(headers));
});

test('a link of another site opens a page for who is signed in, and nothing but pages', async () => {
  const visitor = await signedIn();
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', accept: 'text/html' };
  assert.equal((await visitor.send('/ui/', { headers: link })).status, 200);
  for (const place of [
    '/v1/nodes',
    `/v1/nodes/${node}/vendor_passthru?method=first_method`,
    '/metrics',
    '/v1/users',
  ])
    assert.equal((await visitor.send(place, { headers: link })).status, 401, place);
  const embedded = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
  assert.equal((await visitor.send('/ui/', { headers: embedded })).status, 401);
});

test('a stream of events and a console of another site are refused, with and without a word about its origin', async () => {
  const visitor = await signedIn();
  const socket = `/v1/nodes/${node}/states/console/socket`;
  for (const place of ['/v1/events/stream', socket])
    for (const headers of FOREIGN) {
      const { status } = await visitor.send(place, { headers });
      assert.ok(status === 401 || status === 403, `${place} ${JSON.stringify(headers)}: ${status}`);
    }
  // this one is let in, and told to ask for a WebSocket
  assert.equal((await visitor.script(socket, { headers: { origin: 'http://ironic.test' } })).status, 426);
  const own = await visitor.raw('/v1/events/stream', { headers: { 'sec-fetch-site': 'same-origin' } });
  assert.equal(own.status, 200);
  await own.body?.cancel();
});

test('no page can be put into a frame, and none tells another site its address', async () => {
  const visitor = await signedIn();
  for (const place of ['/ui/login', '/ui/', '/ui/users', '/ui/sessions', '/ui/nothing']) {
    const { headers } = await (place === '/ui/login' ? new PageVisitor(daemon.app) : visitor).open(place);
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, place);
    assert.equal(headers.get('referrer-policy'), 'same-origin', place);
    assert.equal(headers.get('cache-control'), 'no-store', place);
  }
});

test('a session that was there before the sign-in is never used: each sign-in has a new one', async () => {
  const visitor = new PageVisitor(daemon.app);
  visitor.cookies.set('ironic-edge-session', 'A'.repeat(43));
  assert.equal((await visitor.open('/ui/')).status, 302);
  await signedIn('ann', visitor);
  const first = visitor.cookies.get('ironic-edge-session') ?? '';
  assert.notEqual(first, 'A'.repeat(43));
  await signedIn('olga', visitor);
  const second = visitor.cookies.get('ironic-edge-session') ?? '';
  assert.notEqual(second, first);
  const thief = new PageVisitor(daemon.app);
  thief.cookies.set('ironic-edge-session', first);
  assert.equal((await thief.open('/ui/')).status, 302);
});

test('what strangers do wrong shows them nothing of the site', async () => {
  const stranger = new PageVisitor(daemon.app);
  const shown = [
    await stranger.open('/ui/login/oidc'),
    await stranger.open('/ui/login/callback?code=x&state=y'),
    await stranger.open('/ui/logout'),
    await stranger.send('/ui/login', { method: 'DELETE' }),
    await stranger.submit('/ui/login', { user: 'ann' }, { 'sec-fetch-site': 'cross-site' }),
    await stranger.submit('/ui/login', { user: 'x'.repeat(300_000) }),
  ];
  assert.deepEqual(
    shown.map(({ status }) => status),
    [404, 404, 405, 405, 403, 413],
  );
  for (const { text } of shown) assert.doesNotMatch(text, /data-role|data-event|class="views"|web-1/);
});

test('two cookies of one name, of which somebody else has set one, are both ignored', async () => {
  const visitor = await signedIn();
  const secret = visitor.cookies.get('ironic-edge-session') ?? '';
  const { status } = await new PageVisitor(daemon.app).open('/ui/', {
    cookie: `ironic-edge-session=${'B'.repeat(43)}; ironic-edge-session=${secret}`,
  });
  assert.equal(status, 302);
});

test('scripts cannot read the cookie, other hosts cannot set it, and it goes nowhere without TLS when there is TLS', async (t) => {
  const plain = await signedIn();
  assert.match(
    plain.given[0] ?? '',
    /^ironic-edge-session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const proxied = await startWithUsers(t, { api: '[oslo_middleware]\nenable_proxy_headers_parsing = true' });
  const overTls = new PageVisitor(proxied.app, 'http://ironic.test', {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'edge.example',
  });
  const own = { origin: 'https://edge.example' };
  const { status } = await overTls.submit('/ui/login', { user: 'ann', password: 'secret' }, own);
  assert.equal(status, 303);
  assert.match(
    overTls.given[0] ?? '',
    /^__Host-ironic-edge-session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  assert.equal((await overTls.open('/ui/')).status, 200);
  // a cookie without the prefix could come from anybody on the network
  const secret = overTls.cookies.get('__Host-ironic-edge-session') ?? '';
  overTls.cookies.clear();
  overTls.cookies.set('ironic-edge-session', secret);
  assert.equal((await overTls.open('/ui/')).status, 302);
});

test('behind a proxy with TLS, a page without TLS is told where to sign in', async (t) => {
  const tls = await startWithUsers(t, { api: '[api]\npublic_endpoint = https://ironic.test' });
  const { status, text } = await new PageVisitor(tls.app).signIn('ann', 'secret');
  assert.equal(status, 403);
  assert.match(text, /Open https:\/\/ironic\.test\/ui\/login/);
  assert.equal(tls.services.db.userSessions.list().length, 0);
});

test('who signs in is sent to a page of this daemon, whatever the address asks for', async () => {
  for (const next of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/ui/..//evil.example/',
    '/ui/%2e%2e//evil.example',
    '/ui\t/../..//evil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '/v1/nodes',
    '/',
    '/ui/login?next=/ui/login',
    '/ui/logout',
    '/uix',
    `/ui/${'x'.repeat(3000)}`,
    '',
  ]) {
    const { status, location } = await new PageVisitor(daemon.app).signIn('ann', 'secret', next);
    assert.deepEqual([status, location], [303, '/ui/'], next);
  }
  const wanted = await new PageVisitor(daemon.app).signIn(
    'ann',
    'secret',
    '/ui/events?node=web-1&kind=event',
  );
  assert.equal(wanted.location, '/ui/events?node=web-1&kind=event');
  // who is signed in already is sent on by the same rule
  const visitor = await signedIn();
  const again = await visitor.open(`/ui/login?next=${encodeURIComponent('//evil.example/')}`);
  assert.deepEqual([again.status, again.location], [302, '/ui/']);
});

test('the database and the log hold nothing with which a session could be used', async () => {
  const visitor = await signedIn('rita');
  const secret = visitor.cookies.get('ironic-edge-session') ?? '';
  const stored = sessions().find(({ user }) => user === 'rita');
  assert.equal(stored?.digest, digestOf(secret));
  assert.ok(!JSON.stringify(sessions()).includes(secret));
  assert.ok(!daemon.log().includes(secret));
  const audit = readFileSync(path.join(daemon.stateDirectory, 'audit.log'), 'utf8');
  assert.ok(!audit.includes(secret));
  assert.equal(secret.length, 43, '256 bits');
});

test('nobody but an admin sees or ends the sessions of others', async () => {
  const ann = await signedIn('ann');
  const rita = await signedIn('rita');
  const ofAnn = idOf(ann);
  const refused = await rita.submit('/ui/sessions/end', { session: ofAnn });
  assert.match(refused.text, /There is no session with id/);
  assert.equal((await rita.open('/ui/users')).status, 403);
  assert.ok(!(await rita.open('/ui/sessions')).text.includes(ofAnn));
  assert.equal((await ann.open('/ui/')).status, 200);
  assert.equal(
    (await ann.submit('/ui/sessions/end', { session: idOf(rita), from: 'users' })).location,
    '/ui/users',
  );
  assert.equal((await rita.open('/ui/')).status, 302);
});

test('a page that only refreshes itself gets a plain 401 after the end, and no password window of the browser', async () => {
  const visitor = await signedIn();
  await visitor.submit('/ui/logout', {});
  const { status, headers, text } = await visitor.script('/ui/', { headers: { accept: 'text/html' } });
  assert.equal(status, 401);
  assert.equal(headers.get('www-authenticate'), null);
  assert.match(text, /not signed in any more/);
  // a program is asked for a password as ever
  const program = await daemon.request('GET', '/v1/nodes');
  assert.equal(program.headers.get('www-authenticate'), 'Basic realm="Baremetal API"');
});
