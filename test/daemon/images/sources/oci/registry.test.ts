import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { parseOciReference } from '../../../../../daemon/images/sources/oci/oci-reference.ts';
import { registryLogin } from '../../../../../daemon/images/sources/oci/registry-login.ts';
import { findBlob } from '../../../../../daemon/images/sources/oci/registry.ts';
import { digest, loopbackWeb } from '../../../../fakes/images.ts';
import { ociRegistry } from '../../../../fakes/services/oci-registry.ts';

const CONTENT = Buffer.from('a disk');
const login = Buffer.from('user:hidden').toString('base64');

interface More {
  readonly architecture?: string;
  readonly login?: string | null;
  readonly tokenServers?: readonly string[];
}

function find(name: string, { architecture = 'x86_64', login: given = null, tokenServers = [] }: More = {}) {
  const reference = parseOciReference(name);
  assert.ok(reference, name);
  return findBlob(
    { web: loopbackWeb, usesHttp: true, tokenServers },
    { reference, architecture, login: given, signal: new AbortController().signal },
  );
}

test('an image is found by its tag, by its digest, and by the architecture of the machine', async (t) => {
  const registry = await ociRegistry(t);
  const other = registry.push('os/debian', 'arm', Buffer.from('arm disk'));
  const manifest = registry.push('os/debian', '13', CONTENT);
  registry.pushIndex('os/debian', 'latest', { arm64: other, amd64: manifest });
  const named = `oci://${registry.host}/os/debian`;
  for (const name of [`${named}:13`, `${named}@${manifest}`, `${named}:13@${manifest}`, named])
    assert.equal((await find(name)).sha256, digest(CONTENT), name);
  assert.equal((await find(named, { architecture: 'aarch64' })).sha256, digest('arm disk'));
  await assert.rejects(
    find(named, { architecture: 'ppc64le' }),
    /no image for ppc64le \(ppc64le\), only for: arm64, amd64/,
  );
  await assert.rejects(find(`${named}:14`), /its registry has no manifest for 14/);
});

test('a manifest that has an unexpected digest, no layer or a malformed digest in it, or is not JSON, is refused', async (t) => {
  const registry = await ociRegistry(t);
  const wrong = `sha256:${digest('something else')}`;
  registry.pushManifest('a', wrong, { layers: [] });
  await assert.rejects(
    find(`oci://${registry.host}/a@${wrong}`),
    /sent a manifest with digest sha256:.*, expected/,
  );
  for (const [document, reason] of [
    [{ layers: [] }, /it has 0 layers; a disk image has one/],
    [{ layers: [{ digest: 'sha256:1' }] }, /it has 1 layers/],
    [{ layers: [{ digest: `sha256:${'a'.repeat(64)}/../../x` }] }, /it has 1 layers/],
    ['<html>', /something other than a JSON object/],
    [{ manifests: [{ digest: '../x', platform: { architecture: 'amd64' } }] }, /only for: none/],
  ] as const) {
    registry.pushManifest('a', 'odd', document);
    await assert.rejects(find(`oci://${registry.host}/a:odd`), reason);
  }
});

test('the token that a registry asks for is fetched, with a login or without', async (t) => {
  const open = await ociRegistry(t, { login: 'token' });
  open.push('a', '1', CONTENT);
  const { authorize, url } = await find(`oci://${open.host}/a:1`);
  assert.equal(authorize(new URL(url)), 'Bearer pulling');
  const asked = open.requests.find((request) => request.path.startsWith('/token'));
  assert.deepEqual(asked, {
    server: 'registry',
    path: '/token?service=registry.test&scope=repository%3Aa%3Apull',
    authorization: undefined,
  });
  const closed = await ociRegistry(t, { login: 'token', user: 'user:hidden' });
  closed.push('a', '1', CONTENT);
  assert.equal((await find(`oci://${closed.host}/a:1`, { login })).sha256, digest(CONTENT));
  await assert.rejects(find(`oci://${closed.host}/a:1`), /gave no token for it \(status 401\)/);
});

