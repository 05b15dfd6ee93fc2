// Measures ironic-pxe-filter at 10,000 ports: how long complete and small synchronisations take, how many bytes they write, and
// the time from the API's answer to the file on disk. Prints tables; asserts nothing.
import { randomUUID } from 'node:crypto';
import { watch, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../daemon/config/read-config.ts';
import { createDatabase, type Database } from '../../daemon/db/database.ts';
import { openReader } from '../../daemon/db/read-only.ts';
import { createLogger } from '../../daemon/lib/logger.ts';
import { HostsDirectory } from '../../pxe-filter/hosts-directory.ts';
import { synchronise } from '../../pxe-filter/synchronise.ts';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { FilterProcess } from '../fakes/boot/filter-process.ts';

const NODES = 2500;
const PORTS_OF_EACH = 4;
const ROUNDS = 10;
const CHANGES = 40;

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
const mac = (number: number) =>
  `52:54:00${(number + 0x1_00_00_00).toString(16).slice(1).replaceAll(/../g, ':$&')}`;

/** Creates manageable nodes with ports, as copies of the node `model` and its port; returns the UUIDs of the nodes. */
function populate(db: Database, model: string): readonly string[] {
  const node = db.nodes.get(model);
  const [port] = db.ports.ofNode(model);
  if (node === undefined || port === undefined) throw new Error('the model was not stored');
  const uuids = Array.from({ length: NODES }, () => randomUUID());
  const portsOf = (node_uuid: string, index: number) =>
    Array.from({ length: PORTS_OF_EACH }, (_, number) => ({
      ...port,
      uuid: randomUUID(),
      node_uuid,
      address: mac(index * PORTS_OF_EACH + number),
    }));
  db.transaction(() => {
    for (const [index, uuid] of uuids.entries()) {
      db.nodes.insert({ ...node, uuid, name: null, provision_state: 'manageable' });
      for (const each of portsOf(uuid, index)) db.ports.insert(each);
    }
  });
  return uuids;
}

/** The bytes that this process has passed to write(). */
const bytesWritten = () => Number(/wchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

interface Measured {
  readonly milliseconds: number;
  readonly bytes: number;
}

function measure(work: () => void): Measured {
  const bytes = bytesWritten();
  const started = performance.now();
  work();
  return { milliseconds: performance.now() - started, bytes: bytesWritten() - bytes };
}

function report(name: string, rounds: readonly Measured[]): void {
  const milliseconds = rounds.map((round) => round.milliseconds);
  const [shortest, middle] = [Math.min(...milliseconds), median(milliseconds)];
  const bytes = median(rounds.map((round) => round.bytes));
  console.log(
    `${name.padEnd(44)} median ${middle.toFixed(1).padStart(7)} ms  best ${shortest.toFixed(1).padStart(7)} ms ${String(bytes).padStart(8)} bytes`,
  );
}

function synchronisations(db: Database, path: string, nodes: readonly string[], folder: string): void {
  const { config } = readConfig({ configFile: undefined, environment: {}, sections: [] });
  const log = createLogger({ level: 'silent', mask: (fields) => fields });
  const reader = openReader(path);
  const [first, unchanged, small]: [Measured[], Measured[], Measured[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const hosts = new HostsDirectory(mkdtempSync(join(folder, 'hosts-')));
    const complete = () => {
      hosts.read();
      synchronise({ config, log, hosts }, reader);
    };
    first.push(measure(complete));
    unchanged.push(measure(complete));
    for (const provision_state of ['inspecting', 'manageable'] as const) {
      db.nodes.update(nodes[round] ?? '', { provision_state });
      small.push(measure(() => synchronise({ config, log, hosts }, reader)));
    }
    rmSync(hosts.path, { recursive: true });
  }
  reader.close();
  report(`complete, ${NODES * PORTS_OF_EACH + 2} files to write`, first);
  report('complete, nothing to write', unchanged);
  report(`one node changes, ${PORTS_OF_EACH + 1} files to write`, small);
}

/** Milliseconds from the answer to `inspect` until the file of the node's first port lets the machine boot. */
async function latencies(daemon: DaemonProcess, nodes: readonly string[], hosts: string): Promise<number[]> {
  const found: number[] = [];
  for (const [index, uuid] of nodes.slice(0, CHANGES).entries()) {
    const address = mac(index * PORTS_OF_EACH);
    const allowed = Promise.withResolvers<number>();
    const watcher = watch(hosts, (_, name) => {
      if (name === address && readFileSync(join(hosts, name), 'utf8') === `${name}\n`)
        allowed.resolve(performance.now());
    });
    const { status } = await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, {
      target: 'inspect',
    });
    const answered = performance.now();
    if (status !== 202) throw new Error(`inspect was answered with ${status}`);
    found.push(Math.max(0, (await allowed.promise) - answered));
    watcher.close();
    await daemon.nodeWhen(uuid, (node) => node.reservation === null);
  }
  return found;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-pxe-filter-'));
try {
  await using daemon = await DaemonProcess.start();
  await daemon.request('POST', '/v1/nodes', { driver: 'manual-management', name: 'model' });
  const { uuid } = await daemon.node('model');
  await daemon.request('POST', '/v1/ports', { address: 'fe:00:00:00:00:01', node_uuid: uuid });
  await daemon.stop();
  const path = join(daemon.statePath, 'ironic-edge.sqlite');
  const db = createDatabase(path);
  const nodes = populate(db, uuid);
  synchronisations(db, path, nodes, folder);
  db.close();
  await daemon.restart();
  const hosts = mkdtempSync(join(folder, 'hosts-'));
  await using filter = await FilterProcess.start({
    IRONIC_DEFAULT__STATE_PATH: daemon.statePath,
    IRONIC_PXE_FILTER__DHCP_HOSTSDIR: hosts,
  });
  const status = readFileSync(`/proc/${filter.pid}/status`, 'utf8');
  console.log(`resident: ${(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024).toFixed(0)} MiB`);
  const found = await latencies(daemon, nodes, hosts);
  console.log(
    `from the answer to the file on disk, ${found.length} changes: median ${median(found).toFixed(1)} ms, max ${Math.max(...found).toFixed(1)} ms`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
