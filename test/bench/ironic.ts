// npm run bench:ironic: our API next to OpenStack's own Ironic, with the same configuration, requests and client.
// Arguments: debian for Debian's release instead of the newest; --small for fewer nodes. Prints tables; asserts nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { IronicProcess, ourEnvironment } from '../differential/ironic-process.ts';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { applyLoad } from './load/apply-load.ts';
import { benchNode } from './load/bench-node.ts';
import type { LoadRequest, LoadResult } from './load/load.ts';
import { cpuSeconds, familyOf, residentMebibytes } from './load/process-costs.ts';

const words = new Set(process.argv.slice(2));
const small = words.has('--small');
const NODES = small ? 200 : 1000;
const MANY_NODES = small ? 500 : 10_000;
const SECONDS = small ? 2 : 6;
const CONNECTIONS = 16;

interface Side {
  readonly port: number;
  readonly pid: number;
}

type Work = readonly LoadRequest[];

const uuidOf = (number: number) => `00000000-0000-4000-8000-${number.toString().padStart(12, '0')}`;
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const gets = (...paths: readonly string[]): Work => paths.map((path) => ({ method: 'GET', path }));

const creations = (from: number, to: number): Work =>
  numbers(from, to).map((number) => ({
    method: 'POST',
    path: '/v1/nodes',
    body: JSON.stringify({ uuid: uuidOf(number), ...benchNode(number, 'fake-hardware') }),
  }));

const forEachNode = (method: 'GET' | 'PUT' | 'PATCH', path: string, body?: string): Work =>
  numbers(0, NODES).map((number) => ({
    method,
    path: `/v1/nodes/${uuidOf(number)}${path}`,
    ...(body !== undefined && { body }),
  }));

const extra = '[{"op":"add","path":"/extra/number","value":$N}]';

async function timed(
  side: Side,
  requests: Work,
  status: number,
  { seconds, connections = CONNECTIONS }: { readonly seconds?: number; readonly connections?: number } = {},
): Promise<LoadResult> {
  return applyLoad({
    port: side.port,
    connections,
    requests,
    status,
    ...(seconds !== undefined && { seconds }),
  });
}

interface NodeList {
  readonly nodes: readonly { readonly provision_state: string }[];
}

/** Sends the verb to all nodes and waits until they are in the state, to measure the work and not only its acceptance. */
async function provision(side: Side, verb: string, state: string): Promise<LoadResult> {
  const started = performance.now();
  const result = await timed(
    side,
    forEachNode('PUT', `/states/provision`, JSON.stringify({ target: verb })),
    202,
  );
  for (;;) {
    const url = `http://127.0.0.1:${side.port}/v1/nodes?fields=provision_state`;
    const reply = await fetch(url, { headers: { 'x-openstack-ironic-api-version': '1.31' } });
    const { nodes } = (await reply.json()) as NodeList;
    if (nodes.every((node) => node.provision_state === state)) break;
    await sleep(20);
  }
  return { ...result, seconds: (performance.now() - started) / 1000 };
}

type Measure = (side: Side) => Promise<LoadResult>;

const measures: Readonly<Record<string, Measure>> = {
  [`create ${NODES} nodes`]: (side) => timed(side, creations(0, NODES), 201),
  [`list ${NODES}, summary`]: (side) => timed(side, gets('/v1/nodes'), 200, { seconds: SECONDS }),
  [`list ${NODES}, detail`]: (side) => timed(side, gets('/v1/nodes/detail'), 200, { seconds: SECONDS }),
  'list 100, summary': (side) => timed(side, gets('/v1/nodes?limit=100'), 200, { seconds: SECONDS }),
  show: (side) => timed(side, forEachNode('GET', ''), 200, { seconds: SECONDS }),
  patch: (side) => timed(side, forEachNode('PATCH', '', extra), 200, { seconds: SECONDS }),
  // Ironic refuses most simultaneous requests because its database is busy
  'set trait, one by one': (side) =>
    timed(side, forEachNode('PUT', '/traits/CUSTOM_A'), 204, { seconds: SECONDS, connections: 1 }),
  manage: (side) => provision(side, 'manage', 'manageable'),
  provide: (side) => provision(side, 'provide', 'available'),
};

interface Cost {
  readonly perSecond: number;
  readonly cpuMilliseconds: number;
  readonly repeated: number;
}

/** CPU time is more reliable than wall time on a shared machine. */
async function costOf(side: Side, measure: Measure): Promise<Cost> {
  const pids = await familyOf(side.pid);
  const before = await cpuSeconds(pids);
  const { answers, seconds, repeated } = await measure(side);
  const used = (await cpuSeconds(pids)) - before;
  return { perSecond: answers / seconds, cpuMilliseconds: (used * 1000) / answers, repeated };
}

const shown = ({ perSecond, cpuMilliseconds, repeated }: Cost): string =>
  `${perSecond.toFixed(1).padStart(8)}/s ${cpuMilliseconds.toFixed(2).padStart(8)} ms CPU each${repeated > 0 ? ` (${repeated} repeated)` : ''}`;

const ratio = (larger: number, smaller: number): string => `${(larger / smaller).toFixed(1).padStart(6)} x`;

async function memory(side: Side): Promise<string> {
  const pids = await familyOf(side.pid);
  const [resident, apart] = [await residentMebibytes(pids), await residentMebibytes(pids, 'Pss')];
  return `${resident.toFixed(0)} MiB resident in ${pids.length} process(es), ${apart.toFixed(0)} MiB with what they share counted once`;
}

async function compareMemory(title: string, theirs: Side, ours: Side): Promise<void> {
  console.log(`${title}: Ironic ${await memory(theirs)}; ours ${await memory(ours)}`);
}

await using ironic = await IronicProcess.start(words.has('debian') ? 'debian' : 'newest');
await using daemon = await DaemonProcess.start(ourEnvironment());
const sideOf = ({ url, pid }: { readonly url: string; readonly pid: number }): Side => ({
  port: Number(new URL(url).port),
  pid,
});
const theirs = sideOf(ironic);
const ours = sideOf(daemon);

await compareMemory('idle', theirs, ours);
for (const [name, measure] of Object.entries(measures)) {
  const left = await costOf(theirs, measure);
  const right = await costOf(ours, measure);
  const ratios = `${ratio(right.perSecond, left.perSecond)} by rate ${ratio(left.cpuMilliseconds, right.cpuMilliseconds)} by CPU`;
  console.log(`${name.padEnd(22)} Ironic ${shown(left)}   ours ${shown(right)}   ${ratios}`);
}
await compareMemory(`${NODES} nodes, after all of this`, theirs, ours);
for (const side of [theirs, ours]) {
  await timed(side, creations(NODES, MANY_NODES), 201);
  await timed(side, gets('/v1/nodes/detail'), 200, { seconds: SECONDS });
}
await compareMemory(`${MANY_NODES} nodes, after lists of ${Math.min(MANY_NODES, 1000)}`, theirs, ours);
