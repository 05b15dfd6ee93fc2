// Measures the API: requests per second and CPU time of each request, next to a bare handler that does the same reads and
// writes; time until ready; memory. Prints a table; judges nothing.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DaemonProcess } from '../fakes/daemon-process.ts';
import type { Load, LoadResult } from './load.ts';
import { cpuSeconds, residentMebibytes } from './process-usage.ts';

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
  readonly method: Load['method'];
  readonly paths: (uuids: readonly string[]) => readonly string[];
}

const cases: readonly Case[] = [
  { name: 'show', method: 'GET', paths: (uuids) => uuids.map((uuid) => `/v1/nodes/${uuid}`) },
  { name: 'list 100, summary', method: 'GET', paths: () => ['/v1/nodes?limit=100'] },
  { name: 'list 100, detail', method: 'GET', paths: () => ['/v1/nodes?limit=100&detail=true'] },
  { name: 'patch', method: 'PATCH', paths: (uuids) => uuids.map((uuid) => `/v1/nodes/${uuid}`) },
];

/** A node as operators have them: credentials, sizes, an owner's notes. */
const nodeBody = (number: number) => ({
  driver: 'ipmi',
  name: `rack-${number >> 5}-node-${number}`,
  driver_info: {
    ipmi_address: `10.0.${number >> 8}.${number & 255}`,
    ipmi_username: 'admin',
    ipmi_password: 'correct horse',
    ipmi_cipher_suite: 3,
    deploy_kernel: 'http://192.0.2.1/ipa.kernel',
    deploy_ramdisk: 'http://192.0.2.1/ipa.initramfs',
  },
  properties: {
    cpus: 32,
    cpu_arch: 'x86_64',
    memory_mb: 262_144,
    local_gb: 900,
    capabilities: 'boot_mode:uefi',
  },
  extra: { rack: number >> 5, position: number & 31, asset_tag: `A-${number}` },
  resource_class: 'baremetal',
});

interface Measured {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

async function measure(server: Server, { method, paths }: Case, uuids: readonly string[]): Promise<Measured> {
  const load: Load = {
    port: server.port,
    connections: CONNECTIONS,
    seconds: SECONDS,
    method,
    paths: paths(uuids),
  };
  const before = await cpuSeconds(server.pid);
  const words = [join(import.meta.dirname, 'load.ts'), JSON.stringify(load)];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const { answers, seconds } = JSON.parse(stdout) as LoadResult;
  const used = (await cpuSeconds(server.pid)) - before;
  return { perSecond: answers / seconds, cpuMicroseconds: (used / answers) * 1e6 };
}

/** Of all rounds: what else the machine does can only make a round worse. */
const best = (rounds: readonly Measured[]): Measured => ({
  perSecond: Math.max(...rounds.map(({ perSecond }) => perSecond)),
  cpuMicroseconds: Math.min(...rounds.map(({ cpuMicroseconds }) => cpuMicroseconds)),
});

async function compare(daemon: Server, bare: Server, uuids: readonly string[]): Promise<void> {
  for (const each of cases) {
    const ours: Measured[] = [];
    const theirs: Measured[] = [];
    // in turns, so that both meet the same disturbances
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
console.log(`resident, idle: ${(await residentMebibytes(daemon.pid)).toFixed(0)} MiB`);

const uuids: string[] = [];
for (let number = 0; number < NODES; number += 1) {
  const { body } = await daemon.request<{ readonly uuid: string }>('POST', '/v1/nodes', nodeBody(number));
  uuids.push(body.uuid);
}
console.log(`resident, ${NODES} nodes created: ${(await residentMebibytes(daemon.pid)).toFixed(0)} MiB`);

await daemon.stop();
const copy = join(daemon.statePath, 'bare.sqlite');
await copyFile(join(daemon.statePath, 'ironic-edge.sqlite'), copy);
await daemon.restart();
console.log(`ready after ${daemon.readyAfterMilliseconds.toFixed(0)} ms with ${NODES} nodes`);

const bare = spawn(process.execPath, [join(import.meta.dirname, 'bare-handler.ts'), copy]);
const [line] = (await once(bare.stdout, 'data')) as [Buffer];
const { port } = JSON.parse(line.toString()) as { port: number };
try {
  await compare({ pid: daemon.pid, port: portOf(daemon.url) }, { pid: bare.pid ?? 0, port }, uuids);
} finally {
  bare.kill();
}
console.log(`resident after all of this: ${(await residentMebibytes(daemon.pid)).toFixed(0)} MiB`);
