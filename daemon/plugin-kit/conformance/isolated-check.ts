// Checks a plugin in a process of its own, as the daemon runs it. The check fails if the plugin ends or blocks the process, or
// needs too much memory.
import type { ChildProcess } from 'node:child_process';
import { systemClock } from '../../lib/clock.ts';
import { OwnTimeMeter, readThread, sumOf, whenOwnTime } from '../../lib/limits/own-time.ts';
import { Peer } from '../../plugin-host/isolation/border/peer.ts';
import { LifeSigns, computingLimits } from '../../plugin-host/isolation/life-signs.ts';
import { type StartedProcess, startPluginProcess } from '../../plugin-host/isolation/start-plugin-process.ts';
import type { Finding } from './check-plugin.ts';
import type { CheckRequest } from './check-process.ts';

const PROGRAM = new URL('check-process.ts', import.meta.url);
/** How much time of its own the whole check may take; every operation also has a deadline of its own. */
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
  const ended = endOf(child);
  const watches = watch(peer, started, observed);
  const findings = peer.ask({ value: { ...request } }).then(({ value }) => value as readonly Finding[]);
  const lost = ended.then((words): readonly Finding[] => [
    { subject: observed.subject, problems: [observed.verdict ?? words] },
  ]);
  try {
    // a process that ends loses its connection first; `lost` waits for the end, which gives the reason
    return await Promise.race([findings.catch(() => lost), lost]);
  } finally {
    watches.dispose();
    started.kill();
    await started.gone;
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

/** Kills the process when it is blocked, or takes too long. Dispose of the result to end the watch. */
function watch(peer: Peer, { child, border, kill }: StartedProcess, observed: Observed): DisposableStack {
  const end = (verdict: string) => {
    observed.verdict = verdict;
    kill();
  };
  const read = () => readThread(child.pid);
  const signs = new LifeSigns({
    clock: systemClock,
    peer,
    read,
    longestComputing: computingLimits.ofCheck,
    blocked: end,
  });
  border.on('data', () => signs.heard());
  const watches = new DisposableStack();
  watches.defer(() => signs.end());
  const isOver = (spent: Parameters<typeof sumOf>[0]) => sumOf(spent) >= LONGEST_MILLISECONDS;
  const late = `the check has not ended within ${LONGEST_MILLISECONDS / 1000} s`;
  watches.defer(whenOwnTime(isOver, new OwnTimeMeter(read), systemClock, () => end(late)));
  return watches;
}
