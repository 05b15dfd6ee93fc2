import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileWith } from '../../../../fakes/file-with.ts';
import { httpServer } from '../../../../fakes/services/http-server.ts';
import { startListening } from '../../../../fakes/daemon/listening-daemon.ts';
import { runProcess } from '../../../../fakes/clients/run-process.ts';

interface Row {
  readonly record: string;
  readonly name: string;
  readonly uuid: string | null;
  readonly outcome: string;
  readonly note: string;
}

const briefly = (out: string) =>
  (JSON.parse(out) as Row[]).map(({ record, name, outcome }) => `${record} ${name} ${outcome}`);

const RACK = `
chassis:
  - description: left
    nodes:
      - {name: a, driver: fake-hardware, traits: [CUSTOM_FAST]}
nodes:
  - name: b
    driver: fake-hardware
    driver_info: {fake: 1}
    ports:
      - address: "52:54:00:00:00:01"
    portgroups:
      - name: bond
        ports:
          - address: "52:54:00:00:00:02"
`;

test('chassis, nodes, port groups and ports of a YAML file are created, each in the record that it belongs to', async (t) => {
  const { url, services } = await startListening(t, {});
  const { code, out, errors } = await runProcess(url, ['create', fileWith(t, 'rack.yaml', RACK), '--json']);
  assert.equal(code, 0, errors);
  assert.deepEqual(briefly(out), [
    'chassis left created',
    'node a created',
    'node b created',
    'port-group bond created',
    'port 52:54:00:00:00:02 created',
    'port 52:54:00:00:00:01 created',
  ]);
  const uuids = new Map((JSON.parse(out) as Row[]).map(({ name, uuid }) => [name, uuid ?? '']));
  const get = async (path: string) => {
    const reply = await fetch(url + path, { headers: { 'openstack-api-version': 'baremetal 1.90' } });
    return (await reply.json()) as Record<string, unknown>;
  };
  const a = await get('/v1/nodes/a');
  assert.deepEqual([a['chassis_uuid'], a['traits']], [uuids.get('left'), ['CUSTOM_FAST']]);
  assert.deepEqual(services.db.nodes.get(uuids.get('b') ?? '')?.driver_info, { fake: 1 });
  const port = await get(`/v1/ports/${uuids.get('52:54:00:00:00:02')}`);
  assert.deepEqual([port['node_uuid'], port['portgroup_uuid']], [uuids.get('b'), uuids.get('bond')]);
  const other = await get(`/v1/ports/${uuids.get('52:54:00:00:00:01')}`);
  assert.deepEqual([other['node_uuid'], other['portgroup_uuid']], [uuids.get('b'), null]);
});

test('the burn-in that ships is stored as it is, and a hardware class names it', async (t) => {
  const { url, services } = await startListening(t, {});
  const file = join(import.meta.dirname, '../../../../../systemd/examples/burn-in.yaml');
  const { code, out, errors } = await runProcess(url, ['create', file, '--json']);
  assert.equal(code, 0, errors);
  assert.deepEqual(briefly(out), [
    'runbook CUSTOM_BURN_IN created',
    'runbook CUSTOM_BURN_IN_NETWORK created',
  ]);
  const { steps } = services.db.runbooks.findBy('name', 'CUSTOM_BURN_IN') ?? assert.fail();
  assert.deepEqual(
    steps.map(({ step }) => step),
    ['burnin_cpu', 'burnin_memory', 'burnin_disk'],
  );
  const web = fileWith(t, 'web.yaml', 'name: web\nrunbooks: [CUSTOM_BURN_IN]\nstop_after: compared\n');
  assert.equal((await runProcess(url, ['class', 'add', web])).code, 0);
  const again = await runProcess(url, ['create', file, '--json']);
  assert.deepEqual([again.code, briefly(again.out)[0]], [4, 'runbook CUSTOM_BURN_IN refused']);
});

test('when a record is refused, the records below it are skipped, and the others are created', async (t) => {
  const { url } = await startListening(t, {});
  const nodes = [
    { name: 'a', driver: 'nothing', ports: [{ address: '52:54:00:00:00:01' }] },
    { name: 'b', driver: 'fake-hardware', ports: [{ address: '52:54:00:00:00:02', node_uuid: 'other' }] },
  ];
  const create = (input: object) => runProcess(url, ['create', '-', '--json'], JSON.stringify(input));
  const { code, out } = await create({ nodes });
  assert.equal(code, 1);
  assert.deepEqual(briefly(out), [
    'node a refused',
    'port 52:54:00:00:00:01 skipped',
    'node b created',
    'port 52:54:00:00:00:02 refused',
  ]);
  const notes = (JSON.parse(out) as Row[]).map(({ note }) => note);
  assert.match(notes[0] ?? '', /^POST \/v1\/nodes was refused with 400: .*nothing/);
  assert.match(
    notes[3] ?? '',
    /^node_uuid is other, but the record is described below [0-9a-f-]{36}: leave the field out, or move the record$/,
  );
  assert.equal((await create({ nodes: nodes.slice(0, 1) })).code, 4);
});

test('nothing is created when one of the files is not in the format', async (t) => {
  const { url, services } = await startListening(t, {});
  const good = fileWith(t, 'good.json', '{"nodes":[{"driver":"fake-hardware"}]}');
  const wrong = {
    '[]': /: expected an object with chassis, nodes or runbooks/,
    '{"nodes": {}}': /bad\.json: nodes is not a list/,
    '{"nodes": [{"ports": [7]}]}':
      /bad\.json: nodes\[0\]: ports\[0\] is not an object with the fields of a port/,
    '{"machines": []}': /bad\.json: machines is not known: expected chassis, nodes or runbooks/,
    '{"nodes": [': /bad\.json is neither JSON nor YAML: /,
  };
  for (const [text, message] of Object.entries(wrong)) {
    const { code, errors } = await runProcess(url, ['create', good, fileWith(t, 'bad.json', text)]);
    assert.equal(code, 1, errors);
    assert.match(errors, message);
  }
  assert.equal(services.db.nodes.countByShard().length, 0);
});

test('the records created are listed when the daemon stops answering', async (t) => {
  let requests = 0;
  const { port } = await httpServer(t, (_, response) => {
    requests += 1;
    if (requests === 1) response.end('{"uuid":"u-1"}');
    else response.destroy();
  });
  const input = '{"nodes":[{"name":"a","driver":"ipmi"},{"name":"b","driver":"ipmi"}]}';
  const { code, out, errors } = await runProcess(
    `http://127.0.0.1:${port}`,
    ['create', '-', '--json'],
    input,
  );
  assert.equal(code, 5);
  assert.match(errors, /Cannot reach the API at /);
  assert.deepEqual(briefly(out), ['node a created']);
});
