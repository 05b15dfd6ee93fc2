import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { type RequestOptions, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

// libxcrypt digests of "secret" (cost 4, and 10 for a slow comparison) and of "correct horse"
const SECRET = '$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW';
const SLOW_SECRET = '$2y$10$abcdefghijklmnopqrstuuqflPDzB6gcMhKa1rZqKiun2YGL5sa2u';
const HORSE = '$2b$04$ABCDEFGHIJKLMNOPQRSTUu6C6jEMz4jEJoFRTrM10b9xHpc.SH9E6';

// after a minute, the wrong passwords of earlier tests no longer count
const MINUTE = 60_000;

const directory = mkdtempSync(path.join(tmpdir(), 'authenticate-'));
const htpasswd = path.join(directory, 'htpasswd');
const writeAccounts = (text: string) => writeFileSync(htpasswd, text, { mode: 0o600 });
const start = (userFile: string, more = '') => {
  const ini = `auth_strategy = http_basic\nhttp_basic_auth_user_file = ${userFile}\n${more}`;
  return startInProcess({ after }, { ini });
};

writeAccounts(`ann:${SECRET}\nbob:${HORSE}\nslow:${SLOW_SECRET}\n`);
const session = await start(htpasswd, '[api]\nmax_json_body_size = 1\n[healthcheck]\nenabled = true\n');
after(() => rmSync(directory, { recursive: true }));

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const as = (user: string, password: string) => ({ headers: { authorization: basic(user, password) } });

const statusOf = async (user: string, password: string) =>
  (await session.request('GET', '/v1/nodes', as(user, password))).status;

async function refused(method: string, where: string, options: RequestOptions = {}) {
  const { status, headers, body } = await session.request(method, where, options);
  return { status, challenge: headers.get('www-authenticate'), body };
}
const required = {
  status: 401,
  challenge: 'Basic realm="Baremetal API"',
  body: { error: { message: 'Authorization required', code: 401 } },
};
const incorrect = {
  status: 401,
  challenge: 'Basic realm="Baremetal API"',
  body: { error: { message: 'Incorrect username or password', code: 401 } },
};

test('a request without credentials is challenged', async () => {
  assert.deepEqual(await refused('GET', '/v1/nodes'), required);
});

test('correct credentials are accepted each time', async () => {
  for (const credentials of [as('ann', 'secret'), as('bob', 'correct horse'), as('ann', 'secret')])
    assert.equal((await session.request('GET', '/v1/nodes', credentials)).status, 200);
});

test('a failed login is logged with its user and without its password', async () => {
  await session.request('GET', '/v1/nodes', as('mallory', 'a guess'));
  const line = session
    .log()
    .split('\n')
    .find((each) => each.includes('mallory'));
  assert.match(line ?? '', /"level":"warn".*"user":"mallory","client":null,"msg":"login failed"/);
  assert.doesNotMatch(session.log(), /a guess/);
});

test('a wrong password and a wrong user get the same answer', async () => {
  for (const [user, password] of [
    ['ann', 'Secret'],
    ['ann', ''],
    ['ann', 'correct horse'],
    ['nobody', 'secret'],
    ['', 'secret'],
    ['ANN', 'secret'],
    ['an', 'secret'],
  ] as const)
    assert.deepEqual(await refused('GET', '/v1/nodes', as(user, password)), incorrect, `${user}:${password}`);
});

test('other schemes and malformed Authorization headers return 400, and a token that nobody holds 401', async () => {
  const digest = await refused('GET', '/v1/nodes', { headers: { authorization: 'Digest abc' } });
  assert.deepEqual(digest, {
    status: 400,
    challenge: null,
    body: { error: { message: 'Unsupported authorization type "Digest"', code: 400 } },
  });
  assert.deepEqual(
    await refused('GET', '/v1/nodes', { headers: { authorization: 'Bearer abc' } }),
    incorrect,
  );
  for (const authorization of ['Basic', 'Basic !!!', `Basic ${btoa('no colon')}`, 'Basic YTpi YTpi']) {
    const { status, body } = await refused('GET', '/v1/nodes', { headers: { authorization } });
    assert.equal(status, 400, authorization);
    assert.match(JSON.stringify(body), /^\{"error":\{"message":"The Authorization header.*"code":400\}\}$/);
  }
});

test('authentication is checked before path, method, version and body', async () => {
  for (const [method, where, options] of [
    ['GET', '/v1/no-such-thing', {}],
    ['GET', '/lookup', {}],
    ['GET', '/nodes', {}],
    ['GET', '//v1/lookup', {}],
    ['GET', '/v1/heartbeat', {}],
    ['POST', '/v1/heartbeat/Node.1', {}],
    ['GET', '/healthcheck/', {}],
    ['PUT', '/v1/nodes', {}],
    ['GET', '/v1/nodes', { version: null, headers: { 'x-openstack-ironic-api-version': '9.9' } }],
    ['GET', '/v1/nodes', { headers: { accept: 'image/png' } }],
    ['POST', '/v1/nodes', { body: { text: 'x'.repeat(4096) } }],
  ] as const)
    assert.deepEqual(await refused(method, where, options), required, `${method} ${where}`);
  assert.equal((await session.request('GET', '/v1/no-such-thing', as('ann', 'secret'))).status, 404);
  assert.equal((await session.request('PUT', '/v1/nodes', as('ann', 'secret'))).status, 405);
});

test('a 401 answer has the headers with the request id and the maximum version', async () => {
  const { headers } = await session.request('GET', '/v1/nodes');
  assert.match(headers.get('x-openstack-request-id') ?? '', /^req-[0-9a-f-]{36}$/);
  assert.equal(headers.get('x-openstack-ironic-api-maximum-version'), '1.115');
});

test('version documents, /openapi.json, ramdisk endpoints, /healthcheck and OPTIONS need no login', async () => {
  const uuid = '11111111-2222-4333-8444-555555555555';
  const open = await Promise.all(
    (
      [
        ['GET', '/'],
        ['GET', '/v1'],
        ['GET', '/v1/'],
        ['GET', '/openapi.json'],
        ['HEAD', '/v1'],
        ['GET', `/v1/lookup?node_uuid=${uuid}`],
        ['GET', `/v1/lookup/?node_uuid=${uuid}`],
        ['POST', `/v1/heartbeat/${uuid}`],
        ['POST', '/v1/continue_inspection'],
        ['OPTIONS', '/v1/nodes'],
      ] as const
    ).map(async ([method, where]) => (await session.request(method, where)).status),
  );
  assert.deepEqual(open, [200, 200, 200, 200, 200, 404, 404, 400, 404, 200]);
  const health = await session.request('GET', '/healthcheck', { headers: { accept: 'application/json' } });
  assert.deepEqual([health.status, health.body], [200, { detailed: false, reasons: [] }]);
});

test('the history of a node names the user', async () => {
  const ann = as('ann', 'secret');
  const created = await session.request('POST', '/v1/nodes', { ...ann, body: { driver: 'ipmi' } });
  const { uuid } = created.body as { uuid: string };
  const body = { target: 'manage' };
  assert.equal(
    (await session.request('PUT', `/v1/nodes/${uuid}/states/provision`, { ...ann, body })).status,
    202,
  );
  await session.services.workers.idle();
  const { json: history } = await session.request('GET', `/v1/nodes/${uuid}/history/detail`, ann);
  const entries = (history as { history: readonly { user: string | null }[] }).history;
  assert.ok(entries.length > 0);
  assert.ok(
    entries.every((entry) => entry.user === 'ann'),
    JSON.stringify(entries),
  );
});

test('a user who has logged in is answered while wrong passwords are compared', async () => {
  await session.clock.advance(MINUTE);
  const slow = as('slow', 'secret');
  assert.equal((await session.request('GET', '/v1/nodes', slow)).status, 200);
  let compared = 0;
  const guesses = [1, 2, 3, 4].map(async (guess) => {
    const { status } = await session.request('GET', '/v1/nodes', as('slow', `guess ${guess}`));
    compared += 1;
    return status;
  });
  assert.equal((await session.request('GET', '/v1/nodes', slow)).status, 200);
  assert.ok(compared < guesses.length, 'the user who has logged in waited for every guess');
  assert.deepEqual(await Promise.all(guesses), [401, 401, 401, 401]);
});

test('a changed password file is read again, and a broken one is ignored', async () => {
  await session.clock.advance(MINUTE);
  assert.equal(await statusOf('ann', 'secret'), 200);
  writeAccounts(`ann:${HORSE}\ncy:${SECRET}\n`);
  assert.deepEqual(
    [await statusOf('ann', 'secret'), await statusOf('ann', 'correct horse'), await statusOf('cy', 'secret')],
    [401, 200, 200],
  );
  writeAccounts(`ann:not-a-digest\n`);
  assert.deepEqual([await statusOf('ann', 'correct horse'), await statusOf('cy', 'secret')], [200, 200]);
  writeAccounts(`bob:${HORSE}\n`);
  assert.deepEqual([await statusOf('cy', 'secret'), await statusOf('bob', 'correct horse')], [401, 200]);
});

test('the daemon does not start without a valid password file', async () => {
  const other = path.join(directory, 'other');
  const startWith = (text: string, mode: number) => {
    rmSync(other, { force: true });
    writeFileSync(other, text, { mode });
    return start(other);
  };
  await assert.rejects(startWith(`ann:${SECRET}\nbob:$1$x\n`, 0o600), /other:2: .* not a bcrypt digest/);
  await assert.rejects(startWith(`ann:${SECRET}\n`, 0o644), /every user of this host .*chmod 640/);
  await assert.rejects(startWith('', 0o600), /has no users/);
  await assert.rejects(
    start(path.join(directory, 'missing')),
    /\(\[DEFAULT\] http_basic_auth_user_file\): ENOENT.*missing/,
  );
});

test('when authentication is off, credentials are ignored', async (t) => {
  const open = await startInProcess(t);
  for (const headers of [{}, { authorization: basic('ann', 'wrong') }, { authorization: 'Bearer x' }])
    assert.equal((await open.request('GET', '/v1/nodes', { headers })).status, 200);
});
