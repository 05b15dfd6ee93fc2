import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const session = await startInProcess({ after });

const create = async (given: object) => {
  const { body } = await session.request('POST', '/v1/nodes', {
    body: { driver: 'fake-hardware', ...given },
  });
  return (body as { uuid: string }).uuid;
};

test('the UUIDs of child nodes are listed in order of creation, with a link to the list of these nodes', async () => {
  const parent = await create({ name: 'chassis-1' });
  const children = [await create({ parent_node: 'chassis-1' }), await create({ parent_node: parent })];
  for (const identifier of [parent, 'chassis-1']) {
    const { status, json } = await session.request('GET', `/v1/nodes/${identifier}/children`);
    assert.equal(status, 200);
    const { links, ...rest } = json as { links: { href: string; rel: string } };
    assert.deepEqual(rest, { children });
    assert.equal(links.rel, 'children');
    assert.match(links.href, new RegExp(`^http://[^/]+/v1/nodes\\?parent_node=${parent}$`));
    const listed = await session.request('GET', new URL(links.href).pathname + new URL(links.href).search);
    assert.deepEqual(
      (listed.json as { nodes: { uuid: string }[] }).nodes.map(({ uuid }) => uuid),
      children,
    );
  }
});

test('a node without children has an empty list', async () => {
  const { json } = await session.request('GET', `/v1/nodes/${await create({})}/children`);
  assert.deepEqual((json as { children: unknown }).children, []);
});

const status = async (at: string, version: number) => (await session.request('GET', at, { version })).status;

test('GET children needs 1.83 and a known node, and refuses arguments', async () => {
  const path = `/v1/nodes/${await create({})}/children`;
  assert.equal(await status(path, 82), 404);
  assert.equal(await status(path, 83), 200);
  assert.equal(await status('/v1/nodes/nobody/children', 83), 404);
  assert.equal(await status(`${path}?limit=1`, 83), 400);
});

test('the filter parent_node takes a name; a name that no node has finds none', async () => {
  const parent = await create({ name: 'enclosure' });
  const child = await create({ parent_node: parent });
  for (const [name, found] of [
    ['enclosure', [child]],
    [parent.toUpperCase(), [child]],
    ['nobody', []],
  ] as const) {
    const { json } = await session.request('GET', `/v1/nodes?parent_node=${name}`);
    assert.deepEqual(
      (json as { nodes: { uuid: string }[] }).nodes.map(({ uuid }) => uuid),
      found,
    );
  }
});

test('nodes can be sorted by their reservation', async () => {
  const path = '/v1/nodes?sort_key=reservation&limit=2';
  const sorted = await session.request('GET', path);
  assert.equal(sorted.status, 200);
  assert.match((sorted.json as { next: string }).next, /sort_key=reservation/);
});
