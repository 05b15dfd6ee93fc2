import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { apiRoutes } from '../../../../daemon/api/routes/all-routes.ts';
import { tokenCommand } from '../../../../daemon/cli/upkeep/token-command.ts';
import { roleFor } from '../../../../daemon/http/login/roles.ts';
import { parseTokenFile } from '../../../../daemon/http/login/tokens.ts';
import { startInProcess } from '../../../fakes/in-process-daemon.ts';
import { runCommand } from '../../../fakes/run-command.ts';

// libxcrypt digest of "secret" with cost 4
const SECRET = '$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW';
const USERS = ['ann', 'bob', 'eve', 'new', 'prometheus'];
const directory = mkdtempSync(path.join(tmpdir(), 'roles-'));
const [accounts, tokens] = [path.join(directory, 'htpasswd'), path.join(directory, 'tokens')];
writeFileSync(accounts, USERS.map((user) => `${user}:${SECRET}\n`).join(''), { mode: 0o600 });
writeFileSync(tokens, '', { mode: 0o600 });
after(() => rmSync(directory, { recursive: true }));

const session = await startInProcess(
  { after },
  {
    ini: `auth_strategy = http_basic
http_basic_auth_user_file = ${accounts}
[users]
admins = ann
operators = bob
readers = eve, prometheus
default_role = reader
token_file = ${tokens}
`,
  },
);
const basic = (user: string, password = 'secret') =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const ask = (user: string, method: string, where: string, body?: object) =>
  session.request(method, where, { headers: { authorization: basic(user) }, ...(body && { body }) });
const enrolled = await ask('ann', 'POST', '/v1/nodes', { driver: 'fake-hardware', name: 'one' });
assert.equal(enrolled.status, 201, enrolled.text);

/** Makes a token with the command, as an operator does. */
async function grant(...args: readonly string[]): Promise<string> {
  const { code, out, errors } = await runCommand((context) => tokenCommand(args, context));
  assert.equal(code, 0, errors);
  writeFileSync(tokens, readFileSync(tokens, 'utf8') + out, { mode: 0o600 });
  return errors.trim();
}
const statusWith = async (authorization: string) =>
  (await session.request('GET', '/v1/nodes', { headers: { authorization } })).status;

describe('roles', () => {
  it('let readers look and ask for plans, but change nothing', async () => {
    assert.equal((await ask('eve', 'GET', '/v1/nodes/one')).status, 200);
    assert.equal((await ask('eve', 'POST', '/v1/nodes/one/steps/plan', { target: 'provide' })).status, 200);
    const refused = await ask('eve', 'PUT', '/v1/nodes/one/maintenance', {});
    assert.equal(refused.status, 403);
    assert.match(
      refused.fault,
      /User eve has the role reader; PUT \/v1\/nodes\/:node\/maintenance needs the role operator/,
    );
  });

  it('let operators run machines, but not change records', async () => {
    assert.equal((await ask('bob', 'PUT', '/v1/nodes/one/maintenance', {})).status, 202);
    assert.equal((await ask('bob', 'DELETE', '/v1/nodes/one/maintenance')).status, 202);
    assert.equal((await ask('bob', 'DELETE', '/v1/nodes/one')).status, 403);
    const patch = [{ op: 'add', path: '/driver_info/ipmi_password', value: 'x' }];
    assert.equal((await ask('bob', 'PATCH', '/v1/nodes/one', patch)).status, 403);
    assert.equal((await ask('bob', 'GET', '/v1/nodes/one/vendor_passthru?method=x')).status, 403);
  });

  it('give users who are in no list the default role, and admins everything', async () => {
    assert.equal((await ask('new', 'PUT', '/v1/nodes/one/maintenance', {})).status, 403);
    assert.equal(
      (await ask('ann', 'PATCH', '/v1/nodes/one', [{ op: 'add', path: '/extra/a', value: 1 }])).status,
      200,
    );
  });

  it('leave refused requests in the audit trail', async () => {
    await ask('eve', 'DELETE', '/v1/nodes/one');
    const lines = readFileSync(path.join(session.stateDirectory, 'audit.log'), 'utf8').trimEnd().split('\n');
    const { user, method, status } = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
    assert.deepEqual([user, method, status], ['eve', 'DELETE', 403]);
  });

  it('limit no ramdisk, which has no user', async () => {
    assert.equal((await session.request('GET', '/v1/lookup?addresses=52:54:00:00:00:01')).status, 404);
  });

  it('admit no route that changes records, credentials or rules to operators', () => {
    const operated = apiRoutes
      .filter((route) => roleFor(route) === 'operator')
      .map(({ path: where }) => where);
    assert.ok(operated.length > 20);
    for (const where of operated) assert.match(where, /^\/v1\/(allocations|nodes\/:node\/\w+)/);
    for (const route of apiRoutes)
      if (
        route.method !== 'GET' &&
        /^\/v1\/(ports|portgroups|chassis|volume|deploy_templates|runbooks|inspection_rules)/.test(route.path)
      )
        assert.equal(roleFor(route), 'admin', `${route.method} ${route.path}`);
  });
});

