import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

// one attempt at a lock: requests for a locked node are refused at once
const session = await startInProcess({ after }, { ini: '[conductor]\nnode_locked_retry_attempts = 1\n' });
let node: string;
beforeEach(async () => {
  const { body } = await session.request('POST', '/v1/nodes', { body: { driver: 'fake-hardware' } });
  node = (body as { uuid: string }).uuid;
});

const at = (rest = '') => `/v1/nodes/${node}/traits${rest}`;
const traits = async () => (await session.request('GET', at())).body;
const put = (body: unknown) => session.request('PUT', at(), { body });
const custom = (count: number) => Array.from({ length: count }, (_, index) => `CUSTOM_${index + 100}`);

test('a new node has no traits', async () => {
  assert.deepEqual(await traits(), { traits: [] });
});

test('PUT of a list replaces all traits, drops duplicates and sorts them', async () => {
  await put({ traits: ['CUSTOM_Z'] });
  const { status, json } = await put({ traits: ['HW_CPU_X86_VMX', 'CUSTOM_B', 'CUSTOM_A', 'CUSTOM_B'] });
  assert.deepEqual([status, json], [204, undefined]);
  assert.deepEqual(await traits(), { traits: ['CUSTOM_A', 'CUSTOM_B', 'HW_CPU_X86_VMX'] });
});

test('PUT of an empty list clears the traits', async () => {
  await put({ traits: ['CUSTOM_A'] });
  assert.equal((await put({ traits: [] })).status, 204);
  assert.deepEqual(await traits(), { traits: [] });
});

test('PUT of one trait adds it once, and the Location has the node name of the request', async () => {
  await session.request('PATCH', `/v1/nodes/${node}`, {
    body: [{ op: 'add', path: '/name', value: 'traity' }],
  });
  for (const body of [undefined, {}]) {
    const { status, headers } = await session.request('PUT', '/v1/nodes/traity/traits/CUSTOM_A', { body });
    assert.equal(status, 204);
    assert.match(headers.get('location') ?? '', /^http:.*\/v1\/nodes\/traity\/traits\/CUSTOM_A$/);
  }
  assert.deepEqual(await traits(), { traits: ['CUSTOM_A'] });
});

test('PUT of one trait with a body other than an empty object is refused', async () => {
  for (const body of [{ traits: ['CUSTOM_B'] }, [], '"CUSTOM_A"']) {
    assert.equal((await session.request('PUT', at('/CUSTOM_A'), { body })).status, 400);
  }
  assert.deepEqual(await traits(), { traits: [] });
});

test('PUT without a list of traits or with another argument is refused', async () => {
  for (const body of [
    undefined,
    {},
    [],
    { traits: null },
    { traits: 'CUSTOM_A' },
    { traits: [], other: 1 },
  ]) {
    assert.equal((await put(body)).status, 400, JSON.stringify(body));
  }
});

test('invalid trait names are refused and change nothing', async () => {
  for (const name of ['CUSTOM_a', 'GOLD', 'CUSTOM_', `CUSTOM_${'A'.repeat(249)}`, 7, null]) {
    const { status, body } = await put({ traits: ['CUSTOM_A', name] });
    assert.equal(status, 400, String(name));
    assert.match(JSON.stringify(body), /trait/);
  }
  assert.equal((await session.request('PUT', at('/gold'))).status, 400);
  assert.deepEqual(await traits(), { traits: [] });
});

test('a node has at most 50 traits', async () => {
  assert.equal((await put({ traits: custom(51) })).status, 400);
  assert.equal((await put({ traits: [...custom(50), ...custom(50)] })).status, 204);
  assert.equal((await session.request('PUT', at('/CUSTOM_A'))).status, 400);
  assert.equal((await session.request('PUT', at('/CUSTOM_100'))).status, 204);
  assert.deepEqual(await traits(), { traits: custom(50) });
});

test('DELETE removes one trait, and a missing trait returns 404', async () => {
  await put({ traits: ['CUSTOM_A', 'CUSTOM_B'] });
  assert.equal((await session.request('DELETE', at('/CUSTOM_A'))).status, 204);
  assert.equal((await session.request('DELETE', at('/CUSTOM_A'))).status, 404);
  assert.deepEqual(await traits(), { traits: ['CUSTOM_B'] });
});

test('DELETE of the list removes all traits, even if there are none', async () => {
  await put({ traits: ['CUSTOM_A', 'CUSTOM_B'] });
  assert.equal((await session.request('DELETE', at())).status, 204);
  assert.equal((await session.request('DELETE', at())).status, 204);
  assert.deepEqual(await traits(), { traits: [] });
});

const status = async (method: string, path: string, version: number) =>
  (await session.request(method, path, { version, ...(method === 'PUT' && { body: {} }) })).status;

test('before 1.37, GET returns 406, PUT 405 and DELETE 404', async () => {
  assert.equal(await status('GET', at(), 36), 406);
  assert.equal(await status('PUT', at(), 36), 405);
  assert.equal(await status('PUT', at('/CUSTOM_A'), 36), 405);
  assert.equal(await status('DELETE', at(), 36), 404);
  assert.equal(await status('DELETE', at('/CUSTOM_A'), 36), 404);
  assert.equal(await status('GET', at(), 37), 200);
  assert.equal(await status('PUT', at('/CUSTOM_A'), 37), 204);
});

const shown = async (version: number) =>
  (await session.request('GET', `/v1/nodes/${node}`, { version })).body as { traits?: unknown };

test('a node shows its traits since 1.37', async () => {
  await put({ traits: ['CUSTOM_A'] });
  assert.deepEqual((await shown(37)).traits, ['CUSTOM_A']);
  assert.equal('traits' in (await shown(36)), false);
});

test('POST and PATCH of a node refuse traits', async () => {
  const patch = [{ op: 'add', path: '/traits/0', value: 'CUSTOM_A' }];
  assert.equal((await session.request('PATCH', `/v1/nodes/${node}`, { body: patch })).status, 400);
  const body = { driver: 'fake-hardware', traits: ['CUSTOM_A'] };
  assert.equal((await session.request('POST', '/v1/nodes', { body })).status, 400);
});

test('GET of one trait returns 405, and arguments are refused', async () => {
  assert.equal((await session.request('GET', at('/CUSTOM_A'))).status, 405);
  assert.equal((await session.request('GET', at('?limit=1'))).status, 400);
});

test('traits of an unknown node return 404', async () => {
  assert.equal((await session.request('GET', '/v1/nodes/nobody/traits')).status, 404);
  assert.equal((await session.request('PUT', '/v1/nodes/nobody/traits/CUSTOM_A')).status, 404);
});

test('changing traits needs the lock of the node, but reading them does not', async () => {
  const release = session.services.locks.tryAcquire(node);
  assert.equal((await put({ traits: ['CUSTOM_A'] })).status, 409);
  assert.equal((await session.request('PUT', at('/CUSTOM_A'))).status, 409);
  assert.equal((await session.request('DELETE', at())).status, 409);
  assert.deepEqual(await traits(), { traits: [] });
  release?.();
  assert.equal((await put({ traits: ['CUSTOM_A'] })).status, 204);
});
