import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageVisitor } from '../../../../fakes/people/page-visitor.ts';
import { startWithUsers } from '../../../../fakes/people/daemon-with-users.ts';
import { startForgingProvider } from '../../../../fakes/people/forging-provider.ts';
import {
  type IdentityProvider,
  signInAt,
  startIdentityProvider,
} from '../../../../fakes/people/identity-provider.ts';

const ORIGIN = 'http://ironic.test';
const ANN = { preferred_username: 'ann', groups: ['everybody', 'site-operators', 'site-admins'] };

async function throughProvider(visitor: PageVisitor, { issuer }: IdentityProvider, user: string) {
  const { location } = await visitor.open('/ui/login/oidc?next=%2Fui%2Fhealth');
  assert.ok(location.startsWith(`${issuer}/auth?`), location);
  const { pathname, search } = await signInAt(location, user);
  return visitor.open(`${pathname}${search}`, { 'sec-fetch-site': 'cross-site' });
}

for (const inIdToken of [true, false])
  test(`people sign in at an independent provider, which tells the roles ${inIdToken ? 'in the ID token' : 'at its userinfo endpoint'}`, async (t) => {
    const provider = await startIdentityProvider(t, { origin: ORIGIN, inIdToken });
    provider.users.set('u-1', ANN);
    provider.users.set('u-2', { preferred_username: 'olga', groups: ['site-operators'] });
    provider.users.set('u-3', { preferred_username: 'eve', groups: ['everybody'] });
    const daemon = await startWithUsers(t, { ini: provider.ini });
    const ann = new PageVisitor(daemon.app);
    assert.match((await ann.open('/ui/login?next=/ui/health')).text, /Sign in with Single sign-on/);
    const signedIn = await throughProvider(ann, provider, 'u-1');
    assert.deepEqual([signedIn.status, signedIn.location], [303, '/ui/health'], signedIn.text);
    assert.match((await ann.open('/ui/')).text, /data-role="admin"/);
    const olga = new PageVisitor(daemon.app);
    await throughProvider(olga, provider, 'u-2');
    assert.match((await olga.open('/ui/')).text, /data-role="operator"/);
    const eve = new PageVisitor(daemon.app);
    const refused = await throughProvider(eve, provider, 'u-3');
    assert.equal(refused.status, 403);
    assert.match(refused.text, /of user eve gives a role/);
    assert.equal((await eve.open('/ui/')).status, 302);
    assert.equal(provider.requests.get('/me') ?? 0, inIdToken ? 0 : 3);
  });

test('who signs out is offered to sign out of the provider too', async (t) => {
  const provider = await startIdentityProvider(t, { origin: ORIGIN });
  provider.users.set('u-1', ANN);
  const daemon = await startWithUsers(t, { ini: provider.ini });
  const ann = new PageVisitor(daemon.app);
  await throughProvider(ann, provider, 'u-1');
  const { location } = await ann.submit('/ui/logout', {});
  assert.equal(location, '/ui/login?out=');
  assert.match((await ann.open(location)).text, /href="\/ui\/login\/oidc\/logout"/);
  const out = new URL((await ann.open('/ui/login/oidc/logout')).location);
  assert.deepEqual(
    [
      out.origin,
      out.pathname,
      out.searchParams.get('client_id'),
      out.searchParams.get('post_logout_redirect_uri'),
    ],
    [provider.issuer, '/session/end', 'edge', `${ORIGIN}/ui/login`],
  );
  assert.match(await (await fetch(out)).text(), /session\/end\/confirm/);
});

test('sessions of the provider end when the section [oidc] gives other roles', async (t) => {
  const provider = await startIdentityProvider(t, { origin: ORIGIN });
  provider.users.set('u-1', ANN);
  const daemon = await startWithUsers(t, { ini: provider.ini });
  const ann = new PageVisitor(daemon.app);
  await throughProvider(ann, provider, 'u-1');
  await daemon.stop();
  const changed = await startWithUsers(t, {
    ini: provider.ini.replace('admins = site-admins', 'admins = owners'),
    stateDirectory: daemon.stateDirectory,
  });
  const again = new PageVisitor(changed.app);
  for (const [name, value] of ann.cookies) again.cookies.set(name, value);
  assert.equal((await again.open('/ui/')).status, 302);
});

test('while the provider is away, the page says so, passwords still work, and it is asked again later', async (t) => {
  const provider = await startIdentityProvider(t, { origin: ORIGIN });
  const daemon = await startWithUsers(t, { ini: provider.ini });
  await provider.close();
  const visitor = new PageVisitor(daemon.app);
  const { status, text } = await visitor.open('/ui/login/oidc?next=/ui/health');
  assert.equal(status, 503);
  assert.match(text, /cannot be used now: .*ECONNREFUSED.* Passwords still work/);
  assert.match(text, /name="next" value="\/ui\/health"/);
  const signedIn = await visitor.signIn('ann', 'secret', '/ui/health');
  assert.deepEqual([signedIn.status, signedIn.location], [303, '/ui/health']);
  const basic = { authorization: `Basic ${btoa('ann:secret')}` };
  assert.equal((await daemon.request('GET', '/v1/nodes', { headers: basic })).status, 200);
});

test('a provider that says it is another is not used', async (t) => {
  const provider = await startForgingProvider(t);
  provider.metadata = { issuer: 'https://evil.example' };
  const daemon = await startWithUsers(t, {
    ini: `[oidc]\nissuer = ${provider.issuer}\nclient_id = edge\nadmins = site-admins\n`,
  });
  const { status, text } = await new PageVisitor(daemon.app).open('/ui/login/oidc');
  assert.equal(status, 503);
  assert.match(text, /issuer does not match/);
  provider.metadata = {};
  await daemon.clock.advance(60_000);
  assert.equal((await new PageVisitor(daemon.app).open('/ui/login/oidc')).status, 302);
});

test('the daemon does not start with a section [oidc] that nobody could sign in with', async (t) => {
  const start = (lines: string) => startWithUsers(t, { ini: `[oidc]\n${lines}\n` });
  const rest = 'client_id = edge\nadmins = x';
  for (const [lines, reason] of [
    [`issuer = sso\n${rest}`, /\[oidc\] issuer = "sso": expected a URL that begins with https:/],
    [`issuer = http://sso.example.com\n${rest}`, /expected a URL that begins with https:/],
    [
      `issuer = https://sso.example.com/.well-known/openid-configuration\n${rest}`,
      /without \/\.well-known\//,
    ],
    [`issuer = https://u:p@sso.example.com\n${rest}`, /without a login/],
    ['issuer = https://sso.example.com\nadmins = x', /set \[oidc\] client_id/],
    ['issuer = https://sso.example.com\nclient_id = edge', /nobody could sign in/],
    [`issuer = https://sso.example.com\n${rest}\nca_file = /nowhere/ca.pem`, /\[oidc\] ca_file.*ENOENT/],
  ] as const)
    await assert.rejects(start(lines), reason, lines);
});