describe('tokens', () => {
  it('are accepted as Bearer and as the password of their user, with the role of the user', async () => {
    const token = await grant('prometheus');
    assert.match(token, /^iet_[\w-]{43}$/);
    assert.equal(await statusWith(`Bearer ${token}`), 200);
    assert.equal(await statusWith(basic('prometheus', token)), 200);
    assert.equal(await statusWith(basic('ann', token)), 401);
    assert.equal(await statusWith(`Bearer ${token}x`), 401);
    const refused = await session.request('PUT', '/v1/nodes/one/maintenance', {
      headers: { authorization: `Bearer ${token}` },
      body: {},
    });
    assert.equal(refused.status, 403);
  });

  it('expire, and are void when their line is gone', async () => {
    const token = await grant('prometheus', '--until', '2026-01-02');
    assert.equal(await statusWith(`Bearer ${token}`), 200);
    await session.clock.advance(86_400_000);
    assert.equal(await statusWith(`Bearer ${token}`), 401);
    const lasting = await grant('prometheus');
    assert.equal(await statusWith(`Bearer ${lasting}`), 200);
    writeFileSync(tokens, '# none\n', { mode: 0o600 });
    assert.equal(await statusWith(`Bearer ${lasting}`), 401);
  });

  it('leave no secret in their file', async () => {
    const token = await grant('prometheus');
    assert.ok(!readFileSync(tokens, 'utf8').includes(token.slice(4)));
  });

  it('are refused with the place of each wrong line', () => {
    assert.throws(
      () => parseTokenFile('f', 'ann:short\n\nbob:' + 'a'.repeat(64) + ':tomorrow\n'),
      /f:1: .*f:3: /s,
    );
    assert.equal(parseTokenFile('f', '').size, 0);
  });

  it('are made for plain names and real days only', async () => {
    for (const args of [['a:b'], ['ann', '--until', 'tomorrow'], []])
      assert.equal((await runCommand((context) => tokenCommand(args, context))).code, 2, args.join(' '));
  });
});

describe('wrong passwords', () => {
  it('of one address are answered with 429 after ten a minute; who has logged in is not locked out', async () => {
    await session.clock.advance(60_000);
    assert.equal(await statusWith(basic('ann')), 200);
    const guess = (index: number) => statusWith(basic('ann', `guess ${index}`));
    const statuses = await Promise.all(Array.from({ length: 40 }, (_, index) => guess(index)));
    assert.deepEqual(
      [
        statuses.filter((status) => status === 401).length,
        statuses.filter((status) => status === 429).length,
      ],
      [10, 30],
    );
    assert.equal(await statusWith(basic('ann')), 200);
    assert.equal(await statusWith('Bearer iet_guess'), 429);
    await session.clock.advance(60_000);
    assert.equal(await guess(99), 401);
  });
});
