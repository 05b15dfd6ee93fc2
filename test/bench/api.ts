// Measures the API: requests per second and CPU time of each request, next to a bare handler that does the same reads and
// writes; time until ready; memory. Prints a table; asserts nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { applyLoad } from './load/apply-load.ts';
import { benchNode } from './load/bench-node.ts';
import type { LoadRequest } from './load/load.ts';
import { cpuSeconds, residentMebibytes } from './load/process-costs.ts';

const NODES = 1000;
const ROUNDS = 8;
const SECONDS = 0.5;
const CONNECTIONS = 16;

interface Server {
  readonly pid: number;
  readonly port: number;
}

interface Case {
  readonly name: string;
  readonly requests: (uuids: readonly string[]) => readonly LoadRequest[];
}

const addition = '[{"op":"add","path":"/extra/number","value":$N}]';
const gets = (...paths: readonly string[]) => paths.map((path) => ({ method: 'GET', path }) as const);
const cases: readonly Case[] = [
  { name: 'show', requests: (uuids) => gets(...uuids.map((uuid) => `/v1/nodes/${uuid}`)) },
  { name: 'list 100, summary', requests: () => gets('/v1/nodes?limit=100') },
  { name: 'list 100, detail', requests: () => gets('/v1/nodes?limit=100&detail=true') },
  {
    name: 'patch',
    requests: (uuids) =>
      uuids.map((uuid) => ({ method: 'PATCH', path: `/v1/nodes/${uuid}`, body: addition })),
  },
];

interface Measured {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

async function measure(
  { pid, port }: Server,
  { requests }: Case,
  uuids: readonly string[],
): Promise<Measured> {
  const before = await cpuSeconds([pid]);
  const load = { port, connections: CONNECTIONS, seconds: SECONDS, requests: requests(uuids), status: 200 };
  const { answers, seconds } = await applyLoad(load);
  const used = (await cpuSeconds([pid])) - before;
  return { perSecond: answers / seconds, cpuMicroseconds: (used / answers) * 1e6 };
}

/** The highest rate and the lowest CPU time of all rounds: other load on the machine can only make a round worse. */
const best = (rounds: readonly Measured[]): Measured => ({
  perSecond: Math.max(...rounds.map(({ perSecond }) => perSecond)),
  cpuMicroseconds: Math.min(...rounds.map(({ cpuMicroseconds }) => cpuMicroseconds)),
});

async function compare(daemon: Server, bare: Server, uuids: readonly string[]): Promise<void> {
  for (const each of cases) {
    const ours: Measured[] = [];
    const theirs: Measured[] = [];
    // alternating, so both meet the same disturbances
    for (let round = 0; round < ROUNDS; round += 1) {
      ours.push(await measure(daemon, each, uuids));
      theirs.push(await measure(bare, each, uuids));
    }
    console.log(comparison(each.name, best(ours), best(theirs)));
  }
}

function comparison(name: string, ours: Measured, theirs: Measured): string {
  const shown = ({ perSecond, cpuMicroseconds }: Measured) =>
    `${perSecond.toFixed(0).padStart(6)}/s ${cpuMicroseconds.toFixed(0).padStart(5)} µs`;
  const share = ((100 * ours.perSecond) / theirs.perSecond).toFixed(0);
  return `${name.padEnd(20)} daemon ${shown(ours)}   bare ${shown(theirs)}   ${share} %`;
}

const portOf = (url: string) => Number(new URL(url).port);

await using daemon = await DaemonProcess.start();
const readyTimes: number[] = [];
for (let run = 0; run < 5; run += 1) {
  await daemon.stop();
  await daemon.restart();
  readyTimes.push(daemon.readyAfterMilliseconds);
}
console.log(`ready after ${readyTimes.map((time) => time.toFixed(0)).join(', ')} ms`);
console.log(`resident, idle: ${(await residentMebibytes([daemon.pid])).toFixed(0)} MiB`);

const uuids: string[] = [];
for (let number = 0; number < NODES; number += 1) {
  const { body } = await daemon.request<{ readonly uuid: string }>(
    'POST',
    '/v1/nodes',
    benchNode(number, 'ipmi'),
  );
  uuids.push(body.uuid);
}
console.log(`resident, ${NODES} nodes created: ${(await residentMebibytes([daemon.pid])).toFixed(0)} MiB`);

await daemon.stop();
const copy = join(daemon.statePath, 'bare.sqlite');
await copyFile(join(daemon.statePath, 'ironic-edge.sqlite'), copy);
await daemon.restart();
console.log(`ready after ${daemon.readyAfterMilliseconds.toFixed(0)} ms with ${NODES} nodes`);

const bare = spawn(process.execPath, [join(import.meta.dirname, 'load/bare-handler.ts'), copy]);
const [line] = (await once(bare.stdout, 'data')) as [Buffer];
const { port } = JSON.parse(line.toString()) as { port: number };
try {
  await compare({ pid: daemon.pid, port: portOf(daemon.url) }, { pid: bare.pid ?? 0, port }, uuids);
} finally {
  bare.kill();
}
console.log(`resident after all of this: ${(await residentMebibytes([daemon.pid])).toFixed(0)} MiB`);
