// Inspects, cleans and deploys all machines of a simulated rack at the same time, and measures the daemon meanwhile:
// `rack.ts [machines] [further idle nodes] [directory for a CPU profile]`. Every machine downloads the image from the daemon,
// which fetches it from an HTTP server in this process. Prints a table; asserts nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type ApiNode, DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { digest, disk, MEBIBYTE } from '../fakes/images.ts';
import { DRIVER } from '../../daemon/simulator/rack.ts';
import { cpuSeconds, peakMebibytes, residentMebibytes } from './load/process-costs.ts';

const [size = '200', idle = '0', profileDirectory] = process.argv.slice(2);
const machines = Number(size);
const COMMAND = path.join(import.meta.dirname, '../../daemon/cli/ironic-edge');
const SAMPLE_MILLISECONDS = 20;
const SCRAPE_MILLISECONDS = 500;
const ENROLLED_AT_ONCE = 16;
const IMAGE_BYTES = 64 * MEBIBYTE;

interface Flow {
  readonly what: string;
  readonly target: string;
  /** A state that the node must pass through. Needed if the node begins in the state `end`. */
  readonly through?: string;
  readonly end: string;
}

const flows: readonly Flow[] = [
  { what: 'managed', target: 'manage', end: 'manageable' },
  { what: 'inspected', target: 'inspect', through: 'inspect wait', end: 'manageable' },
  { what: 'cleaned, available', target: 'provide', end: 'available' },
  { what: 'deployed', target: 'active', end: 'active' },
];

await using daemon = await DaemonProcess.start({
  IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: `${DRIVER},fake-hardware`,
  IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
  IRONIC_CONDUCTOR__MAX_CONCURRENT_CLEAN: size,
  IRONIC_CONDUCTOR__MAX_CONCURRENT_DEPLOY: size,
  IRONIC_CONDUCTOR__IMAGE_SERVER_NETWORKS: '127.0.0.0/8',
  IRONIC_AGENT__IMAGE_DOWNLOAD_SOURCE: 'local',
  IRONIC_BOOT_HTTP__HOST_IP: '127.0.0.1',
  IRONIC_BOOT_HTTP__PORT: '0',
  // all machines of the rack connect from one address
  IRONIC_BOOT_HTTP__MAX_CONNECTIONS_PER_CLIENT: size,
  ...(profileDirectory !== undefined && {
    NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${path.resolve(profileDirectory)}`,
  }),
});

const content = disk('an instance', IMAGE_BYTES);
const fetches: string[] = [];
const images = createServer((request, response) => {
  fetches.push(request.url ?? '');
  response.end(content);
});
await once(images.listen(0, '127.0.0.1'), 'listening');
await enrolIdle(Number(idle));
const rack = await pluggedIn();
// reads the same node again and again, as an operator's client does, and all metrics, as Prometheus does
const reads = samples('/v1/nodes/rack-001', SAMPLE_MILLISECONDS);
const scrapes = samples('/metrics', SCRAPE_MILLISECONDS);
try {
  const nodes = (await list()).map(({ uuid }) => uuid);
  const image = {
    image_source: `http://127.0.0.1:${(images.address() as AddressInfo).port}/disk.raw`,
    image_checksum: digest(content),
    image_disk_format: 'raw',
  };
  for (const uuid of nodes)
    await daemon.request('PATCH', `/v1/nodes/${uuid}`, [{ op: 'add', path: '/instance_info', value: image }]);
  for (const flow of flows) await measured(nodes, flow);
} finally {
  reads.stop();
  scrapes.stop();
  rack.kill();
  images.close();
}
console.log(`the daemon downloaded the image of ${IMAGE_BYTES / MEBIBYTE} MiB ${fetches.length} times`);
console.log(`peak resident ${(await peakMebibytes(daemon.pid)).toFixed(0)} MiB`);
if (profileDirectory !== undefined) await daemon.stop();

/** Starts the machines in a process of their own and enrolls them. */
async function pluggedIn(): Promise<ChildProcess> {
  const started = performance.now();
  const words = ['rack', size, '--boot-seconds', '10', '--step-seconds', '5', '--fetch-images'];
  const child = spawn(COMMAND, words, {
    env: { ...process.env, OS_ENDPOINT: daemon.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes(`rack-${size.padStart(3, '0')} is node`)) break;
  child.stdout.resume();
  console.log(`${machines} machines enrolled in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return child;
}

async function list(): Promise<readonly ApiNode[]> {
  const answer = await daemon.request<{ nodes: readonly ApiNode[] }>(
    'GET',
    `/v1/nodes?driver=${DRIVER}&fields=uuid,provision_state,last_error&limit=1000`,
  );
  return answer.body.nodes;
}

async function measured(nodes: readonly string[], { what, target, through, end }: Flow): Promise<void> {
  const started = performance.now();
  const cpu = await cpuSeconds([daemon.pid]);
  const machinesCpu = await cpuSeconds([rack.pid ?? 0]);
  reads.begin();
  scrapes.begin();
  const answers = await Promise.all(
    nodes.map((uuid) => daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { target })),
  );
  const refused = answers.find(({ status }) => status !== 202);
  if (refused !== undefined) throw new Error(`${what}: ${JSON.stringify(refused)}`);
  const passed = new Set<string>();
  for (;;) {
    const seen = await list();
    for (const { uuid, provision_state } of seen) if (provision_state === through) passed.add(uuid);
    const there = seen.filter(
      ({ uuid, provision_state }) => provision_state === end && (through === undefined || passed.has(uuid)),
    );
    if (there.length === nodes.length) break;
    const failed = seen.find(({ provision_state }) => provision_state.endsWith('failed'));
    if (failed !== undefined) throw new Error(`${what}: ${JSON.stringify(failed)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const seconds = (performance.now() - started) / 1000;
  const used = (await cpuSeconds([daemon.pid])) - cpu;
  const theirs = (await cpuSeconds([rack.pid ?? 0])) - machinesCpu;
  const perMachine = (used * 1000) / machines;
  const resident = (await residentMebibytes([daemon.pid])).toFixed(0);
  console.log(
    `${what.padEnd(20)} ${seconds.toFixed(1).padStart(6)} s   daemon ${used.toFixed(1).padStart(5)} s CPU (${perMachine.toFixed(0)} ms a machine), machines ${theirs.toFixed(1)} s   ${resident} MiB   API ${reads.end()}, scrape ${scrapes.end()}`,
  );
}

async function enrolIdle(count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => `idle-${at}`)[Symbol.iterator]();
  const lane = async () => {
    for (const name of names) await daemon.request('POST', '/v1/nodes', { driver: 'fake-hardware', name });
  };
  await Promise.all(Array.from({ length: ENROLLED_AT_ONCE }, lane));
}

/** Reads the path again and again, with a pause between. */
function samples(target: string, pauseMilliseconds: number) {
  let latencies: number[] = [];
  const stop = new AbortController();
  const run = async () => {
    while (!stop.signal.aborted) {
      const started = performance.now();
      await (await fetch(`${daemon.url}${target}`)).text();
      latencies.push(performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    }
  };
  void run();
  return {
    begin() {
      latencies = [];
    },
    end() {
      const sorted = latencies.toSorted((a, b) => a - b);
      const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
      return `p50 ${at(0.5)} p99 ${at(0.99)} most ${at(1)} ms`;
    },
    stop: () => stop.abort(),
  };
}
