import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { tokenCommand } from '../../../../daemon/cli/host/token-command.ts';
import { isDay, parseTokenFile } from '../../../../daemon/http/login/tokens.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

// the libxcrypt digest of "secret", cost 4
const SECRET = '$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW';

const directory = mkdtempSync(path.join(tmpdir(), 'tokens-'));
after(() => rmSync(directory, { recursive: true }));
const htpasswd = path.join(directory, 'htpasswd');
const tokens = path.join(directory, 'tokens');
writeFileSync(htpasswd, `ann:${SECRET}\n`, { mode: 0o600 });
writeFileSync(tokens, '', { mode: 0o600 });

const daemon = await startInProcess(
  { after },
  {
    ini: `auth_strategy = http_basic
http_basic_auth_user_file = ${htpasswd}
[users]
readers = prometheus
token_file = ${tokens}
`,
  },
);
// wrong passwords of earlier tests do not count any more
beforeEach(() => daemon.clock.advance(60_000));

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const answerTo = (headers: Readonly<Record<string, string>>) =>
  daemon.request('GET', '/v1/nodes', { headers });
const statusWith = async (authorization: string) => (await answerTo({ authorization })).status;

/** Makes a token with `ironic-edge token`, adds its line to the token file, and returns the token. */
async function grant(...words: readonly string[]): Promise<string> {
  const { code, out, errors } = await runCommand((context) => tokenCommand([...words], context));
  assert.equal(code, 0);
  appendFileSync(tokens, out);
  return errors.trim();
}

test('a token is accepted as Bearer, as X-Auth-Token and as the password of its user, with the role of that user', async () => {
  const token = await grant('prometheus');
  assert.match(token, /^iet_[\w-]{43}$/);
  assert.equal(await statusWith(`Bearer ${token}`), 200);
  assert.equal((await answerTo({ 'x-auth-token': token })).status, 200);
  assert.equal(await statusWith(basic('prometheus', token)), 200);
  assert.equal(await statusWith(basic('ann', token)), 401);
  assert.equal(await statusWith(`Bearer ${token}x`), 401);
  const write = await daemon.request('POST', '/v1/nodes', {
    headers: { authorization: `Bearer ${token}` },
    body: { driver: 'fake-hardware' },
  });
  assert.equal(write.status, 403);
});

test('a token expires, and is void when its line is gone', async () => {
  const tomorrow = new Date(daemon.clock.now() + 86_400_000).toISOString().slice(0, 10);
  const token = await grant('prometheus', '--until', tomorrow);
  assert.equal(await statusWith(`Bearer ${token}`), 200);
  await daemon.clock.advance(86_400_000);
  assert.equal(await statusWith(`Bearer ${token}`), 401);
  const lasting = await grant('prometheus');
  assert.equal(await statusWith(`Bearer ${lasting}`), 200);
  writeFileSync(tokens, '# none\n', { mode: 0o600 });
  assert.equal(await statusWith(`Bearer ${lasting}`), 401);
});

test('the token file holds no token in clear, and while it has a wrong line the former tokens stay valid', async () => {
  const token = await grant('prometheus');
  assert.ok(!readFileSync(tokens, 'utf8').includes(token.slice(4)));
  assert.equal(await statusWith(`Bearer ${token}`), 200);
  writeFileSync(tokens, 'not a line\n', { mode: 0o600 });
  assert.equal(await statusWith(`Bearer ${token}`), 200);
  assert.match(daemon.log(), /tokens:1: expected USER:DIGEST .*cannot use the token file/);
  writeFileSync(tokens, '', { mode: 0o600 });
});

test('each wrong line of a token file is named', () => {
  assert.throws(() => parseTokenFile('f', `ann:short\n\nbob:${'a'.repeat(64)}:tomorrow\n`), /f:1: .*f:3: /s);
  assert.equal(parseTokenFile('f', '').size, 0);
});

test('no token is made for a user name with a colon, without a user name, or with an expiry that is not a date', async () => {
  for (const words of [['a:b'], ['ann', '--until', 'tomorrow'], []])
    assert.equal((await runCommand((context) => tokenCommand(words, context))).code, 2, words.join(' '));
});

test('the eleventh wrong password from an address in a minute gets 429; a right token and users who have logged in are not locked out', async () => {
  assert.equal(await statusWith(basic('ann', 'secret')), 200);
  const guess = (index: number) => answerTo({ authorization: basic('ann', `guess ${index}`) });
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => guess(index)));
  const counted = (status: number) => answers.filter((each) => each.status === status).length;
  assert.deepEqual([counted(401), counted(429)], [10, 30]);
  const refused = answers.find(({ status }) => status === 429);
  assert.equal(refused?.headers.get('retry-after'), '60');
  assert.equal(await statusWith(basic('ann', 'secret')), 200);
  assert.equal(await statusWith('Bearer iet_guess'), 401);
  assert.equal(await statusWith(`Bearer ${await grant('prometheus')}`), 200);
  await daemon.clock.advance(60_000);
  assert.equal((await guess(99)).status, 401);
});

test('a day of expiry must exist in the calendar', () => {
  const days = ['2027-01-31', '2028-02-29', '2027-02-29', '2027-02-31', '2027-13-01', '2027-1-1'];
  assert.deepEqual(days.filter(isDay), ['2027-01-31', '2028-02-29']);
});
