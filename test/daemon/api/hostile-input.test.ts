import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type InProcessDaemon, startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

const MAC = '52:54:00:00:00:01';
const nasty = [
  "'; DROP TABLE nodes; --",
  '$(reboot)',
  '`id`',
  '../../etc/passwd',
  '%s%n',
  '\u0000',
  '\uD800',
  '💥',
  '__proto__',
  'constructor',
  '{{7*7}}',
  '-rf',
];
const nodeKeys = [
  'driver',
  'name',
  'uuid',
  'extra',
  'properties',
  'driver_info',
  'maintenance',
  'parent_node',
];
const moreKeys = ['network_data', 'power_interface', 'description', 'boot_mode', 'conductor_group', 'owner'];
const portKeys = [
  'address',
  'node_uuid',
  'node_ident',
  'local_link_connection',
  'pxe_enabled',
  'is_smartnic',
];
const verbKeys = [
  'target',
  'timeout',
  'configdrive',
  'clean_steps',
  'rescue_password',
  'disable_ramdisk',
  'reason',
];
const patchKeys = ['op', 'path', 'value', 'from'];
const reportKeys = ['inventory', 'interfaces', 'mac_address', 'bmc_address', 'error', 'boot', 'logs'];
const key = fc.constantFrom(
  ...nodeKeys,
  ...moreKeys,
  ...portKeys,
  ...verbKeys,
  ...patchKeys,
  ...reportKeys,
  ...nasty,
);
const plausible = fc.constantFrom<unknown>(
  'fake-hardware',
  'lab',
  'fake',
  'power on',
  'manage',
  'inspect',
  'abort',
  'n',
  MAC,
  '',
  'true',
  'uefi',
  'add',
  'replace',
  'remove',
  '/extra/a',
  '/name',
  '/driver',
  '/extra/toString/x',
  '/properties/memory_mb',
  ...nasty,
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    plausible,
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}));
const anyNode = fc.record({
  driver: fc.constant('fake-hardware'),
  more: fc.dictionary(key, value, { maxKeys: 3 }),
});
const anyOperation = fc.record(
  {
    op: fc.constantFrom('add', 'replace', 'remove', 'test'),
    path: fc.oneof(
      plausible,
      key.map((name) => `/${name}`),
    ),
    value,
  },
  { requiredKeys: ['op', 'path'] },
);
const anyReport = fc.record({
  inventory: fc.record({
    interfaces: fc.array(fc.record({ mac_address: fc.constantFrom<unknown>(MAC, 'x', 5) })),
    boot: value,
    cpu: value,
  }),
  error: value,
});

type Attempt = readonly [method: string, path: string, body: unknown];
const attempt = fc.oneof(
  fc.tuple(
    fc.constant('POST'),
    fc.constant('/v1/nodes'),
    fc.oneof(
      value,
      anyNode.map(({ driver, more }) => ({ driver, ...more })),
    ),
  ),
  fc.tuple(
    fc.constant('PATCH'),
    fc.constant('/v1/nodes/n'),
    fc.oneof(value, fc.array(anyOperation, { maxLength: 3 })),
  ),
  fc.tuple(fc.constant('POST'), fc.constant('/v1/ports'), value),
  fc.tuple(
    fc.constant('PATCH'),
    fc.constant('/v1/ports/p'),
    fc.oneof(value, fc.array(anyOperation, { maxLength: 3 })),
  ),
  fc.tuple(
    fc.constant('PUT'),
    fc.constantFrom('provision', 'power').map((what) => `/v1/nodes/n/states/${what}`),
    value,
  ),
  fc.tuple(
    fc.constant('PUT'),
    fc.constantFrom('maintenance', 'management/boot_device').map((what) => `/v1/nodes/n/${what}`),
    value,
  ),
  fc.tuple(fc.constant('POST'), fc.constant('/v1/heartbeat/n'), value),
  fc.tuple(fc.constant('POST'), fc.constant('/v1/continue_inspection'), fc.oneof(value, anyReport)),
);

/** All stored nodes, and the UUID, address and extra of all stored ports, as one text. */
const snapshot = ({ services: { db } }: InProcessDaemon) => {
  const paging = { limit: 10_000, sortKey: 'id', descending: false };
  const nodes = db.nodes.list(['uuid'], [], paging).map(({ uuid }) => db.nodes.get(uuid));
  return JSON.stringify([nodes, db.ports.list(['uuid', 'address', 'extra'], [], paging)]);
};

