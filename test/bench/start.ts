// Measures the time from the start of the daemon's process until it serves, and compares it with an empty Node.js process:
// `daemon/cli/node test/bench/start.ts [RUNS] [TREE]`. TREE is a checkout to measure instead of this one.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { cpuSeconds, residentMebibytes } from './load/process-costs.ts';

interface Run {
  readonly wall: number;
  readonly cpu: number;
  readonly resident: number;
}

const [runs = '9', tree = path.join(import.meta.dirname, '../..')] = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), 'bench-start-'));
// the first run, which does not count, fills the compile cache and the state directory
const environment = {
  ...process.env,
  NODE_COMPILE_CACHE: path.join(folder, 'cache'),
  IRONIC_DEFAULT__STATE_PATH: path.join(folder, 'state'),
  IRONIC_API__PORT: '0',
};

async function readyLine(child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<void> {
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('"ready"')) return;
  throw new Error('the daemon did not become ready');
}

async function daemon(): Promise<Run> {
  const started = performance.now();
  const child = spawn(path.join(tree, 'daemon/cli/ironic-edge'), ['serve'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  await readyLine(child);
  const wall = performance.now() - started;
  const pids = [child.pid ?? 0];
  const cpu = (await cpuSeconds(pids)) * 1000;
  // memory includes what starts after the daemon is ready
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const resident = await residentMebibytes(pids);
  child.kill();
  await ended;
  return { wall, cpu, resident };
}

async function idleNode(): Promise<Run> {
  const started = performance.now();
  await once(spawn(path.join(tree, 'daemon/cli/node'), ['-e', '0'], { env: environment }), 'close');
  return { wall: performance.now() - started, cpu: 0, resident: 0 };
}

const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
const figures = (numbers: readonly number[]) => {
  const [least = 0] = sorted(numbers);
  return { least: Math.round(least), median: Math.round(sorted(numbers)[numbers.length >> 1] ?? 0) };
};

try {
  await daemon();
  const daemons: Run[] = [];
  const nodes: Run[] = [];
  for (let run = 0; run < Number(runs); run += 1) {
    nodes.push(await idleNode());
    daemons.push(await daemon());
  }
  const ready = figures(daemons.map(({ wall }) => wall));
  const idle = figures(nodes.map(({ wall }) => wall));
  console.table({
    'ready after, ms': ready,
    'CPU until then, ms': figures(daemons.map(({ cpu }) => cpu)),
    'resident a second later, MiB': figures(daemons.map(({ resident }) => resident)),
    'node -e 0, ms': idle,
  });
  const ratio = (kind: keyof typeof ready) => (ready[kind] / idle[kind]).toFixed(1);
  console.log(`ready / node -e 0: least ${ratio('least')}, median ${ratio('median')}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
