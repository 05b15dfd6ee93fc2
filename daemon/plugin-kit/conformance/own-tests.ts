// Runs the tests in a plugin's folder, with `#plugin-api` resolved to the plugin API of this daemon.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { endMarked, killGroup, newMark } from '../../plugin-host/isolation/started-processes.ts';

const prepare = `import { resolvePluginApi } from ${JSON.stringify(new URL('../../plugin-host/resolve-plugin-api.ts', import.meta.url).href)}; resolvePluginApi();`;

export interface TestRun {
  readonly passed: boolean;
  /** Lines for the terminal. */
  readonly report: string;
}

/** The time limit of all tests of a plugin together. */
const LONGEST_SECONDS = 300;

/** Runs the tests. Kills tests that do not end in time, and the processes that the tests have started. */
export async function runOwnTests(folder: string, longestSeconds = LONGEST_SECONDS): Promise<TestRun> {
  const files = globSync('**/*.test.{ts,js,mjs}', {
    cwd: folder,
    exclude: (name) => name === 'node_modules',
  }).map((file) => path.resolve(folder, file));
  if (files.length === 0) return { passed: true, report: 'It has no tests of its own (*.test.ts).\n' };
  const preload = `data:text/javascript,${encodeURIComponent(prepare)}`;
  const mark = newMark();
  const child = spawn(process.execPath, ['--import', preload, '--test', '--test-reporter=spec', ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    // `node --test` sets this variable for the daemon's tests; a `node --test` inside them would run nothing, and succeed
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...mark },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killGroup(child.pid);
  }, longestSeconds * 1000);
  try {
    const [report, [exit]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    const verdict = isLate ? `Its tests have not ended within ${longestSeconds} s, and were killed.\n` : '';
    return { passed: exit === 0, report: `${report}${verdict}` };
  } finally {
    clearTimeout(timer);
    // processes that the tests have left behind
    killGroup(child.pid);
    await endMarked(mark);
  }
}
