import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Node } from '../../../../daemon/model/records/node.ts';
import { allocationOf, allocationRequests, type AllocationView } from './allocation-requests.ts';

const { get, post, patch, remove, allocated, addNode } = await allocationRequests();
const listed = ({ body }: { readonly body: unknown }) =>
  (body as { allocations: AllocationView[] }).allocations.map(({ name }) => name);

test('POST returns the whole allocation in state allocating, and its Location', async () => {
  addNode();
  const { status, headers, json } = await post({ resource_class: 'gold', name: 'web-1', extra: { a: 1 } });
  assert.equal(status, 201);
  const { uuid, created_at, links, ...rest } = json as AllocationView;
  assert.deepEqual(rest, {
    name: 'web-1',
    candidate_nodes: [],
    extra: { a: 1 },
    last_error: null,
    node_uuid: null,
    owner: null,
    resource_class: 'gold',
    state: 'allocating',
    traits: [],
    updated_at: null,
  });
  assert.match(created_at ?? '', /\+00:00$/);
  assert.match(headers.get('location') ?? '', new RegExp(`^http://[^/]+/v1/allocations/${uuid}$`));
  assert.deepEqual(
    links.map(({ href, rel }) => [new URL(href).pathname, rel]),
    [
      [`/v1/allocations/${uuid}`, 'self'],
      [`/allocations/${uuid}`, 'bookmark'],
    ],
  );
});

test('an allocation becomes active and shows its node, and the node shows the allocation', async () => {
  const node = addNode({ traits: ['CUSTOM_A'] });
  const { uuid, state, node_uuid } = await allocated({ traits: ['CUSTOM_A'] });
  assert.deepEqual([state, node_uuid], ['active', node.uuid]);
  const shown = (await get(`nodes/${node.uuid}`)).json as Node;
  assert.deepEqual([shown.instance_uuid, shown.allocation_uuid], [uuid, uuid]);
  assert.deepEqual(shown.instance_info, { traits: ['CUSTOM_A'] });
});

test('an allocation without a matching node ends in state error with the reason', async () => {
  const { state, last_error, node_uuid } = await allocated({});
  assert.deepEqual([state, node_uuid], ['error', null]);
  assert.match(last_error ?? '', /no available nodes match the resource class/);
});

test('an allocation uses only its candidate_nodes, shown as UUIDs in the given order', async () => {
  addNode();
  const first = addNode({ name: 'first', maintenance: true });
  const second = addNode();
  const { candidate_nodes, node_uuid } = await allocated({
    candidate_nodes: [second.uuid, 'first', 'first'],
  });
  assert.deepEqual(candidate_nodes, [second.uuid, first.uuid]);
  assert.equal(node_uuid, second.uuid);
});

for (const field of ['owner', 'lessee'])
  test(`an allocation with an owner uses a node whose ${field} is that owner, not a node without owner and lessee`, async () => {
    addNode();
    const mine = addNode({ [field]: 'me' });
    assert.equal((await allocated({ owner: 'me' })).node_uuid, mine.uuid);
  });

const uuid = '0d6b4ac5-8e10-4a6c-a3b5-6d2d1b5c9a00';
const badBodies: readonly (readonly [string, unknown])[] = [
  ['no resource class', {}],
  ['no body', undefined],
  ['a null resource class', { resource_class: null }],
  ['an empty resource class', { resource_class: '' }],
  ['a resource class of 81 characters', { resource_class: 'x'.repeat(81) }],
  ['an unknown candidate', { resource_class: 'gold', candidate_nodes: ['nobody'] }],
  ['a malformed candidate', { resource_class: 'gold', candidate_nodes: ['a b'] }],
  ['candidates that are not a list', { resource_class: 'gold', candidate_nodes: 'a' }],
  ['a candidate that is not a string', { resource_class: 'gold', candidate_nodes: [1] }],
  ['an invalid trait', { resource_class: 'gold', traits: ['gold'] }],
  ['a malformed UUID', { resource_class: 'gold', uuid: 'zz' }],
  ['a name with a blank', { resource_class: 'gold', name: 'a b' }],
  ['an empty name', { resource_class: 'gold', name: '' }],
  ['extra that is not an object', { resource_class: 'gold', extra: [] }],
  ['an unknown field', { resource_class: 'gold', color: 'red' }],
  ['a field that only the service sets', { resource_class: 'gold', state: 'active' }],
  ['a node_uuid', { resource_class: 'gold', node_uuid: uuid }],
  ['an unknown node', { node: 'nobody' }],
  ['a node that is not a string', { node: 5 }],
  ['a list', []],
];
for (const [what, body] of badBodies) {
  test(`POST with ${what} is refused and stores nothing`, async () => {
    assert.equal((await post(body)).status, 400);
    assert.deepEqual(listed(await get('allocations')), []);
  });
}

