// Checks a plugin in a process of its own, as the daemon runs it. The check fails if the plugin ends or blocks the process, or
// needs too much memory.
import type { ChildProcess } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../lib/clock.ts';
import { Peer } from '../isolation/border/peer.ts';
import { type StartedProcess, startPluginProcess } from '../isolation/start-plugin-process.ts';
import type { Finding } from './check-plugin.ts';
import type { CheckRequest } from './check-process.ts';

const PROGRAM = new URL('check-process.ts', import.meta.url);
const SILENCE_MILLISECONDS = 5000;
/** The time limit of the whole check; every operation also has a deadline of its own. */
const LONGEST_MILLISECONDS = 300_000;

interface Observed {
  /** What is being checked. */
  subject: string;
  /** Why the check killed the process; undefined if it did not. */
  verdict: string | undefined;
}

/** Resolves soon after the time limit at the latest, whatever the plugin does. `write` receives the plugin's output. */
export async function isolatedCheck(
  request: CheckRequest,
  memoryMebibytes: number,
  write: (text: string) => void,
): Promise<readonly Finding[]> {
  const started = startPluginProcess(PROGRAM, memoryMebibytes);
  const { child } = started;
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', write);
  const observed: Observed = { subject: 'plugin.json', verdict: undefined };
  const peer = peerOf(started, observed);
  const over = new AbortController();
  const ended = endOf(child);
  void watch(peer, started, { observed, over: over.signal });
  const findings = peer.ask({ value: { ...request } }).then(({ value }) => value as readonly Finding[]);
  const lost = ended.then((words): readonly Finding[] => [
    { subject: observed.subject, problems: [observed.verdict ?? words] },
  ]);
  try {
    // a process that ends loses its connection first; `lost` waits for the end, which gives the reason
    return await Promise.race([findings.catch(() => lost), lost]);
  } finally {
    over.abort();
    kill(child);
  }
}

const peerOf = ({ border }: StartedProcess, observed: Observed): Peer =>
  new Peer(border, {
    clock: systemClock,
    is: 'daemon',
    async answer({ value: { begins } }) {
      if (typeof begins === 'string') observed.subject = begins;
      return { value: null };
    },
    lost: () => undefined,
  });

const endOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(`its process cannot be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      resolve(
        signal === null
          ? `it ended the process with exit code ${code} before the check had ended, as process.exit does`
          : `it crashed the process with ${signal}, or used too much memory`,
      ),
    );
  });

async function watch(
  peer: Peer,
  { child }: StartedProcess,
  { observed, over }: { readonly observed: Observed; readonly over: AbortSignal },
): Promise<void> {
  const until = performance.now() + LONGEST_MILLISECONDS;
  try {
    while (performance.now() < until) {
      await setTimeout(SILENCE_MILLISECONDS, undefined, { signal: over, ref: false });
      const alive = peer.ask({ value: { ping: true } }).then(() => true);
      if (
        await Promise.race([alive, setTimeout(2 * SILENCE_MILLISECONDS, false, { signal: over, ref: false })])
      )
        continue;
      observed.verdict = `it blocks the process for ${(2 * SILENCE_MILLISECONDS) / 1000} s, as an endless loop does`;
      return kill(child);
    }
    observed.verdict = `the check has not ended within ${LONGEST_MILLISECONDS / 1000} s`;
    kill(child);
  } catch {
    // the check is over, and its process may be gone
  }
}

function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // the process has ended already
  }
}
