// Runbooks and their traits over HTTP.
import assert from 'node:assert/strict';
import { after, beforeEach, suite, test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

interface Runbook {
  readonly uuid: string;
  readonly name: string;
  readonly steps: readonly object[];
  readonly owner: string | null;
  readonly public: boolean;
  readonly [key: string]: unknown;
}
interface Page {
  readonly runbooks: readonly Runbook[];
  readonly next?: string;
}

const PATH = '/v1/runbooks';
const UUID = '6d9fe3c9-6c56-4ba5-8ac8-7e1ac7a1ad3f';
const step = { interface: 'bios', step: 'factory_reset', args: { force: true }, order: 1 };
const runbook = { name: 'CUSTOM_AUDIT', steps: [step] };

suite('runbooks', async () => {
  const session = await startInProcess({ after });
  beforeEach(() => session.services.db.runbooks.clear());

  const request = (method: string, path: string, version = 115, body?: unknown) =>
    session.request(method, `${PATH}${path}`, { version, body });
  const post = (body: object, version = 115) => request('POST', '', version, body);
  const created = async (body: object) => {
    const reply = await post(body);
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    return reply.json as Runbook;
  };
  const patch = (id: string, body: unknown, version = 115) => request('PATCH', `/${id}`, version, body);
  const replaced = (id: string, name: string, value: unknown) =>
    patch(id, [{ op: 'replace', path: `/${name}`, value }]);
  const list = async (query = '') => (await request('GET', query)).json as Page;
  const traitsOf = async (id: string) => (await request('GET', `/${id}/traits`)).body;
  const versionDocument = async (version: number) =>
    (await session.request('GET', '/v1', { version })).body as object;

  test('POST answers 201 with the whole runbook, its Location and defaults', async () => {
    const reply = await post({ ...runbook, uuid: UUID });
    assert.equal(reply.status, 201);
    const { created_at: time, links, ...rest } = reply.json as Runbook;
    assert.deepEqual(rest, {
      ...runbook,
      uuid: UUID,
      description: null,
      disable_ramdisk: false,
      extra: {},
      public: false,
      owner: null,
      traits: [],
      updated_at: null,
    });
    assert.match(String(time), /\+00:00$/);
    assert.equal((links as readonly object[]).length, 2);
    assert.match(reply.headers.get('location') ?? '', new RegExp(`^http://.+${PATH}/${UUID}$`));
  });

  test('before 1.92, GET returns 404 and other methods return 405', async () => {
    await created({ ...runbook, uuid: UUID });
    for (const [method, path, status] of [
      ['GET', '', 404],
      ['GET', `/${UUID}`, 404],
      ['POST', '', 405],
      ['PATCH', `/${UUID}`, 405],
      ['DELETE', `/${UUID}`, 405],
    ] as const) {
      assert.equal((await request(method, path, 91)).status, status, method);
    }
    assert.equal((await request('GET', '', 92)).status, 200);
    assert.equal('runbooks' in (await versionDocument(91)), false);
    assert.equal('runbooks' in (await versionDocument(92)), true);
  });

  test('a runbook is found by UUID and by name, and an unknown one returns 404', async () => {
    const { uuid } = await created(runbook);
    for (const id of [uuid, 'CUSTOM_AUDIT']) {
      assert.equal(((await request('GET', `/${id}`)).json as Runbook).uuid, uuid);
    }
    const missing = await request('GET', '/nothing');
    assert.equal(missing.status, 404);
    assert.equal(missing.fault, 'Runbook nothing could not be found.');
    assert.equal((await request('GET', '/a%2Fb')).status, 400);
    assert.equal((await request('GET', '/detail')).status, 404);
  });

  test('the name of a runbook must be a trait before 1.112, and can be any logical name since then', async () => {
    assert.equal((await post({ ...runbook, name: 'CUSTOM_OLD' }, 111)).status, 201);
    const refused = await post({ ...runbook, name: 'audit-1.2_~' }, 111);
    assert.equal(refused.status, 400);
    assert.match(refused.fault, /"audit-1\.2_~" for the runbook: before API 1\.112/);
    const { uuid } = await created({ ...runbook, name: 'audit-1.2_~' });
    assert.equal((await request('GET', '/audit-1.2_~')).status, 200);
    for (const name of ['a b', 'a/b', '', 'a'.repeat(256), null]) {
      assert.equal((await post({ ...runbook, name })).status, 400, String(name));
      assert.equal((await replaced(uuid, 'name', name)).status, 400, String(name));
    }
    const rename = [{ op: 'replace', path: '/name', value: 'other' }];
    assert.equal((await patch(uuid, rename, 111)).status, 400);
    assert.equal((await patch(uuid, rename)).status, 200);
  });

  test('a runbook requires name and steps, and unknown fields, traits and a change of uuid are refused', async () => {
    assert.match((await post({ steps: [step] })).fault, /'name' is a required property/);
    assert.match((await post({ name: 'CUSTOM_A' })).fault, /'steps' is a required property/);
    assert.match((await post({ ...runbook, foo: 1 })).fault, /'foo' was unexpected/);
    assert.match((await post({ ...runbook, traits: ['CUSTOM_A'] })).fault, /'traits' was unexpected/);
    const { uuid } = await created(runbook);
    assert.equal((await replaced(uuid, 'traits', [])).status, 400);
    assert.equal((await replaced(uuid, 'uuid', UUID)).status, 400);
  });

  test('a step needs a valid interface, step and order, may have args but no other field, and is listed only once', async () => {
    const { args: _, ...bare } = step;
    assert.deepEqual((await created({ ...runbook, steps: [bare] })).steps, [bare]);
    const wrong = [
      { interface: undefined },
      { step: undefined },
      { order: undefined },
      { interface: 'network' },
      { order: -1 },
      { order: 'first' },
      { args: [] },
      { priority: 1 },
      { execute_on_child_nodes: true },
    ];
    for (const part of wrong) {
      const reply = await post({ name: 'CUSTOM_B', steps: [{ ...step, ...part }] });
      assert.equal(reply.status, 400, JSON.stringify(part));
    }
    assert.equal((await post({ name: 'CUSTOM_B', steps: [] })).status, 400);
    assert.equal((await post({ name: 'CUSTOM_B', steps: [step, { ...step, order: 2 }] })).status, 400);
  });

  test('the order of a step becomes a number if it is a string of digits', async () => {
    assert.deepEqual((await created({ ...runbook, steps: [{ ...step, order: '12' }] })).steps, [
      { ...step, order: 12 },
    ]);
  });

  test('a name or UUID in use returns 409', async () => {
    const { uuid } = await created(runbook);
    const sameName = await post(runbook);
    assert.equal(sameName.status, 409);
    assert.equal(sameName.fault, 'A runbook with name CUSTOM_AUDIT already exists.');
    assert.equal((await post({ ...runbook, name: 'b', uuid })).status, 409);
    await created({ ...runbook, name: 'b' });
    assert.equal((await replaced('b', 'name', 'CUSTOM_AUDIT')).status, 409);
  });

  test('description and traits need 1.112', async () => {
    const { uuid } = await created({ ...runbook, description: 'yearly' });
    const old = (await request('GET', `/${uuid}`, 111)).json as Runbook;
    assert.equal('description' in old || 'traits' in old, false);
    const now = (await request('GET', `/${uuid}`, 112)).json as Runbook;
    assert.deepEqual([now['description'], now['traits']], ['yearly', []]);
    assert.equal((await post({ ...runbook, description: 'x' }, 111)).status, 406);
    const add = [{ op: 'add', path: '/description', value: 'x' }];
    assert.equal((await patch(uuid, add, 111)).status, 406);
    assert.equal((await request('GET', '?fields=description', 111)).status, 406);
    assert.equal((await replaced(uuid, 'description', 'x'.repeat(256))).status, 400);
  });

  test('public and disable_ramdisk accept spellings of true such as yes and 1', async () => {
    const { uuid, ...shown } = await created({ ...runbook, public: 'yes', disable_ramdisk: '1' });
    assert.deepEqual([shown.public, shown['disable_ramdisk']], [true, true]);
    assert.equal((await replaced(uuid, 'disable_ramdisk', 'maybe')).status, 400);
  });

  test('an owner is accepted unless the runbook is public', async () => {
    const mine = await created({ ...runbook, owner: 'me' });
    assert.equal(mine.owner, 'me');
    const refused = await post({ ...runbook, name: 'b', owner: 'me', public: true });
    assert.equal(refused.status, 400);
    assert.equal(refused.fault, 'There cannot be an owner for a public runbook.');
    await created({ ...runbook, name: 'c', public: true });
    assert.equal((await replaced('c', 'owner', 'me')).status, 400);
    assert.equal(((await replaced(mine.uuid, 'owner', 'you')).json as Runbook).owner, 'you');
  });

  test('a runbook that becomes public loses its owner', async () => {
    const { uuid } = await created({ ...runbook, owner: 'me' });
    const shown = (await replaced(uuid, 'public', true)).json as Runbook;
    assert.deepEqual([shown.public, shown.owner], [true, null]);
    const both = [
      { op: 'replace', path: '/public', value: false },
      { op: 'replace', path: '/owner', value: 'me' },
    ];
    assert.equal(((await patch(uuid, both)).json as Runbook).owner, 'me');
  });

  test('secrets in step arguments are masked in answers and kept in the database', async () => {
    const args = { password: 'hush' };
    const shown = [{ ...step, args: { password: '******' } }];
    const { uuid, steps } = await created({ ...runbook, steps: [{ ...step, args }] });
    assert.deepEqual(steps, shown);
    assert.deepEqual((await list('?fields=steps')).runbooks[0]?.steps, shown);
    assert.deepEqual(((await replaced(uuid, 'extra', { a: 1 })).json as Runbook).steps, shown);
    assert.deepEqual(session.services.db.runbooks.get(uuid)?.steps[0]?.args, args);
  });

  test('a list of runbooks shows uuid, name and links, with detail also the steps, and takes only a UUID as marker', async () => {
    await created({ ...runbook, owner: 'me' });
    await created({ ...runbook, name: 'b' });
    const first = await list('?limit=1');
    assert.deepEqual(Object.keys(first.runbooks[0] ?? {}).toSorted(), ['links', 'name', 'uuid']);
    const next = new URL(first.next ?? '');
    assert.equal(next.pathname, PATH);
    assert.deepEqual(
      (await list(next.search)).runbooks.map(({ name }) => name),
      ['b'],
    );
    assert.deepEqual((await list('?detail=true')).runbooks[0]?.steps, [step]);
    assert.equal((await request('GET', '?marker=b')).status, 400);
    for (const query of ['?sort_key=steps', '?sort_key=traits', '?fields=foo', '?fields=name&detail=true']) {
      assert.equal((await request('GET', query)).status, 400, query);
    }
  });

  test('the argument project filters runbooks by owner, and the link to the next page repeats it', async () => {
    await created({ ...runbook, owner: 'me' });
    await created({ ...runbook, name: 'b', owner: 'you' });
    const page = await list('?project=me&limit=1');
    assert.deepEqual(
      page.runbooks.map(({ name }) => name),
      ['CUSTOM_AUDIT'],
    );
    assert.equal(new URL(page.next ?? '').searchParams.get('project'), 'me');
  });

  test('DELETE answers 204 and removes the runbook', async () => {
    const { uuid } = await created(runbook);
    assert.equal((await request('DELETE', '/CUSTOM_AUDIT')).status, 204);
    assert.equal((await request('DELETE', `/${uuid}`)).status, 404);
  });

  test('PUT of traits replaces all, drops duplicates and sorts them', async () => {
    const { uuid } = await created(runbook);
    assert.deepEqual(await traitsOf(uuid), { traits: [] });
    const traits = ['CUSTOM_B', 'CUSTOM_A', 'CUSTOM_B', 'HW_CPU_X86_VMX'];
    const reply = await request('PUT', '/CUSTOM_AUDIT/traits', 115, { traits });
    assert.deepEqual([reply.status, reply.headers.get('location')], [204, null]);
    const sorted = ['CUSTOM_A', 'CUSTOM_B', 'HW_CPU_X86_VMX'];
    assert.deepEqual(await traitsOf(uuid), { traits: sorted });
    assert.deepEqual((await list('?fields=traits')).runbooks[0]?.['traits'], sorted);
    assert.equal((await request('PUT', `/${uuid}/traits`, 115, { traits: [] })).status, 204);
    assert.deepEqual(await traitsOf(uuid), { traits: [] });
  });

  test('PUT of traits requires an object with only a list of traits', async () => {
    const { uuid } = await created(runbook);
    for (const body of [
      undefined,
      {},
      [],
      { traits: 'CUSTOM_A' },
      { traits: ['nope'] },
      { traits: [5] },
      { traits: [], more: 1 },
    ]) {
      const reply = await request('PUT', `/${uuid}/traits`, 115, body);
      assert.equal(reply.status, 400, JSON.stringify(body));
    }
  });

  test('PUT of one trait adds it once and returns its Location', async () => {
    const { uuid } = await created(runbook);
    for (const body of [undefined, {}]) {
      const reply = await request('PUT', '/CUSTOM_AUDIT/traits/CUSTOM_A', 115, body);
      assert.equal(reply.status, 204);
      assert.match(reply.headers.get('location') ?? '', /\/v1\/runbooks\/CUSTOM_AUDIT\/traits\/CUSTOM_A$/);
    }
    assert.deepEqual(await traitsOf(uuid), { traits: ['CUSTOM_A'] });
    assert.equal((await request('PUT', `/${uuid}/traits/CUSTOM_A`, 115, { traits: [] })).status, 400);
    assert.equal((await request('PUT', `/${uuid}/traits/nope`)).status, 400);
    assert.equal((await request('GET', `/${uuid}/traits/CUSTOM_A`)).status, 405);
  });

  test('DELETE removes one trait or all traits, and returns 204 even if there is nothing to remove', async () => {
    const { uuid } = await created(runbook);
    await request('PUT', `/${uuid}/traits`, 115, { traits: ['CUSTOM_A', 'CUSTOM_B', 'CUSTOM_C'] });
    for (const attempt of ['present', 'absent']) {
      assert.equal((await request('DELETE', `/${uuid}/traits/CUSTOM_B`)).status, 204, attempt);
    }
    assert.deepEqual(await traitsOf(uuid), { traits: ['CUSTOM_A', 'CUSTOM_C'] });
    for (const attempt of ['present', 'absent']) {
      assert.equal((await request('DELETE', `/${uuid}/traits`)).status, 204, attempt);
    }
    assert.deepEqual(await traitsOf(uuid), { traits: [] });
  });

  test('traits of a runbook return 404 before 1.112 and for an unknown runbook', async () => {
    const { uuid } = await created(runbook);
    for (const [method, path] of [
      ['GET', 'traits'],
      ['PUT', 'traits'],
      ['DELETE', 'traits'],
      ['PUT', 'traits/CUSTOM_A'],
      ['DELETE', 'traits/CUSTOM_A'],
    ] as const) {
      const body = method === 'PUT' && path === 'traits' ? { traits: [] } : undefined;
      assert.equal((await request(method, `/${UUID}/${path}`, 115, body)).status, 404, path);
      assert.equal((await request(method, `/${uuid}/${path}`, 111, body)).status, 404, path);
      assert.notEqual((await request(method, `/${uuid}/${path}`, 112, body)).status, 404, path);
    }
  });
});