test('any POST body returns 201, 400 or 409', async () => {
  const fields = ['name', 'uuid', 'resource_class', 'candidate_nodes', 'traits', 'extra', 'owner', 'node'];
  const bodies = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...fields), fc.jsonValue()));
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const { status } = await post(body);
      assert.ok([201, 400, 409].includes(status), `${status}: ${JSON.stringify(body)}`);
    }),
    { numRuns: 100 },
  );
});

test('POST accepts null for optional fields', async () => {
  const nothing = { name: null, candidate_nodes: null, traits: null, extra: null, owner: null, node: null };
  const { candidate_nodes, traits, extra } = await allocated(nothing);
  assert.deepEqual([candidate_nodes, traits, extra], [[], [], {}]);
});

test('POST with the name or UUID of another allocation returns 409', async () => {
  await allocated({ name: 'web-1', uuid });
  const named = await post({ resource_class: 'gold', name: 'web-1' });
  assert.deepEqual([named.status, named.fault], [409, 'An allocation with name web-1 already exists.']);
  assert.equal((await post({ resource_class: 'gold', uuid: uuid.toUpperCase() })).status, 409);
});

test('an allocation is found by UUID in any spelling and by name', async () => {
  await allocated({ name: 'web-1', uuid });
  for (const identifier of [uuid, uuid.toUpperCase(), uuid.replaceAll('-', ''), 'web-1']) {
    assert.equal(allocationOf(await get(`allocations/${identifier}`)).uuid, uuid);
  }
  assert.equal((await get('allocations/web-2')).status, 404);
  assert.equal((await get(`allocations/${randomUUID()}`)).status, 404);
  assert.equal((await get('allocations/a%20b')).status, 400);
});

test('lists show whole allocations and refuse detail', async () => {
  await allocated({ name: 'a' });
  const { json } = await get('allocations');
  const [first] = (json as { allocations: object[] }).allocations;
  assert.deepEqual(first, (await get('allocations/a')).body);
  assert.equal((await get('allocations?detail=true')).status, 400);
  assert.equal((await get('allocations/detail')).status, 404);
});

const keys = (object: unknown) => Object.keys(object as object).toSorted();

test('fields selects fields in lists and of one allocation, and links are always shown', async () => {
  await allocated({ name: 'a' });
  const wanted = ['links', 'name', 'state'];
  const { json } = await get('allocations?fields=name,state');
  assert.deepEqual((json as { allocations: object[] }).allocations.map(keys), [wanted]);
  assert.deepEqual(keys((await get('allocations/a?fields=name,state')).body), wanted);
  for (const path of ['allocations', 'allocations/a']) {
    assert.equal((await get(`${path}?fields=node`)).status, 400);
    assert.equal((await get(`${path}?fields=owner`, 59)).status, 406);
    assert.equal((await get(`${path}?fields=owner`, 60)).status, 200);
  }
});

const names = async (query: string) => listed(await get(`allocations?${query}`));

test('allocations are filtered by node, resource_class, state and owner, and by several at once', async () => {
  const node = addNode({ name: 'n1', owner: 'me' });
  await allocated({ name: 'a', owner: 'me' });
  await allocated({ name: 'b', owner: 'me', resource_class: 'silver' });
  await allocated({ name: 'c' });
  assert.deepEqual(await names('node=n1'), ['a']);
  assert.deepEqual(await names(`node=${node.uuid}`), ['a']);
  assert.deepEqual(await names('state=error'), ['b', 'c']);
  assert.deepEqual(await names('resource_class=gold'), ['a', 'c']);
  assert.deepEqual(await names('owner=me'), ['a', 'b']);
  assert.deepEqual(await names('owner=me&state=error&resource_class=silver'), ['b']);
  assert.deepEqual(await names('state=allocating'), []);
});

test('an unknown node in a filter and an unknown filter return 400', async () => {
  assert.equal((await get('allocations?node=nobody')).status, 400);
  assert.equal((await get('allocations?name=a')).status, 400);
});

