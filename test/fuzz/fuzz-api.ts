// Sends a real daemon the requests that schemathesis generates from the OpenAPI document, and checks the answers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ABLE_PLUGINS } from '../fakes/daemon/able-session.ts';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { schemathesis } from '../setup/openapi-tools.ts';

export interface FuzzOptions {
  /** At most this many requests for each operation in each phase of schemathesis. */
  readonly examples: number;
  readonly phases: string;
  readonly seed: number;
}

export interface FuzzResult {
  /** The output of schemathesis, including its failures. */
  readonly report: string;
  readonly failed: boolean;
  readonly requests: number;
  /** The number of answers for each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The errors that the daemon logged, except of type `Fault`: work that a request starts may end with a `Fault`. */
  readonly errors: readonly object[];
}

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

export async function fuzzApi(options: FuzzOptions): Promise<FuzzResult> {
  await using daemon = await DaemonProcess.start({
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware,able-hardware,manual-management',
    IRONIC_DEFAULT__DEBUG: 'true',
    IRONIC_PLUGINS__PATH: ABLE_PLUGINS,
    IRONIC_CONDUCTOR__NODE_LOCKED_RETRY_ATTEMPTS: '1',
  });
  const { exit, report } = await runSchemathesis(daemon.url, options);
  // the daemon still answers in time
  await daemon.request('GET', '/v1/nodes');
  const answered = daemon.log.filter(({ msg }) => msg === 'request');
  return {
    report,
    failed: exit !== 0,
    requests: answered.length,
    statuses: Object.fromEntries(
      [...Map.groupBy(answered, ({ status }) => String(status))].map(([status, all]) => [status, all.length]),
    ),
    errors: daemon.log.filter(({ level, error }) => level === 'error' && typeOf(error) !== 'Fault'),
  };
}

const typeOf = (error: unknown) => (error as { type?: string } | undefined)?.type;

async function runSchemathesis(url: string, { examples, phases, seed }: FuzzOptions) {
  const directory = mkdtempSync(join(tmpdir(), 'fuzz-'));
  try {
    const words = [
      ['run', `${url}/openapi.json`, '--url', url, '--checks', CHECKS.join(',')],
      ['--phases', phases, '--max-examples', String(examples), '--seed', String(seed)],
      ['--continue-on-failure', '--no-shrink', '--no-color', '--warnings', 'off'],
      ['--generation-database', 'none', '--suppress-health-check', 'all', '--request-timeout', '20'],
    ];
    const child = spawn(schemathesis, words.flat(), {
      cwd: directory,
      env: { ...process.env, SCHEMATHESIS_HOOKS: 'steer', PYTHONPATH: join(import.meta.dirname, 'inputs') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [report, [exit]] = await Promise.all([
      text(child.stdout),
      once(child, 'close') as Promise<[number]>,
    ]);
    return { report, exit };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
