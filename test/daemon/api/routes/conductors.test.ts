import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

test('this host is shown as an alive conductor with its drivers; the list does not show drivers', async (t) => {
  const daemon = await startInProcess(t);
  const { body } = await daemon.request('GET', '/v1/conductors/lab-host');
  assert.deepEqual(body, {
    hostname: 'lab-host',
    conductor_group: '',
    alive: true,
    drivers: ['fake-hardware', 'manual-management', 'lab', 'ipmi'],
    created_at: '2026-01-01T00:00:00.000+00:00',
    updated_at: '2026-01-01T00:00:00.000+00:00',
    links: [
      { href: 'http://ironic.test/v1/conductors/lab-host', rel: 'self' },
      { href: 'http://ironic.test/conductors/lab-host', rel: 'bookmark' },
    ],
  });
  const list = await daemon.request('GET', '/v1/conductors');
  assert.deepEqual(Object.keys(list.body.conductors[0] ?? {}), [
    'hostname',
    'conductor_group',
    'alive',
    'links',
  ]);
});

test('requests for conductors are validated', async (t) => {
  const daemon = await startInProcess(t);
  const cases: readonly (readonly [string, number, number?])[] = [
    ['', 404, 48],
    ['/lab-host', 404, 48],
    ['', 200, 49],
    ['/other', 404],
    ['?fields=foo', 400],
    ['?fields=online', 400],
    ['?fields=hostname&detail=true', 400],
    ['?sort_key=alive', 400],
    ['?sort_key=drivers', 400],
    ['?sort_key=hostname&sort_dir=desc', 200],
    ['?sort_key=', 200],
    ['?sort_dir=up', 400],
    ['?limit=0', 400],
    ['?marker=other', 404],
  ];
  for (const [path, status, version = 115] of cases) {
    assert.equal((await daemon.request('GET', `/v1/conductors${path}`, { version })).status, status, path);
  }
});

test('conductors are listed in pages by host name', async (t) => {
  const daemon = await startInProcess(t);
  const { conductors } = daemon.services.db;
  const { hostname, ...rest } = conductors.get('lab-host') ?? assert.fail();
  conductors.put({ ...rest, hostname: 'another', online: false });
  const seen = [];
  let path: string | undefined = '/v1/conductors?limit=1&sort_key=hostname';
  while (path !== undefined) {
    const { body } = await daemon.request('GET', path);
    seen.push(...body.conductors.map((one) => one['hostname']));
    path = body.next?.replace('http://ironic.test', '');
  }
  assert.deepEqual(seen, ['another', hostname]);
});