test('next leads to the next page and keeps the filters', async () => {
  for (const name of ['a', 'b', 'c']) await allocated({ name });
  await allocated({ name: 'd', resource_class: 'silver' });
  const seen: unknown[] = [];
  let path: string | undefined = 'allocations?limit=2&resource_class=gold&sort_key=name&sort_dir=desc';
  while (path !== undefined) {
    const answer = await get(path);
    seen.push(listed(answer));
    const { next } = answer.body as { next?: string };
    path = next?.split('/v1/')[1];
  }
  assert.deepEqual(seen, [['c', 'b'], ['a']]);
});

test('an invalid sort_key, marker or limit is refused', async () => {
  for (const key of ['traits', 'candidate_nodes', 'extra', 'links', 'nonsense']) {
    assert.equal((await get(`allocations?sort_key=${key}`)).status, 400, key);
  }
  assert.equal((await get('allocations?sort_key=owner', 59)).status, 406);
  assert.equal((await get(`allocations?marker=${randomUUID()}`)).status, 404);
  assert.equal((await get('allocations?limit=0')).status, 400);
});

test('before 1.52, GET returns 404 and other methods return 405', async () => {
  await allocated({ name: 'a' });
  assert.equal((await get('allocations', 51)).status, 404);
  assert.equal((await get('allocations/a', 51)).status, 404);
  assert.equal((await post({ resource_class: 'gold' }, 51)).status, 405);
  assert.equal((await patch('allocations/a', [], 51)).status, 405);
  assert.equal((await remove('allocations/a', 51)).status, 405);
  assert.equal((await get('allocations/a', 52)).status, 200);
  assert.equal((await remove('allocations/a', 52)).status, 204);
});

test('owner is shown since 1.60, and refused with 406 before', async () => {
  await allocated({ name: 'a', owner: 'me' });
  assert.equal('owner' in ((await get('allocations/a', 59)).body as object), false);
  assert.equal(allocationOf(await get('allocations/a', 60)).owner, 'me');
  assert.equal((await post({ resource_class: 'gold', owner: 'me' }, 59)).status, 406);
  assert.equal((await get('allocations?owner=me', 59)).status, 406);
});

test('PATCH changes name and extra since 1.57', async () => {
  await allocated({ name: 'a', extra: { x: 1 } });
  const change = [
    { op: 'replace', path: '/name', value: 'b' },
    { op: 'add', path: '/extra/y', value: [1] },
  ];
  assert.equal((await patch('allocations/a', change, 56)).status, 405);
  const answer = await patch('allocations/a', change, 57);
  assert.equal(answer.status, 200);
  const { name, extra, updated_at } = allocationOf(answer);
  assert.deepEqual([name, extra], ['b', { x: 1, y: [1] }]);
  assert.notEqual(updated_at, null);
  assert.equal(allocationOf(await get('allocations/b')).name, 'b');
});

test('PATCH removes the name', async () => {
  const created = await allocated({ name: 'a' });
  const answer = await patch('allocations/a', [{ op: 'remove', path: '/name' }]);
  assert.deepEqual([answer.status, allocationOf(answer).name], [200, null]);
  assert.equal((await get(`allocations/${created.uuid}`)).status, 200);
});

test('PATCH is refused for fields other than name and extra, for an invalid name and for a name in use', async () => {
  await allocated({ name: 'a' });
  await allocated({ name: 'b' });
  for (const field of [
    'uuid',
    'owner',
    'resource_class',
    'traits',
    'candidate_nodes',
    'state',
    'node',
    'x',
  ]) {
    const { status } = await patch('allocations/a', [{ op: 'add', path: `/${field}`, value: 'x' }]);
    assert.equal(status, 400, field);
  }
  assert.equal((await patch('allocations/a', [{ op: 'add', path: '/name', value: 'a b' }])).status, 400);
  assert.equal((await patch('allocations/a', [{ op: 'add', path: '/name', value: 'b' }])).status, 409);
  assert.equal((await patch('allocations/a', {})).status, 400);
  assert.equal((await patch('allocations/c', [])).status, 404);
});

const document = async (version: number) =>
  (await get('', version)).body as { allocations?: { href: string }[] };

test('/v1 links to allocations since 1.52', async () => {
  assert.equal('allocations' in (await document(51)), false);
  assert.match((await document(52)).allocations?.[0]?.href ?? '', /\/v1\/allocations\/$/);
});