test('a registry that asks for a basic login gets it; without a login, the error says what to set', async (t) => {
  const registry = await ociRegistry(t, { login: 'basic', user: 'user:hidden' });
  registry.push('a', '1', CONTENT);
  assert.equal((await find(`oci://${registry.host}/a:1`, { login })).sha256, digest(CONTENT));
  await assert.rejects(
    find(`oci://${registry.host}/a:1`),
    /asks for a login; set instance_info\/image_pull_secret/,
  );
  await assert.rejects(
    find(`oci://${registry.host}/a:1`, { login: Buffer.from('user:other').toString('base64') }),
    /refuses the login/,
  );
});

test('a login goes to its registry, and to no other server unless [oci] token_servers lists it (CVE-2026-42997)', async (t) => {
  const thief = await ociRegistry(t, { login: 'token' });
  const registry = await ociRegistry(t, { login: 'token', tokenHost: thief.host });
  registry.push('a', '1', CONTENT);
  const name = `oci://${registry.host}/a:1`;
  await assert.rejects(
    find(name, { login }),
    /refers logins to 127\.0\.0\.1:\d+; list that host in \[oci\] token_servers/,
  );
  assert.equal(thief.requests.length, 0);
  await find(name);
  assert.deepEqual(
    thief.requests.map((request) => request.authorization),
    [undefined],
  );
  await find(name, { login, tokenServers: [thief.host] });
  assert.equal(thief.requests.at(-1)?.authorization, `Basic ${login}`);
  const { authorize } = await find(name);
  assert.equal(authorize(new URL(`http://${registry.blobHost}/x`)), undefined);
  assert.equal(authorize(new URL(`https://${registry.host}/x`)), undefined);
});

test('the login for a registry is that of the instance, or one that the configuration has for this registry', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'logins-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'auth.json');
  writeFileSync(file, JSON.stringify({ auths: { 'quay.test': { auth: 'ZmlsZQ==' } } }));
  const of = { user: 'user', password: 'hidden', hosts: ['registry.test:5000'] };
  const nothing = { pullSecret: null, login: null };
  assert.equal(await registryLogin('quay.test', { ...nothing, pullSecret: 'user:hidden' }, file), login);
  assert.equal(await registryLogin('quay.test', { ...nothing, pullSecret: login }, file), login);
  assert.equal(await registryLogin('registry.test:5000', { ...nothing, login: of }, file), login);
  assert.equal(await registryLogin('quay.test', { ...nothing, login: of }, file), 'ZmlsZQ==');
  assert.equal(await registryLogin('evil.test', { ...nothing, login: of }, file), null);
  assert.equal(await registryLogin('quay.test', nothing, null), null);
  writeFileSync(file, 'x');
  await assert.rejects(
    registryLogin('quay.test', nothing, file),
    /\[oci\] authentication_config is not JSON/,
  );
});

test('the name of an image in a registry is parsed, and any other text is not taken for one', () => {
  const sha256 = `sha256:${'a'.repeat(64)}`;
  const read: readonly (readonly [string, string, string, string])[] = [
    ['oci://r.test/a', 'r.test', 'a', 'latest'],
    ['oci://r.test:5000/a/b-c_d.e:v1.2', 'r.test:5000', 'a/b-c_d.e', 'v1.2'],
    [`oci://r.test/a@${sha256}`, 'r.test', 'a', sha256],
    [`oci://r.test/a:1@${sha256}`, 'r.test', 'a', sha256],
  ];
  for (const [text, registry, repository, version] of read)
    assert.deepEqual(parseOciReference(text), { registry, repository, version });
  for (const text of [
    'oci://r.test/',
    'oci:///a',
    'oci://:password@registry.example/a',
    'oci://registry.example/a:1:2',
    `oci://registry.example/a@sha256:${'0'.repeat(64)}@sha256:${'1'.repeat(64)}`,
    'http://r.test/a',
    'oci://u:p@r.test/a',
    'oci://r.test/A:1',
    'oci://r.test/a?x',
    'oci://r.test/a#x',
    'oci://r.test/a@sha256:1',
    'oci://r.test/a@md5:1',
    'oci://r.test/a:',
    'oci://r.test/a//b',
    'oci://r.test/a:x/y z',
  ])
    assert.equal(parseOciReference(text), undefined, text);
});
