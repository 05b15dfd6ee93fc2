// Prints the cost of lists and writes with many nodes: daemon/cli/node test/bench/lists.ts [NODES] [FOLDER]
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../../daemon/db/database.ts';
import { nodeConditions, type NodeFilters } from '../../daemon/db/tables/nodes.ts';
import { timestamp } from '../../daemon/lib/clock.ts';
import { initialNode, type Node } from '../../daemon/model/records/node.ts';

const count = Number(process.argv[2] ?? 40_000);
const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'ironic-edge-bench-'));
const path = join(folder, 'bench.sqlite');
const db = createDatabase(path);
const uuids = Array.from({ length: count }, () => randomUUID());
const uuidAt = (at: number) => uuids[(at * 7907) % count] ?? '';
const shuffledTime = (at: number) => timestamp(1.7e12 + ((at * 7919) % count) * 1000);
const laterTime = (at: number) => timestamp(1.8e12 + at * 10);

const nodeAt = (uuid: string, at: number): Node => ({
  ...initialNode({ uuid, driver: 'ipmi' }),
  name: `node-${uuid}`,
  resource_class: 'baremetal',
  properties: { cpus: 4, memory_mb: 8192, local_gb: 100 },
  driver_info: { ipmi_address: '192.0.2.1', ipmi_username: 'admin', ipmi_password: 'p'.repeat(20) },
  extra: { note: 'n'.repeat(300) },
  created_at: shuffledTime(at),
  updated_at: shuffledTime(at + 1),
});

function milliseconds(rounds: number, work: (round: number) => void): string {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    work(round);
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(rounds * share)] ?? 0).toFixed(3);
  return `median ${at(0.5)} ms, 95 % within ${at(0.95)} ms`;
}

function read(what: string, filters: NodeFilters, sortKey = 'id'): void {
  const conditions = nodeConditions({ includeChildren: false, ...filters });
  const paging = { limit: 20, sortKey, descending: false };
  const work = () => void db.nodes.page(['uuid', 'name', 'provision_state'], conditions, paging);
  console.log(what.padEnd(30), milliseconds(50, work));
}

/** Octets that this process has written so far. */
const written = () => Number(/^wchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

function write(what: string, work: (round: number) => void): void {
  const rounds = 100;
  const before = written();
  const times = milliseconds(rounds, work);
  console.log(what.padEnd(30), times, `${((written() - before) / rounds / 1024).toFixed(0)} KiB written`);
}

try {
  db.transaction(() => {
    for (const [at, uuid] of uuids.entries()) db.nodes.insert(nodeAt(uuid, at));
  });
  console.log(`${count} nodes`);
  read('first page', {});
  read('by updated_at', {}, 'updated_at');
  read('by last_error', {}, 'last_error');
  read('lessee: no match', { equal: { lessee: 'nobody' } });
  read('in maintenance: no match', { equal: { maintenance: true } });
  read('associated: no match', { associated: true });
  read('project: no match', { project: 'nobody' });
  read('description: no match', { descriptionContains: 'nothing' });
  read('not in maintenance, by name', { equal: { maintenance: false } }, 'name');
  console.log(
    'one node'.padEnd(30),
    milliseconds(200, (round) => void db.nodes.get(uuidAt(round))),
  );
  write('a field is changed', (round) => {
    db.nodes.update(uuidAt(round), { extra: { round }, updated_at: laterTime(round) });
  });
  write('a state is changed', (round) => {
    const time = laterTime(round);
    const changes = { target_provision_state: 'manageable', last_error: null } as const;
    db.nodes.move(
      uuidAt(round),
      { from: 'enroll', event: 'manage' },
      { ...changes, provision_updated_at: time, updated_at: time },
    );
  });
  write('a node is added', (round) => db.nodes.insert(nodeAt(randomUUID(), round)));
} finally {
  db.close();
  console.log(`${(statSync(path).size / 1_048_576).toFixed(0)} MiB`);
  rmSync(folder, { recursive: true });
}
