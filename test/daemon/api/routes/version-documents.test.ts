import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

test('GET, POST, PUT, PATCH and DELETE of / return the version range and the link to v1, also with a query', async (t) => {
  const daemon = await startInProcess(t);
  const entry = {
    id: 'v1',
    links: [{ href: 'http://ironic.test/v1/', rel: 'self' }],
    status: 'CURRENT',
    min_version: '1.1',
    version: '1.115',
  };
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
    const { status, body } = await daemon.request(method, '/?foo=1', { version: null });
    assert.equal(status, 200, method);
    assert.equal(body['name'], 'OpenStack Ironic API');
    assert.deepEqual(body['default_version'], entry);
    assert.deepEqual(body['versions'], [entry]);
  }
});

test('/v1 answers GET with or without a slash or query, answers HEAD without a body, and refuses POST', async (t) => {
  const daemon = await startInProcess(t);
  for (const path of ['/v1', '/v1/', '/v1?foo=1']) {
    const { status, body } = await daemon.request('GET', path);
    assert.equal(status, 200, path);
    assert.equal(body['id'], 'v1');
    assert.deepEqual(body['media_types'], {
      base: 'application/json',
      type: 'application/vnd.openstack.ironic.v1+json',
    });
    assert.equal((body['version'] as { version: string }).version, '1.115');
  }
  const head = await daemon.request('HEAD', '/v1/');
  assert.deepEqual([head.status, head.text], [200, '']);
  assert.equal((await daemon.request('POST', '/v1')).status, 405);
});

test('/v1 links to exactly the resources of the requested API version', async (t) => {
  const daemon = await startInProcess(t);
  const since = {
    chassis: 1,
    nodes: 1,
    ports: 1,
    drivers: 1,
    lookup: 22,
    heartbeat: 22,
    portgroups: 23,
    volume: 32,
    conductors: 49,
    allocations: 52,
    events: 54,
    deploy_templates: 55,
    shards: 82,
    continue_inspection: 84,
    runbooks: 92,
    inspection_rules: 96,
  };
  for (let version = 1; version <= 115; version += 1) {
    const { body } = await daemon.request('GET', '/v1', { version });
    const links = Object.keys(body).filter((key) => !['id', 'links', 'media_types', 'version'].includes(key));
    const expected = Object.entries(since).filter(([, first]) => first <= version);
    assert.deepEqual(links.toSorted(), expected.map(([name]) => name).toSorted(), `1.${version}`);
  }
  const { body } = await daemon.request('GET', '/v1');
  assert.deepEqual(body.nodes, [
    { href: 'http://ironic.test/v1/nodes/', rel: 'self' },
    { href: 'http://ironic.test/nodes/', rel: 'bookmark' },
  ]);
});
