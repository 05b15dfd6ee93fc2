// A daemon that serves clients of 200 nodes while the plugins of other nodes do harm, each in its own way.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';
import { recklessNames, recklessPlugins, waysToHurt } from './reckless-plugin.ts';

const NODES = 200;
const CLIENTS = 16;
const PAUSE_MILLISECONDS = 20;
const PAUSE_OF_HARM_MILLISECONDS = 200;
const PATIENCE_MILLISECONDS = 5000;

export interface Attacked {
  readonly daemon: DaemonProcess;
  /** Sends this many requests, which do not involve the plugins, while the plugins do harm. */
  serve(requests: number): Promise<Served>;
  /** Stops the daemon with SIGTERM; resolves when no process is left that the daemon or a plugin has started. */
  stop(): Promise<void>;
}

export interface Served {
  /** How long each request took, sorted. */
  readonly milliseconds: readonly number[];
  /** Requests that were answered with another status than expected. */
  readonly unexpected: readonly string[];
  /** How many calls asked a plugin to do harm. */
  readonly harms: number;
}

/** `plugins`: the number of plugins that do harm. All processes have ended after the test. */
export async function underAttack(
  test: { after(end: () => Promise<void> | void): void },
  plugins: number,
): Promise<Attacked> {
  const names = recklessNames(plugins);
  const mark = `STARTED_BY=${randomUUID()}`;
  const daemon = await DaemonProcess.start({
    ...(plugins > 0 && { IRONIC_PLUGINS__PATH: recklessPlugins(test, plugins) }),
    STARTED_BY: mark.slice('STARTED_BY='.length),
    IRONIC_PLUGINS__MEMORY_LIMIT: '64',
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: ['fake-hardware', ...names].join(','),
  });
  // processes of plugins get nothing of the daemon's environment, but a mark of their own
  const marks = [mark, `IRONIC_EDGE_PLUGIN_PROCESS=${daemon.pid}-`];
  if (plugins > 0) assert.ok(processesWith(marks.slice(1)).length >= plugins);
  for (let node = 0; node < NODES; node += 1)
    await daemon.request('POST', '/v1/nodes', { driver: 'fake-hardware', name: `calm-${node}` });
  for (const name of names) await daemon.request('POST', '/v1/nodes', { driver: name, name });
  // not by `await using`, whose end a test that exceeds its time does not reach: processes that plugins have started would run on
  test.after(async () => {
    await daemon[Symbol.asyncDispose]();
    for (const pid of processesWith(marks)) endIfRunning(pid);
  });
  return {
    daemon,
    serve: (requests) => serve(daemon, names, requests),
    async stop() {
      await daemon.stop();
      while (processesWith(marks).length > 0) await setTimeout(PAUSE_MILLISECONDS);
    },
  };
}

function endIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // the process has ended in the meantime
  }
}

/** Returns the IDs of the processes whose environment contains one of `marks`. */
const processesWith = (marks: readonly string[]): readonly number[] =>
  globSync('/proc/[0-9]*/environ')
    .filter((file) => {
      try {
        const environment = readFileSync(file, 'latin1');
        return marks.some((mark) => environment.includes(mark));
      } catch {
        return false;
      }
    })
    .map((file) => Number(file.split('/')[2]));

async function serve(daemon: DaemonProcess, names: readonly string[], requests: number): Promise<Served> {
  const milliseconds: number[] = [];
  const unexpected: string[] = [];
  const over = new AbortController();
  let [next, harms] = [0, 0];
  const client = async () => {
    while (next < requests) {
      const begun = performance.now();
      const { status, expected, what } = await sent(daemon, (next += 1));
      milliseconds.push(performance.now() - begun);
      if (status !== expected) unexpected.push(`${what}: ${status}`);
      await setTimeout(PAUSE_MILLISECONDS);
    }
  };
  const harm = async (name: string, index: number) => {
    const body = { way: waysToHurt[index % waysToHurt.length] };
    while (!over.signal.aborted) {
      harms += 1;
      const done = daemon.request('POST', `/v1/nodes/${name}/vendor_passthru/hurt`, body);
      const ended = done.catch(() => undefined).then(() => setTimeout(PAUSE_OF_HARM_MILLISECONDS));
      // some requests for harm take long, and some never end
      await Promise.race([ended, setTimeout(PATIENCE_MILLISECONDS)]);
    }
  };
  const harming = names.map(harm);
  await Promise.all(Array.from({ length: CLIENTS }, client));
  over.abort();
  await Promise.all(harming);
  return { milliseconds: milliseconds.toSorted((one, other) => one - other), unexpected, harms };
}

/** Sends a request: of each ten, one lists nodes, two patch a node, one changes the power state of a node, and six show a node. */
async function sent(daemon: DaemonProcess, number: number) {
  const path = `/v1/nodes/calm-${number % NODES}`;
  const round = Math.floor(number / NODES);
  const answer = (what: string, expected: number, { status }: { readonly status: number }) => ({
    what: `${what} ${path}`,
    expected,
    status,
  });
  if (number % 10 === 0) return answer('list', 200, await daemon.request('GET', '/v1/nodes?limit=50'));
  if (number % 10 < 3) {
    const patch = [{ op: 'add', path: '/extra/round', value: round }];
    return answer('patch', 200, await daemon.request('PATCH', path, patch));
  }
  if (number % 10 < 4) {
    const target = round % 2 === 0 ? 'power on' : 'power off';
    return answer('power', 202, await daemon.request('PUT', `${path}/states/power`, { target }));
  }
  return answer('show', 200, await daemon.request('GET', path));
}

/** The quantile of sorted values. */
export const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
