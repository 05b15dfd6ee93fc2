import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { newToken, tokenLine } from '../../../../daemon/http/login/tokens.ts';
import { readAuditFile } from '../../../../daemon/lib/files/audit-file.ts';
import { PageVisitor } from '../../../fakes/people/page-visitor.ts';
import { startWithUsers } from '../../../fakes/people/daemon-with-users.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const daemon = await startWithUsers({ after });
const as = (user: string) => ({ authorization: `Basic ${btoa(`${user}:secret`)}` });
const asked = (user: string, method: string, where: string, body?: unknown) =>
  daemon.request(method, where, { headers: as(user), ...(body !== undefined && { body }) });

interface Made {
  readonly id: string;
  readonly token: string;
}

interface Listed {
  readonly users: readonly {
    readonly name: string;
    readonly role: string;
    readonly source: string;
    readonly sessions: readonly {
      readonly id: string;
      readonly browser: string;
      readonly address: string | null;
    }[];
    readonly tokens: readonly {
      readonly id: string | null;
      readonly until: string | null;
      readonly made_by: string | null;
    }[];
  }[];
}

const usersOf = async (where = daemon) =>
  ((await where.request('GET', '/v1/users', { headers: as('ann') })).json as Listed).users;

const idOf = async (user: string) =>
  (await usersOf()).find(({ name }) => name === user)?.sessions[0]?.id ?? assert.fail(user);

