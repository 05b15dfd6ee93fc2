// Measures the boot HTTP server next to nginx in the same run: throughput and CPU time per gigabyte while 1, 10 and 100 clients
// fetch a 500 MB image or its beginning, and the latency of the API while 50 clients fetch. Prints a table; asserts nothing.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freeTcpPort } from '../../daemon/simulator/free-port.ts';
import { cpuSeconds, familyOf } from './load/process-costs.ts';

const IMAGE_BYTES = 500_000_000;
const ROUNDS = 3;
const LATENCY_SECONDS = 10;
const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), 'bench-boot-http-'));
const image = path.join(folder, 'image');

interface Server {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

interface Measured {
  readonly megabytesPerSecond: number;
  readonly cpuPerGigabyte: number;
}

/** One curl for each client, so that the clients' cost is the same for both servers. */
async function measure({ url, pid }: Server, clients: number): Promise<Measured> {
  // four gigabytes in all take a few seconds; with few clients it is less, because each fetches the image at most once
  const part = Math.min(IMAGE_BYTES, Math.ceil(4_000_000_000 / clients));
  const range = part === IMAGE_BYTES ? [] : ['-r', `0-${part - 1}`];
  const family = await familyOf(pid);
  const [before, started] = [await cpuSeconds(family), performance.now()];
  const fetches = Array.from({ length: clients }, () =>
    run('curl', ['-fsS', '-o', '/dev/null', ...range, url]),
  );
  await Promise.all(fetches);
  const seconds = (performance.now() - started) / 1000;
  const bytes = part * clients;
  return {
    megabytesPerSecond: bytes / 1e6 / seconds,
    cpuPerGigabyte: ((await cpuSeconds(family)) - before) / (bytes / 1e9),
  };
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;

async function compare(ours: Server, theirs: Server, clients: number): Promise<void> {
  const rounds: (readonly [Measured, Measured])[] = [];
  // alternating, so both meet the same disturbances
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push([await measure(ours, clients), await measure(theirs, clients)]);
  const shown = (index: 0 | 1) => {
    const speed = median(rounds.map((round) => round[index].megabytesPerSecond));
    const cpu = median(rounds.map((round) => round[index].cpuPerGigabyte)).toFixed(2);
    return `${speed.toFixed(0).padStart(5)} MB/s (${(speed / 125).toFixed(1)} Gbit/s) ${cpu} s CPU/GB`;
  };
  const ratio = median(rounds.map(([a, b]) => a.megabytesPerSecond / b.megabytesPerSecond));
  const cpuRatio = median(rounds.map(([a, b]) => a.cpuPerGigabyte / b.cpuPerGigabyte));
  console.log(
    `${`${clients} clients`.padEnd(12)} ${ours.name} ${shown(0)}   ${theirs.name} ${shown(1)}   speed ${ratio.toFixed(2)}, CPU ${cpuRatio.toFixed(1)} times`,
  );
}

interface Started extends Server {
  stop(): Promise<void>;
}

async function startOurs(): Promise<Started & { readonly apiUrl: string }> {
  const program = path.join(import.meta.dirname, 'load/boot-http-daemon.ts');
  const child = spawn(process.execPath, ['--max-semi-space-size=16', program, image, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url, bootUrl } = JSON.parse(line.toString()) as { url: string; bootUrl: string };
  return { name: 'daemon', url: `${bootUrl}/image`, apiUrl: url, ...ended(child) };
}

const ended = (child: ChildProcess) => ({
  pid: child.pid ?? 0,
  async stop() {
    child.kill();
    await once(child, 'exit');
  },
});

function startNginx(port: number): Started {
  const file = path.join(folder, 'nginx.conf');
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (each) => `${each}_temp_path ${folder}/t;`,
  );
  writeFileSync(
    file,
    `user root; daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log; events {} http { access_log off;
     sendfile on; tcp_nopush on; ${places.join(' ')} server { listen 127.0.0.1:${port}; root ${folder}; } }`,
  );
  const child = spawn('nginx', ['-c', file, '-e', path.join(folder, 'log')], { stdio: 'inherit' });
  const url = `http://127.0.0.1:${port}/image`;
  return { name: 'nginx', url, ...ended(child) };
}

/** Measures requests GET /v1/nodes, one after the other, while clients fetch the first 100 MB of the image again and again. */
async function showLatency(apiUrl: string, name: string, clients: number, imageUrl: string): Promise<void> {
  const end = performance.now() + LATENCY_SECONDS * 1000;
  const isOver = () => performance.now() > end;
  const fetchAgain = async () => {
    while (!isOver()) await run('curl', ['-fsS', '-r', '0-99999999', '-o', '/dev/null', imageUrl]);
  };
  const fetching = Array.from({ length: clients }, fetchAgain);
  const milliseconds: number[] = [];
  while (!isOver()) {
    const started = performance.now();
    await (await fetch(`${apiUrl}/v1/nodes`)).text();
    milliseconds.push(performance.now() - started);
  }
  await Promise.all(fetching);
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? NaN).toFixed(1);
  console.log(
    `API while ${name.padEnd(30)} median ${at(0.5)} ms, p99 ${at(0.99)} ms (${sorted.length} requests)`,
  );
}

writeFileSync(image, randomBytes(IMAGE_BYTES));
await using stack = new AsyncDisposableStack();
stack.defer(() => rmSync(folder, { recursive: true }));
const ours = await startOurs();
stack.defer(() => ours.stop());
const nginx = startNginx(await freeTcpPort());
stack.defer(() => nginx.stop());
await run('curl', ['-fsSI', '--retry', '20', '--retry-connrefused', '--retry-delay', '1', nginx.url]);
for (const clients of [1, 10, 100]) await compare(ours, nginx, clients);
await showLatency(ours.apiUrl, 'nobody fetches', 0, ours.url);
await showLatency(ours.apiUrl, '50 clients fetch from nginx', 50, nginx.url);
await showLatency(ours.apiUrl, '50 clients fetch from daemon', 50, ours.url);
