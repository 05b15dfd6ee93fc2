// Runs the benchmarks' client against a server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Load, LoadResult } from './load.ts';

/** Rejects when an answer has neither the expected status nor that of a busy server. */
export async function applyLoad(load: Load): Promise<LoadResult> {
  const client = spawn(process.execPath, [join(import.meta.dirname, 'load.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  client.stdin.end(JSON.stringify(load));
  const [printed, [exit]] = await Promise.all([
    text(client.stdout),
    once(client, 'close') as Promise<[number | null]>,
  ]);
  if (exit !== 0) throw new Error('the client of the benchmark failed');
  return JSON.parse(printed) as LoadResult;
}