async function made(user: string, until?: string): Promise<Made> {
  const answer = await asked('ann', 'POST', '/v1/user_tokens', {
    user,
    ...(until !== undefined && { until }),
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.json as Made;
}

const bearer = (token: string) =>
  daemon.request('GET', '/v1/nodes', { headers: { authorization: `Bearer ${token}` } });

test('a token made over the API is shown once, has the role of its user, and is void when it is removed', async () => {
  const { id, token } = await made('rita');
  assert.match(token, /^iet_[\w-]{43}$/);
  assert.equal((await bearer(token)).status, 200);
  const write = await daemon.request('POST', '/v1/nodes', {
    headers: { authorization: `Bearer ${token}` },
    body: { driver: 'fake-hardware' },
  });
  assert.equal(write.status, 403);
  const listed = await asked('ann', 'GET', '/v1/users');
  assert.ok(!listed.text.includes(token.slice(4)));
  assert.ok(!JSON.stringify(daemon.services.db.userTokens.list()).includes(token));
  assert.ok(!daemon.log().includes(token));
  assert.equal((await asked('ann', 'DELETE', `/v1/user_tokens/${id}`)).status, 204);
  assert.equal((await bearer(token)).status, 401);
  assert.equal((await asked('ann', 'DELETE', `/v1/user_tokens/${id}`)).status, 404);
});

test('a token expires at the start of its day', async () => {
  const tomorrow = new Date(daemon.clock.now() + 86_400_000).toISOString().slice(0, 10);
  const { token } = await made('rita', tomorrow);
  assert.equal((await bearer(token)).status, 200);
  await daemon.clock.advance(86_400_000);
  assert.equal((await bearer(token)).status, 401);
});

test('wrong users and days are refused with a reason, and no token is made', async () => {
  const before = daemon.services.db.userTokens.count();
  for (const [body, reason] of [
    [{}, /user/],
    [{ user: '' }, /user/],
    [{ user: 'a:b' }, /is not a name of up to 255/],
    [{ user: 'a b' }, /is not a name/],
    [{ user: 'oidc:ann' }, /is not a name/],
    [{ user: 'x'.repeat(256) }, /is not a name/],
    [{ user: 7 }, /user/],
    [{ user: 'rita', until: 'tomorrow' }, /"tomorrow" is not a day such as/],
    [{ user: 'rita', until: '2027-02-31' }, /is not a day/],
    [{ user: 'rita', more: 1 }, /more/],
  ] as const) {
    const answer = await asked('ann', 'POST', '/v1/user_tokens', body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match(answer.fault, reason);
  }
  assert.equal(daemon.services.db.userTokens.count(), before);
});

test('only admins see users and make or remove tokens', async () => {
  const { id } = await made('rita');
  for (const user of ['rita', 'olga'])
    for (const [method, where, body] of [
      ['GET', '/v1/users', undefined],
      ['POST', '/v1/user_tokens', { user: 'ann' }],
      ['DELETE', `/v1/user_tokens/${id}`, undefined],
    ] as const)
      assert.equal((await asked(user, method, where, body)).status, 403, `${user} ${method} ${where}`);
  for (const [method, where] of [
    ['GET', '/v1/users'],
    ['POST', '/v1/user_tokens'],
    ['DELETE', `/v1/user_tokens/${id}`],
    ['DELETE', `/v1/user_sessions/${id}`],
  ] as const)
    assert.equal((await daemon.request(method, where)).status, 401, `${method} ${where}`);
});

test('the list has users of the password file, with their sessions, and holders of tokens of both kinds', async (t) => {
  const file = path.join(daemon.stateDirectory, 'tokens');
  writeFileSync(file, '', { mode: 0o600 });
  const other = await startWithUsers(t, { ini: `token_file = ${file}\n` });
  const inFile = newToken();
  appendFileSync(file, `${tokenLine({ user: 'backup', until: '2030-01-31' }, inFile.digest)}\n`);
  await other.request('POST', '/v1/user_tokens', { headers: as('ann'), body: { user: 'rita' } });
  const visitor = new PageVisitor(other.app, 'http://ironic.test', { 'user-agent': 'Firefox/140' });
  await visitor.signIn('olga', 'secret');
  const shown = (await usersOf(other)).map(({ name, role, source, sessions, tokens }) => [
    name,
    role,
    source,
    sessions.map(({ browser }) => browser),
    tokens.map(({ id, until, made_by: by }) => [id === null, until, by]),
  ]);
  assert.deepEqual(shown, [
    ['ann', 'admin', 'password file', [], []],
    ['backup', 'admin', 'tokens only', [], [[true, '2030-01-31', null]]],
    ['olga', 'operator', 'password file', ['Firefox/140'], []],
    ['rita', 'reader', 'password file', [], [[false, null, 'ann']]],
  ]);
});

test('anybody ends their own sessions, an admin those of all, and the audit file says who did', async () => {
  const [rita, olga] = [new PageVisitor(daemon.app), new PageVisitor(daemon.app)];
  await rita.signIn('rita', 'secret');
  await olga.signIn('olga', 'secret');
  assert.equal((await asked('rita', 'DELETE', `/v1/user_sessions/${await idOf('olga')}`)).status, 404);
  assert.equal((await asked('rita', 'DELETE', `/v1/user_sessions/${await idOf('rita')}`)).status, 204);
  assert.equal((await rita.open('/ui/')).status, 302);
  assert.equal((await olga.open('/ui/')).status, 200);
  assert.equal((await asked('ann', 'DELETE', `/v1/user_sessions/${await idOf('olga')}`)).status, 204);
  assert.equal((await olga.open('/ui/')).status, 302);
  const { method, user, status } = readAuditFile(path.join(daemon.stateDirectory, 'audit.log')).at(-1) ?? {};
  assert.deepEqual({ method, user, status }, { method: 'DELETE', user: 'ann', status: 204 });
});

test('without users there are no sign-in page and no sessions, and everything is open as before', async (t) => {
  const open = await startInProcess(t);
  const visitor = new PageVisitor(open.app);
  assert.equal((await visitor.open('/ui/')).status, 200);
  for (const place of ['/ui/login', '/ui/login/oidc', '/ui/users', '/ui/sessions'])
    assert.equal((await visitor.open(place)).status, 404, place);
  assert.deepEqual((await open.request('GET', '/v1/users')).json, { users: [] });
  assert.equal((await visitor.signIn('ann', 'secret')).status, 404);
});