test('no request body causes a server error, and a refused request changes no node or port', async (t) => {
  const daemon = await startInProcess(t);
  const node = await daemon.createNode({ name: 'n', driver: 'fake-hardware' });
  await daemon.createPort(node.uuid, MAC, { name: 'p' });
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(attempt, async ([method, path, body]: Attempt) => {
      daemon.services.db.nodes.update(node.uuid, { provision_state: 'inspect wait', maintenance: false });
      const before = snapshot(daemon);
      const version = path.includes('continue') ? null : 115;
      const answer = await daemon.request(method, path, { body: JSON.stringify(body), version });
      assert.ok(answer.status < 500, `${method} ${path} ${JSON.stringify(body)} ${answer.text}`);
      if (answer.status >= 400) {
        refused += 1;
        assert.equal(snapshot(daemon), before, `${method} ${path} ${JSON.stringify(body)}`);
      }
      await daemon.idle();
      if (method === 'POST' && answer.status === 201) {
        await daemon.request(
          'DELETE',
          `/v1/${path.endsWith('nodes') ? 'nodes' : 'ports'}/${answer.body.uuid}`,
        );
      }
      daemon.services.db.nodes.update(node.uuid, { name: 'n', driver: 'fake-hardware' });
    }),
    { numRuns: 600, seed: 1 },
  );
  assert.ok(refused > 100);
  assert.deepEqual(Object.keys(Object.prototype), []);
  assert.deepEqual(Object.keys(Reflect.get(Object.prototype, 'toString')), []);
});

test('no path and no query causes a server error', async (t) => {
  const daemon = await startInProcess(t);
  await daemon.createNode({ name: 'n' });
  const segment = fc.oneof(
    fc.constantFrom(
      'v1',
      'nodes',
      'ports',
      'n',
      'states',
      'detail',
      'validate',
      'history',
      'drivers',
      'conductors',
      'lookup',
      '..',
      '.',
      '',
    ),
    fc
      .constantFrom(...nasty, '%', '%00', '%2F', '%c3%28', '%ff')
      .map((text) => (text.startsWith('%') ? text : encodeURIComponent(text.toWellFormed()))),
  );
  const query = fc.dictionary(
    fc.constantFrom(
      'limit',
      'marker',
      'sort_key',
      'sort_dir',
      'fields',
      'detail',
      'node',
      'address',
      'addresses',
      'shard',
      ...nasty,
    ),
    fc.constantFrom('', '1', '-1', 'uuid', 'true', ...nasty),
    { maxKeys: 3 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(segment, { maxLength: 5 }),
      query,
      fc.constantFrom('GET', 'HEAD', 'DELETE', 'PUT', 'PATCH', 'POST'),
      async (segments, parameters, method) => {
        const text = new URLSearchParams(parameters).toString();
        const path = `/${segments.join('/')}?${text}`;
        const { status } = await daemon.request(method, path);
        assert.ok(status < 500, `${method} ${path} ${status}`);
      },
    ),
    { numRuns: 800, seed: 2 },
  );
});

test('text that looks like SQL or shell code is stored and filtered as plain text', async (t) => {
  const daemon = await startInProcess(t);
  const texts = nasty.filter((text) => text.isWellFormed() && !text.includes('\u0000'));
  for (const [at, text] of texts.entries()) {
    const owner = text.slice(0, 255);
    const node = await daemon.createNode({ owner, description: text, extra: { [text]: text } });
    assert.deepEqual([node['owner'], node['description']], [owner, text]);
    assert.deepEqual(Object.entries(node['extra'] as object), [[text, text]]);
    const query = encodeURIComponent(text);
    for (const filter of [`owner=${query}`, `description_contains=${query}`]) {
      const { body } = await daemon.request('GET', `/v1/nodes?${filter}`);
      assert.deepEqual(
        body.nodes.map(({ uuid }) => uuid),
        [node.uuid],
        filter,
      );
    }
    const port = await daemon.createPort(node.uuid, `52:54:00:00:01:${10 + at}`, { name: text });
    assert.equal(port['name'], text);
  }
  assert.equal((await daemon.request('GET', '/v1/nodes')).body.nodes.length, texts.length);
});

test('a patch that nests a document too deeply is refused', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const deep = JSON.parse(`${'{"a":'.repeat(20)}{}${'}'.repeat(20)}`) as object;
  const statuses = [];
  for (let depth = 1; depth < 200; depth += 21) {
    const path = `/extra${'/a'.repeat(depth)}`;
    const answer = await daemon.request('PATCH', `/v1/nodes/${uuid}`, {
      body: [{ op: 'add', path, value: deep }],
    });
    statuses.push(answer.status);
  }
  assert.deepEqual(statuses, [200, 200, ...Array.from({ length: 8 }, () => 400)]);
  assert.equal((await daemon.request('GET', `/v1/nodes/${uuid}`)).status, 200);
});
