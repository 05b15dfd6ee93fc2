// /v1/inspection_rules as clients use it.
import assert from 'node:assert/strict';
import { after, beforeEach, suite, test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

interface Rule {
  readonly uuid: string;
  readonly description: string | null;
  readonly conditions: readonly object[] | null;
  readonly actions: readonly object[] | null;
  readonly [key: string]: unknown;
}
interface Page {
  readonly inspection_rules: readonly Rule[];
  readonly next?: string;
}

const PATH = '/v1/inspection_rules';
const UUID = 'b3d5a0ad-2ec4-4b8c-b0f3-5a90a1c1a9f6';
const condition = { op: '!eq', args: { values: ['{node.driver}', 'ipmi'] } };
const action = { op: 'set-attribute', args: { path: '/extra/seen', value: true } };

suite('inspection rules', async () => {
  const session = await startInProcess({ after });
  beforeEach(() => session.services.db.inspectionRules.clear());

  const request = (method: string, path: string, version = 115, body?: unknown) =>
    session.request(method, `${PATH}${path}`, { version, body });
  const post = (body: object) => request('POST', '', 115, body);
  const created = async (body: object) => {
    const reply = await post(body);
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    return reply.json as Rule;
  };
  const patch = (id: string, ...operations: readonly object[]) => request('PATCH', `/${id}`, 115, operations);
  const list = async (query = '') => (await request('GET', query)).json as Page;
  const versionDocument = async (version: number) =>
    (await session.request('GET', '/v1', { version })).body as object;
  const keys = async (query: string) => Object.keys((await list(query)).inspection_rules[0] ?? {}).toSorted();

  test('arguments are returned as sent, a list as a list and an object as an object', async () => {
    const parts = {
      conditions: [
        { op: 'eq', args: ['{inventory[cpu][count]}', 8] },
        { op: '!contains', args: ['{node.name}', 'rack'] },
      ],
      actions: [{ op: 'set-attribute', args: ['/extra/seen', true] }, action],
    };
    const { uuid } = await created(parts);
    assert.partialDeepStrictEqual((await request('GET', `/${uuid}`)).json, parts);
    const patched = await patch(uuid, { op: 'add', path: '/conditions/-', value: condition });
    const conditions = [...parts.conditions, condition];
    assert.partialDeepStrictEqual(patched.json, { ...parts, conditions });
  });

  test('POST answers 201 with the whole rule and its Location', async () => {
    const given = {
      uuid: UUID,
      description: 'mark it',
      priority: 9999,
      phase: 'main',
      sensitive: false,
      conditions: [condition],
      actions: [action],
    };
    const reply = await post(given);
    assert.equal(reply.status, 201);
    const { created_at: time, links, ...rest } = reply.json as Rule;
    assert.deepEqual(rest, { ...given, updated_at: null });
    assert.match(String(time), /\+00:00$/);
    const location = reply.headers.get('location') ?? '';
    assert.match(location, new RegExp(`^http://.+${PATH}/${UUID}$`));
    assert.deepEqual(links, [
      { href: location, rel: 'self' },
      { href: location.replace('/v1/', '/'), rel: 'bookmark' },
    ]);
  });

  test('a rule needs only actions; phase defaults to main and priority to 0', async () => {
    const rule = await created({ actions: [action] });
    assert.deepEqual(
      [rule.description, rule['priority'], rule['phase'], rule['sensitive'], rule.conditions, rule.actions],
      [null, 0, 'main', false, [], [action]],
    );
  });

  test('before 1.96, GET returns 404 and other methods return 405', async () => {
    await created({ uuid: UUID, actions: [action] });
    for (const [method, path, status] of [
      ['GET', '', 404],
      ['GET', `/${UUID}`, 404],
      ['POST', '', 405],
      ['DELETE', '', 405],
      ['PATCH', `/${UUID}`, 405],
      ['DELETE', `/${UUID}`, 405],
    ] as const) {
      assert.equal((await request(method, path, 95)).status, status, `${method} ${path}`);
    }
    assert.equal((await request('GET', '', 96)).status, 200);
    assert.equal('inspection_rules' in (await versionDocument(95)), false);
    assert.equal('inspection_rules' in (await versionDocument(96)), true);
  });

  test('an invalid rule is refused with 400 and not stored', async () => {
    const broken = [
      {},
      { actions: [] },
      { priority: -1 },
      { priority: 10_000 },
      { priority: '10000' },
      { priority: '5x' },
      { phase: 'early' },
      { phase: null },
      { scope: 'x' },
      { built_in: true },
      { description: 'x'.repeat(256) },
      { uuid: 'zz' },
      { sensitive: null },
      { conditions: [{ op: 'ne', args: { values: [1, 2] } }] },
      { conditions: [{ op: '! eq', args: { values: [1, 2] } }] },
      { conditions: [{ op: 'eq' }] },
      { conditions: ['eq'] },
      { conditions: [{ op: 'matches', args: { value: 'x', regex: '(' } }] },
      { conditions: [{ op: 'in-net', args: { address: 'x', subnet: '10.0.0.0/33' } }] },
      { actions: [{ op: 'fail', args: {} }] },
      { actions: [{ op: 'fail', args: { msg: 'x', more: 1 } }] },
    ];
    for (const part of broken) {
      const body = Object.keys(part).length === 0 ? {} : { actions: [action], ...part };
      assert.equal((await post(body)).status, 400, JSON.stringify(part));
    }
    assert.equal(session.services.db.inspectionRules.where({ sql: 'TRUE', values: [] }).length, 0);
  });

  test('null conditions become an empty list', async () => {
    const rule = await created({ conditions: null, actions: [action] });
    assert.deepEqual(rule.conditions, []);
    const changed = await patch(rule.uuid, { op: 'replace', path: '/conditions', value: null });
    assert.deepEqual([changed.status, (changed.json as Rule).conditions], [200, []]);
  });

  test('a priority given as digits becomes a number', async () => {
    const rule = await created({ priority: '42', actions: [action] });
    assert.equal(rule['priority'], 42);
    const changed = await patch(rule.uuid, { op: 'replace', path: '/priority', value: '7' });
    assert.equal((changed.json as Rule)['priority'], 7);
  });

  test('unknown keys of conditions and actions are dropped', async () => {
    const rule = await created({
      conditions: [{ ...condition, multiple: 'all', loop: [1], note: 'x' }],
      actions: [{ ...action, note: 'x' }],
    });
    assert.deepEqual(rule.conditions, [{ ...condition, multiple: 'all', loop: [1] }]);
    assert.deepEqual(rule.actions, [action]);
  });

  test('a UUID in use returns 409', async () => {
    const { uuid } = await created({ actions: [action] });
    const again = await post({ uuid, actions: [action] });
    assert.equal(again.status, 409);
    assert.equal(again.fault, `A rule with UUID ${uuid} already exists.`);
  });

  test('a rule is found by UUID only', async () => {
    const { uuid } = await created({ actions: [action] });
    assert.equal((await request('GET', `/${uuid.toUpperCase()}`)).status, 200);
    const missing = await request('GET', `/${UUID}`);
    assert.equal(missing.status, 404);
    assert.equal(missing.fault, `Rule ${UUID} could not be found.`);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? [] : undefined;
      assert.equal((await request(method, '/mark', 115, body)).status, 400, method);
    }
  });

  test('a sensitive rule never shows its conditions and actions', async () => {
    const secret = { sensitive: true, conditions: [condition], actions: [action] };
    const answers = [await created({ ...secret, uuid: UUID })];
    answers.push((await request('GET', `/${UUID}`)).json as Rule);
    answers.push((await patch(UUID, { op: 'replace', path: '/priority', value: 5 })).json as Rule);
    answers.push(...(await list('?detail=true')).inspection_rules);
    answers.push(...(await list('?fields=actions,conditions')).inspection_rules);
    answers.push((await request('GET', `/${UUID}?fields=actions,conditions`)).json as Rule);
    assert.equal(answers.length, 6);
    for (const { conditions, actions } of answers) assert.deepEqual([conditions, actions], [null, null]);
    assert.deepEqual(session.services.db.inspectionRules.get(UUID)?.actions, [action]);
  });

  test('a sensitive rule can be changed, but sensitive cannot be cleared', async () => {
    await created({ uuid: UUID, sensitive: true, actions: [action] });
    const changed = await patch(UUID, { op: 'add', path: '/actions/-', value: action });
    assert.equal(changed.status, 200);
    assert.equal(session.services.db.inspectionRules.get(UUID)?.actions.length, 2);
    for (const operation of [
      { op: 'replace', path: '/sensitive', value: false },
      { op: 'remove', path: '/sensitive' },
    ]) {
      const reply = await patch(UUID, operation);
      assert.equal(reply.status, 400, operation.op);
      assert.match(reply.fault, /is sensitive and cannot be made readable/);
    }
  });

  test('PATCH changes a rule and validates it like POST', async () => {
    const { uuid } = await created({ description: 'a', priority: 5, actions: [action] });
    const reply = await patch(
      uuid,
      { op: 'remove', path: '/description' },
      { op: 'remove', path: '/priority' },
      { op: 'add', path: '/conditions/-', value: condition },
      { op: 'replace', path: '/actions/0/args/value', value: 2 },
      { op: 'replace', path: '/sensitive', value: 'true' },
    );
    assert.equal(reply.status, 200);
    const stored = session.services.db.inspectionRules.get(uuid);
    assert.deepEqual(
      [stored?.description, stored?.priority, stored?.conditions, stored?.actions, stored?.sensitive],
      [null, 0, [condition], [{ op: 'set-attribute', args: { path: '/extra/seen', value: 2 } }], true],
    );
    for (const operation of [
      { op: 'replace', path: '/actions', value: [] },
      { op: 'remove', path: '/actions' },
      { op: 'replace', path: '/actions/0/op', value: 'no' },
      { op: 'remove', path: '/actions/0/args/path' },
      { op: 'replace', path: '/phase', value: 'early' },
      { op: 'replace', path: '/uuid', value: UUID },
      { op: 'add', path: '/scope', value: 'x' },
    ]) {
      assert.equal((await patch(uuid, operation)).status, 400, JSON.stringify(operation));
    }
  });

  test('a list shows uuid, description, priority and phase, and with detail all fields', async () => {
    await created({ actions: [action] });
    assert.deepEqual(await keys(''), ['description', 'links', 'phase', 'priority', 'uuid']);
    assert.deepEqual(await keys('?fields=sensitive'), ['links', 'sensitive']);
    assert.equal((await keys('?detail=true')).length, 10);
    for (const query of [
      '?sort_key=actions',
      '?sort_key=conditions',
      '?fields=foo',
      '?marker=x',
      '/detail',
    ]) {
      assert.equal((await request('GET', query)).status, 400, query);
    }
  });

  test('a list can be sorted by priority, and its next link keeps the phase filter', async () => {
    for (const priority of [1, 10, 9]) await created({ priority, actions: [action] });
    const first = await list('?sort_key=priority&sort_dir=desc&limit=2&phase=main');
    assert.deepEqual(
      first.inspection_rules.map((rule) => rule['priority']),
      [10, 9],
    );
    const next = new URL(first.next ?? '');
    assert.equal(next.pathname, PATH);
    assert.equal(next.searchParams.get('phase'), 'main');
    assert.deepEqual(
      (await list(next.search)).inspection_rules.map((rule) => rule['priority']),
      [1],
    );
  });

  test('DELETE removes one rule or all rules', async () => {
    const { uuid } = await created({ actions: [action] });
    await created({ actions: [action] });
    await created({ actions: [action] });
    assert.equal((await request('DELETE', `/${uuid}`)).status, 204);
    assert.equal((await request('DELETE', `/${uuid}`)).status, 404);
    assert.equal((await list()).inspection_rules.length, 2);
    assert.equal((await request('DELETE', '')).status, 204);
    assert.deepEqual(await list(), { inspection_rules: [] });
    assert.equal((await request('DELETE', '')).status, 204);
  });
});
