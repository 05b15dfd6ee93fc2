import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import SQLite from 'better-sqlite3';
import { openReader } from '../../../daemon/db/read-only.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

const [A, B, C] = ['52:54:00:00:00:0a', '52:54:00:00:00:0b', '52:54:00:00:00:0c'] as const;

async function enrolled(t: TestContext) {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  await daemon.createPort(uuid, A);
  await daemon.createPort(uuid, B);
  const { uuid: other } = await daemon.createNode();
  await daemon.createPort(other, C);
  const path = join(daemon.stateDirectory, 'ironic-edge.sqlite');
  const reader = openReader(path);
  t.after(() => reader.close());
  return { daemon, uuid, path, reader };
}

const inspecting = ['inspecting', 'inspect wait'];

test('the state and inspect interface of a node decide whether its ports are marked as under inspection', async (t) => {
  const { daemon, uuid, reader } = await enrolled(t);
  const inspected = () => {
    const machines = reader.machines(inspecting, ['agent'], false);
    assert.deepEqual(
      machines.ports.map(({ address }) => address),
      [A, B, C],
    );
    return [machines.inspecting, ...machines.ports.filter((port) => port.inspected).map((p) => p.address)];
  };
  const { nodes } = daemon.services.db;
  nodes.update(uuid, { inspect_interface: 'agent' });
  assert.deepEqual(inspected(), [false]);
  for (const provision_state of inspecting) {
    nodes.update(uuid, { provision_state: provision_state as 'inspecting' });
    assert.deepEqual(inspected(), [true, A, B]);
  }
  nodes.update(uuid, { inspect_interface: 'no-inspect' });
  assert.deepEqual(inspected(), [false]);
});

test('ports have the client identifier in their extra field', async (t) => {
  const { daemon, reader } = await enrolled(t);
  const { ports } = daemon.services.db;
  ports.update(ports.findBy('address', B)?.uuid ?? '', { extra: { 'client-id': 'FF:00', other: 1 } });
  ports.update(ports.findBy('address', C)?.uuid ?? '', { extra: { other: '"client-id"' } });
  assert.deepEqual(
    reader.machines(inspecting, ['agent'], false).ports.map(({ clientId }) => clientId),
    [null, 'FF:00', null],
  );
});

test('PXE ports have the dnsmasq tag of their node if tags are requested', async (t) => {
  const { daemon, uuid, reader } = await enrolled(t);
  const tags = (withTags: boolean) =>
    reader.machines(inspecting, ['agent'], withTags).ports.map(({ tag }) => tag);
  const { nodes, ports } = daemon.services.db;
  assert.deepEqual(tags(true), [null, null, null]);
  nodes.update(uuid, { driver_internal_info: { dnsmasq_tag: 'a "tag"', other: 1 } });
  ports.update(ports.findBy('address', B)?.uuid ?? '', { pxe_enabled: false });
  assert.deepEqual(tags(true), ['a "tag"', null, null]);
  assert.deepEqual(tags(false), [null, null, null]);
  for (const [tag, text] of [
    [5, '5'],
    [{ a: [] }, '{"a":[]}'],
    [null, null],
  ] as readonly (readonly [unknown, string | null])[]) {
    nodes.update(uuid, {
      driver_internal_info: { dnsmasq_tag: tag as string, other: { dnsmasq_tag: 'x' } },
    });
    assert.deepEqual(tags(true), [text, null, null]);
  }
});

test('a reader is stale before its first read and after each commit of the daemon', async (t) => {
  const { daemon, reader } = await enrolled(t);
  assert.equal(reader.isStale(), true);
  reader.machines(inspecting, ['agent'], false);
  assert.equal(reader.isStale(), false);
  await daemon.createNode();
  assert.equal(reader.isStale(), true);
  assert.equal(reader.isStale(), true);
  reader.machines(inspecting, ['agent'], false);
  assert.equal(reader.isStale(), false);
});

test('the reader accepts an older schema and rejects a newer one', async (t) => {
  const { daemon, path, reader } = await enrolled(t);
  await daemon.stop();
  const writer = new SQLite(path);
  t.after(() => writer.close());
  const version = writer.pragma('user_version', { simple: true });
  writer.exec('DROP TABLE portgroups');
  writer.pragma('user_version = 1');
  assert.equal(reader.machines(inspecting, ['agent'], false).ports.length, 3);
  writer.pragma('user_version = 99');
  assert.throws(
    () => reader.machines(inspecting, ['agent'], false),
    new RegExp(
      `^Error: The database has schema version 99, but this ironic-edge supports up to ${String(version)}\\.`,
    ),
  );
});

function refused(path: string, reason: RegExp): void {
  const sentence = new RegExp(
    `^Error: The database ${path} cannot be read \\(\\[database\\] path\\): ${reason.source}\\. Check that`,
  );
  assert.throws(() => {
    const reader = openReader(path);
    try {
      reader.machines(inspecting, ['agent'], false);
    } finally {
      reader.close();
    }
  }, sentence);
}

test('a missing, invalid or locked database is reported, and no file is created', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'reader-'));
  t.after(() => rmSync(folder, { recursive: true }));
  refused(join(folder, 'missing.sqlite'), /unable to open database file/);
  refused(join(folder, 'no', 'folder.sqlite'), /.*directory does not exist/);
  writeFileSync(
    join(folder, 'foreign.sqlite'),
    'not a database, but longer than the header of one'.repeat(9),
  );
  refused(join(folder, 'foreign.sqlite'), /file is not a database/);
  writeFileSync(join(folder, 'empty.sqlite'), '');
  refused(join(folder, 'empty.sqlite'), /no such table: nodes/);
  const locked = new SQLite(join(folder, 'locked.sqlite'));
  t.after(() => locked.close());
  locked.exec('CREATE TABLE nodes (uuid TEXT); BEGIN EXCLUSIVE');
  refused(join(folder, 'locked.sqlite'), /database is locked/);
  assert.deepEqual(
    readdirSync(folder).filter((name) => !name.endsWith('-journal')),
    ['empty.sqlite', 'foreign.sqlite', 'locked.sqlite'],
  );
});
