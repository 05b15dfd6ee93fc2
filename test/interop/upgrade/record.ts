// Records what a release leaves on a host, for the tests of later releases: daemon/cli/node test/interop/upgrade/record.ts. Runs the
// daemon of this checkout, gives it records of every kind and nodes in many states, and writes its database and its answers to
// test/fixtures/releases/VERSION.sql and VERSION.json. Run it, and then oxfmt, when a release is made.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import { ENVIRONMENT, RELEASES, RESOURCES, withoutLinks } from './releases.ts';

const ROOT = join(import.meta.dirname, '../../..');

await using daemon = await DaemonProcess.start(ENVIRONMENT);

async function send(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown): Promise<unknown> {
  const answer = await daemon.request(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

const post = (path: string, body: object) => send('POST', `/v1/${path}`, body) as Promise<{ uuid: string }>;

async function fill(): Promise<void> {
  const chassis = await post('chassis', { description: 'rack 1', extra: { room: 'north' } });
  const lists = { steps: [{ interface: 'deploy', step: 'deploy', args: { a: 1 }, priority: 50 }] };
  await post('deploy_templates', { name: 'CUSTOM_WEB', ...lists });
  await post('runbooks', {
    name: 'CUSTOM_FIRMWARE',
    steps: [{ interface: 'power', step: 'power_off', args: {}, order: 1 }],
  });
  await post('inspection_rules', {
    description: 'a rule',
    priority: 5,
    conditions: [{ op: 'eq', args: ['{node.driver}', 'fake-hardware'] }],
    actions: [{ op: 'set-attribute', args: ['/extra/seen', 'yes'] }],
  });
  await post('images', {
    name: 'debian',
    source: 'http://192.0.2.1/debian.qcow2',
    checksum: 'a'.repeat(64),
  });
  for (const [name, verbs] of Object.entries(LIVES)) await live(name, verbs, chassis.uuid);
  // an allocation takes only a node whose power state is known
  await send('PUT', '/v1/nodes/ready/states/power', { target: 'power on' });
  await daemon.nodeWhen('ready', ({ power_state: power }) => power === 'power on');
  await post('allocations', { name: 'for-web', resource_class: 'web' });
  await daemon.nodeWhen('ready', ({ instance_uuid: instance }) => instance !== null);
}

/** The verbs that bring each node to its state at rest. */
const LIVES: Readonly<Record<string, readonly (readonly [target: string, state: string])[]>> = {
  enrolled: [],
  managed: [['manage', 'manageable']],
  ready: [
    ['manage', 'manageable'],
    ['provide', 'available'],
  ],
  deployed: [
    ['manage', 'manageable'],
    ['provide', 'available'],
    ['active', 'active'],
  ],
  rescued: [
    ['manage', 'manageable'],
    ['provide', 'available'],
    ['active', 'active'],
    ['rescue', 'rescue'],
  ],
};

async function live(name: string, verbs: (typeof LIVES)[string], chassis_uuid: string): Promise<void> {
  const { uuid } = await post('nodes', {
    name,
    chassis_uuid,
    driver: 'fake-hardware',
    resource_class: 'web',
    driver_info: { password: 'of the BMC', address: '192.0.2.9' },
    properties: { cpus: 4, memory_mb: 4096, local_gb: 10, cpu_arch: 'x86_64' },
    extra: { note: `${name}: "quoted", \u00e9` },
  });
  await send('PUT', `/v1/nodes/${uuid}/traits`, { traits: ['CUSTOM_WEB', 'HW_CPU_X86_VMX'] });
  const number = Object.keys(LIVES).indexOf(name);
  const portgroup = await post('portgroups', { node_uuid: uuid, name: `${name}-bond`, mode: '802.3ad' });
  await post('ports', {
    node_uuid: uuid,
    address: `52:54:00:00:00:0${number}`,
    portgroup_uuid: portgroup.uuid,
    local_link_connection: { switch_id: '0a:1b:2c:3d:4e:5f', port_id: 'Ethernet3/1' },
  });
  await post('volume/connectors', { node_uuid: uuid, type: 'iqn', connector_id: `iqn.2026-11.test:${name}` });
  await post('volume/targets', { node_uuid: uuid, volume_type: 'iscsi', boot_index: 0, volume_id: name });
  for (const [target, state] of verbs) {
    const rescue = target === 'rescue' ? { rescue_password: 'let me in' } : {};
    await send('PUT', `/v1/nodes/${uuid}/states/provision`, { target, ...rescue });
    const node = await daemon.nodeWhen(uuid, (each) => each.target_provision_state === null);
    assert.deepEqual([node.provision_state, node.last_error], [state, null]);
  }
}

/** Tables whose rows say on which host the database was, or are many and read once. */
const NOT_RECORDED: ReadonlySet<string> = new Set(['site', 'events']);

function dump(path: string): string {
  const database = new Database(path, { readonly: true });
  try {
    const objects = database
      .prepare("SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
      .all() as readonly { readonly name: string; readonly type: string; readonly sql: string }[];
    const of = (type: string) => objects.filter((each) => each.type === type);
    const rows = of('table').flatMap(({ name }) => {
      if (NOT_RECORDED.has(name)) return [];
      const columns = (database.pragma(`table_info(${name})`) as readonly { name: string }[]).map(
        ({ name: column }) => column,
      );
      const quoted = columns.map((column) => `quote("${column}")`).join(` || ', ' || `);
      const values = database.prepare(`SELECT ${quoted} FROM ${name}`).pluck().all() as string[];
      return values.map((each) => `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${each})`);
    });
    const schema = [...of('table'), ...of('index'), ...of('trigger'), ...of('view')].map(({ sql }) => sql);
    const version = database.pragma('user_version', { simple: true }) as number;
    return [`PRAGMA user_version = ${version}`, ...schema.slice(0, of('table').length), ...rows]
      .concat(schema.slice(of('table').length))
      .map((statement) => `${statement};\n`)
      .join('');
  } finally {
    database.close();
  }
}

await fill();
const answers: Record<string, unknown> = {};
for (const path of RESOURCES) answers[path] = withoutLinks((await daemon.request('GET', path)).body);
await daemon.stop();
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
mkdirSync(RELEASES, { recursive: true });
writeFileSync(join(RELEASES, `${version}.sql`), dump(join(daemon.statePath, 'ironic-edge.sqlite')));
writeFileSync(join(RELEASES, `${version}.json`), `${JSON.stringify(answers, undefined, 1)}\n`);
