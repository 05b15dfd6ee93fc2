// Runs the tests in a plugin's folder, with `#plugin-api` resolved to this daemon's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const prepare = `import { resolvePluginApi } from ${JSON.stringify(new URL('../resolve-plugin-api.ts', import.meta.url).href)}; resolvePluginApi();`;

export interface TestRun {
  readonly passed: boolean;
  /** Lines for the terminal. */
  readonly report: string;
}

export async function runOwnTests(folder: string): Promise<TestRun> {
  const files = globSync('**/*.test.{ts,js,mjs}', {
    cwd: folder,
    exclude: (name) => name === 'node_modules',
  }).map((file) => path.resolve(folder, file));
  if (files.length === 0) return { passed: true, report: 'It has no tests of its own (*.test.ts).\n' };
  const preload = `data:text/javascript,${encodeURIComponent(prepare)}`;
  const child = spawn(process.execPath, ['--import', preload, '--test', '--test-reporter=spec', ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [report, [exit]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { passed: exit === 0, report };
}
