// /v1/deploy_templates as clients use it.
import assert from 'node:assert/strict';
import { after, beforeEach, suite, test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

interface Template {
  readonly uuid: string;
  readonly name: string;
  readonly steps: readonly object[];
  readonly extra: object;
  readonly [key: string]: unknown;
}
interface Page {
  readonly deploy_templates: readonly Template[];
  readonly next?: string;
}

const PATH = '/v1/deploy_templates';
const UUID = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const step = { interface: 'raid', step: 'apply_configuration', args: { volume: 1 }, priority: 50 };
const template = { name: 'CUSTOM_RAID', steps: [step] };

suite('deploy templates', async () => {
  const session = await startInProcess({ after });
  beforeEach(() => session.services.db.deployTemplates.clear());

  const post = (body: object, version = 115) => session.request('POST', PATH, { body, version });
  const created = async (body: object) => {
    const reply = await post(body);
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    return reply.json as Template;
  };
  const patch = (id: string, body: unknown) => session.request('PATCH', `${PATH}/${id}`, { body });
  const list = async (query = '') => (await session.request('GET', `${PATH}${query}`)).json as Page;
  const versionDocument = async (version: number) =>
    (await session.request('GET', '/v1', { version })).body as object;
  const keys = async (query: string) => Object.keys((await list(query)).deploy_templates[0] ?? {}).toSorted();

  test('POST answers 201 with the whole template and its Location', async () => {
    const reply = await post({ ...template, uuid: UUID, extra: { a: 1 } });
    assert.equal(reply.status, 201);
    const { created_at: time, links, ...rest } = reply.json as Template;
    assert.deepEqual(rest, { ...template, uuid: UUID, extra: { a: 1 }, updated_at: null });
    assert.match(String(time), /\+00:00$/);
    const base = reply.headers.get('location')?.replace(`${PATH}/${UUID}`, '');
    assert.deepEqual(links, [
      { href: `${base}/v1/deploy_templates/${UUID}`, rel: 'self' },
      { href: `${base}/deploy_templates/${UUID}`, rel: 'bookmark' },
    ]);
  });

  test('before 1.55, GET returns 404 and other methods return 405', async () => {
    await created({ ...template, uuid: UUID });
    for (const [method, path, status] of [
      ['GET', PATH, 404],
      ['GET', `${PATH}/${UUID}`, 404],
      ['POST', PATH, 405],
      ['PATCH', `${PATH}/${UUID}`, 405],
      ['DELETE', `${PATH}/${UUID}`, 405],
    ] as const) {
      assert.equal((await session.request(method, path, { version: 54 })).status, status, method);
    }
    assert.equal((await session.request('GET', PATH, { version: 55 })).status, 200);
  });

  test('/v1 links to deploy_templates since 1.55', async () => {
    assert.equal('deploy_templates' in (await versionDocument(54)), false);
    assert.equal('deploy_templates' in (await versionDocument(55)), true);
  });

  test('a template is found by UUID and by name', async () => {
    const { uuid } = await created(template);
    for (const id of [uuid, uuid.toUpperCase(), 'CUSTOM_RAID']) {
      const reply = await session.request('GET', `${PATH}/${id}`);
      assert.equal((reply.json as Template).uuid, uuid, id);
    }
  });

  test('an unknown template returns 404, and a malformed name 400', async () => {
    const unknown = await session.request('GET', `${PATH}/CUSTOM_NO`);
    assert.equal(unknown.status, 404);
    assert.equal(unknown.fault, 'Deploy template CUSTOM_NO could not be found.');
    assert.equal((await session.request('GET', `${PATH}/${UUID}`)).status, 404);
    assert.equal((await session.request('GET', `${PATH}/detail`)).status, 404);
    assert.equal((await session.request('GET', `${PATH}/a%20b`)).status, 400);
  });

  test('the name must be a standard or custom trait', async () => {
    await created({ ...template, name: 'HW_CPU_X86_VMX' });
    for (const name of ['raid', 'CUSTOM_raid', 'HW_NO_SUCH', '', `CUSTOM_${'A'.repeat(249)}`, 5, null]) {
      assert.equal((await post({ ...template, name })).status, 400, String(name));
    }
    const { uuid } = await created(template);
    const renamed = await patch(uuid, [{ op: 'replace', path: '/name', value: 'raid' }]);
    assert.match(renamed.fault, /"raid" for the deploy template: .* a trait is/);
  });

  test('name and steps are required, and unknown fields are refused', async () => {
    assert.match((await post({ steps: [step] })).fault, /'name' is a required property/);
    assert.match((await post({ name: 'CUSTOM_A' })).fault, /'steps' is a required property/);
    assert.match((await post({ ...template, owner: 'x' })).fault, /'owner' was unexpected/);
    assert.equal((await post({ ...template, uuid: 'zz' })).status, 400);
  });

  test('a description is accepted and not stored', async () => {
    const { uuid, ...rest } = await created({ ...template, description: 'for RAID' });
    assert.equal('description' in rest, false);
    const reply = await patch(uuid, [
      { op: 'replace', path: '/description', value: 'other' },
      { op: 'add', path: '/extra/a', value: 1 },
    ]);
    assert.equal(reply.status, 200);
    assert.equal('description' in (reply.json as Template), false);
    assert.deepEqual((reply.json as Template).extra, { a: 1 });
    assert.equal((await post({ ...template, name: 'CUSTOM_B', description: 5 })).status, 400);
  });

  test('a step requires interface, step, args and priority, and allows no other field', async () => {
    for (const part of ['interface', 'step', 'args', 'priority'] as const) {
      const { [part]: _, ...rest } = step;
      assert.equal((await post({ ...template, steps: [rest] })).status, 400, part);
    }
    const wrong = [
      { interface: 'boot' },
      { step: '' },
      { args: null },
      { priority: -1 },
      { priority: '1x' },
      { priority: 1.5 },
      { priority: 1e300 },
      { priority: '9'.repeat(400) },
      { order: 1 },
    ];
    for (const part of wrong) {
      assert.equal(
        (await post({ ...template, steps: [{ ...step, ...part }] })).status,
        400,
        JSON.stringify(part),
      );
    }
    assert.equal((await post({ ...template, steps: [] })).status, 400);
  });

  test('a priority given as digits becomes a number', async () => {
    const { steps } = await created({ ...template, steps: [{ ...step, priority: '7' }] });
    assert.deepEqual(steps, [{ ...step, priority: 7 }]);
  });

  test('a template that lists a step twice is refused', async () => {
    const twice = await post({ ...template, steps: [step, { ...step, priority: 1 }] });
    assert.equal(twice.status, 400);
    assert.match(twice.fault, /raid\.apply_configuration is listed more than once/);
    const other = { ...step, interface: 'bios' };
    const { uuid } = await created({ ...template, steps: [step, other] });
    const changed = await patch(uuid, [{ op: 'replace', path: '/steps/1/interface', value: 'raid' }]);
    assert.equal(changed.status, 400);
  });

  test('a name or UUID in use returns 409', async () => {
    const { uuid } = await created(template);
    const sameName = await post(template);
    assert.equal(sameName.status, 409);
    assert.equal(sameName.fault, 'A deploy template with name CUSTOM_RAID already exists.');
    assert.equal((await post({ ...template, name: 'CUSTOM_B', uuid })).status, 409);
    const other = await created({ ...template, name: 'CUSTOM_B' });
    const renamed = await patch(other.uuid, [{ op: 'replace', path: '/name', value: 'CUSTOM_RAID' }]);
    assert.equal(renamed.status, 409);
  });

  test('secrets in step arguments are masked in answers and kept in the database', async () => {
    const args = { admin_password: 'hush', deep: { token: null }, size: 1 };
    const masked = { admin_password: '******', deep: { token: '******' }, size: 1 };
    const shown = [{ ...step, args: masked }];
    const { uuid, steps } = await created({ ...template, steps: [{ ...step, args }] });
    assert.deepEqual(steps, shown);
    const changed = await patch(uuid, [{ op: 'replace', path: '/steps/0/args/size', value: 1 }]);
    assert.deepEqual((changed.json as Template).steps, shown);
    assert.deepEqual((await list('?fields=steps')).deploy_templates[0]?.steps, shown);
    assert.deepEqual((await list('?detail=true')).deploy_templates[0]?.steps, shown);
    assert.deepEqual(session.services.db.deployTemplates.get(uuid)?.steps[0]?.args, args);
  });

  test('PATCH changes only name, steps and extra', async () => {
    const { uuid } = await created(template);
    const reply = await patch('CUSTOM_RAID', [
      { op: 'replace', path: '/name', value: 'CUSTOM_NEW' },
      { op: 'add', path: '/steps/-', value: { ...step, interface: 'bios' } },
      { op: 'add', path: '/extra/a', value: 1 },
    ]);
    assert.equal(reply.status, 200);
    const { name, steps, extra, updated_at: updated } = reply.json as Template;
    assert.deepEqual([name, steps.length, extra], ['CUSTOM_NEW', 2, { a: 1 }]);
    assert.match(String(updated), /\+00:00$/);
    for (const path of ['/uuid', '/created_at', '/links']) {
      assert.equal((await patch(uuid, [{ op: 'replace', path, value: UUID }])).status, 400, path);
    }
    assert.equal((await patch(uuid, [{ op: 'remove', path: '/steps' }])).status, 400);
    assert.equal((await patch(uuid, [{ op: 'remove', path: '/name' }])).status, 400);
    assert.equal((await patch(uuid, {})).status, 400);
  });

  test('DELETE answers 204 and removes the template', async () => {
    const { uuid } = await created(template);
    assert.equal((await session.request('DELETE', `${PATH}/CUSTOM_RAID`)).status, 204);
    assert.equal((await session.request('DELETE', `${PATH}/${uuid}`)).status, 404);
  });

  test('a list shows uuid, name and links; detail shows all fields, and fields selects some', async () => {
    await created(template);
    assert.deepEqual(await keys(''), ['links', 'name', 'uuid']);
    assert.deepEqual(await keys('?fields=steps,name'), ['links', 'name', 'steps']);
    assert.deepEqual(await keys('?detail=true'), [
      'created_at',
      'extra',
      'links',
      'name',
      'steps',
      'updated_at',
      'uuid',
    ]);
    for (const query of ['?fields=name&detail=true', '?fields=description', '?sort_key=steps', '?foo=1']) {
      assert.equal((await session.request('GET', `${PATH}${query}`)).status, 400, query);
    }
  });

  test('lists are paged in the requested order, and the marker is a UUID', async () => {
    for (const name of ['CUSTOM_B', 'CUSTOM_A', 'CUSTOM_C']) await created({ ...template, name });
    const first = await list('?limit=2&sort_key=name&sort_dir=desc');
    assert.deepEqual(
      first.deploy_templates.map(({ name }) => name),
      ['CUSTOM_C', 'CUSTOM_B'],
    );
    const { pathname, search } = new URL(first.next ?? '');
    assert.equal(pathname, PATH);
    const second = await list(search);
    assert.deepEqual(
      second.deploy_templates.map(({ name }) => name),
      ['CUSTOM_A'],
    );
    assert.equal(second.next, undefined);
    assert.equal((await session.request('GET', `${PATH}?marker=CUSTOM_A`)).status, 400);
    assert.equal((await session.request('GET', `${PATH}?marker=${UUID}`)).status, 404);
  });
});
