// npm test: installs the Debian packages and Python programs that the tests use, then runs all tests or those named as arguments.
// Folders and files pick tests, arguments with a dash go to node's test runner; --without-packages installs nothing. --fast: only the
// tests that need no other program, many in one process.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { installIronic } from './differential/ironic-process.ts';
import { installLitestream } from './setup/litestream.ts';
import { installNewestAgent } from './setup/newest-agent.ts';
import { installNewestClient } from './setup/newest-client.ts';
import { installOneviewSdk } from './setup/oneview-sdk.ts';
import { installOpenApiTools } from './setup/openapi-tools.ts';
import { installOpenstackClients } from './setup/openstack-clients.ts';
import { installRedfishValidator } from './setup/redfish-validator.ts';
import { installSushyTools } from './setup/sushy-tools.ts';
import { type DebianPackage, install, missingPackages } from './setup/packages.ts';

/** No limit of speed: a test that takes this long hangs. */
const TEST_TIMEOUT_MILLISECONDS = 900_000;
/** A run that takes this long hangs. The runner then names the tests that it waits for. */
const RUN_TIMEOUT_MILLISECONDS = 4_200_000;

/**
 * A process that ends while V8's Maglev compiles in another thread can wait for that thread forever (nodejs/node#54918), and
 * --test-force-exit ends processes early.
 */
const NO_MAGLEV = '--no-maglev';

/** Folders whose tests neither start programs nor change their process. */
const FAST = ['api', 'conductor', 'config', 'db', 'http', 'lib', 'model'].map(
  (room) => `test/daemon/${room}`,
);

function main(words: readonly string[]): number {
  process.chdir(path.join(import.meta.dirname, '..'));
  const folder = mkdtempSync(path.join(tmpdir(), 'tests-'));
  try {
    return words.includes('--fast') ? runFast(folder) : installAndRun(words, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function installAndRun(words: readonly string[], folder: string): number {
  const withoutPackages = words.includes('--without-packages');
  const missing = stillMissing(withoutPackages);
  if (missing.length > 0) {
    const parts = missing.map((each) => `${each.for} (${each.name})`).join('; ');
    console.error(`Missing Debian packages: ${parts}. --without-packages skips the tests that need them.`);
    if (!withoutPackages) return 1;
  }
  const installs = [
    installLitestream,
    installNewestAgent,
    installNewestClient,
    () => installIronic('newest'),
    installOpenApiTools,
    installOneviewSdk,
    installOpenstackClients,
    installRedfishValidator,
    installSushyTools,
  ];
  if (!withoutPackages && !installs.every((each) => each())) {
    console.error('Missing Python programs from PyPI. --without-packages skips the tests that need them.');
    return 1;
  }
  return runTests(
    words.filter((word) => word !== '--without-packages'),
    folder,
  );
}

/** Runs the files of FAST in two processes. */
function runFast(folder: string): number {
  const files = halvesOf(FAST.flatMap(testFiles), folder);
  const options = ['--test', '--test-concurrency=2', '--test-reporter=dot', ...files];
  return spawnSync(process.execPath, options, { stdio: 'inherit' }).status ?? 1;
}

/**
 * Writes into the folder two files that import one half of the test files each, and returns their paths: what most tests import is
 * then loaded twice, not once for each file.
 */
function halvesOf(files: readonly string[], folder: string): readonly string[] {
  return [0, 1].map((half) => {
    const lines = files
      .filter((_, index) => index % 2 === half)
      .map((file) => `import ${JSON.stringify(path.resolve(file))};\n`);
    const together = path.join(folder, `half-${half}.test.mjs`);
    writeFileSync(together, lines.join(''));
    return together;
  });
}

function stillMissing(withoutPackages: boolean): readonly DebianPackage[] {
  const missing = missingPackages();
  return withoutPackages || missing.length === 0 || !install(missing) ? missing : missingPackages();
}

const isFast = (file: string): boolean => FAST.some((room) => file.startsWith(`${room}/`));

function runTests(words: readonly string[], folder: string): number {
  const options = words.filter((word) => word.startsWith('-'));
  const named = words.filter((word) => !word.startsWith('-'));
  const found = (named.length === 0 ? ['test'] : named).flatMap(testFiles);
  const files =
    named.length === 0
      ? [...halvesOf(found.filter(isFast), folder), ...found.filter((file) => !isFast(file))]
      : found;
  if (files.length === 0) {
    console.error(`No test file (*.test.ts) under ${named.join(' ')}.`);
    return 1;
  }
  // a test that exceeds its time never comes to the end of its `await using`: what it has started would keep its file running forever
  // three at once on two processors, because many tests wait for programs and timers
  const limits = ['--test-concurrency=3', `--test-timeout=${TEST_TIMEOUT_MILLISECONDS}`, '--test-force-exit'];
  const runner = (...reporters: readonly string[]) =>
    spawnSync(process.execPath, [NO_MAGLEV, '--test', ...reporters, ...limits, ...options, ...files], {
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: RUN_TIMEOUT_MILLISECONDS,
      killSignal: 'SIGINT',
    }).status ?? 1;
  if (process.stdout.isTTY) return runner('--test-reporter=spec');
  return withFailuresLast(path.join(folder, 'spec'), (spec) =>
    runner(
      // TAP, because a CI system can read the counts at its end, in lines such as "# tests N" and "# pass N"
      '--test-reporter=tap',
      '--test-reporter-destination=stdout',
      '--test-reporter=spec',
      `--test-reporter-destination=${spec}`,
    ),
  );
}

/** Calls `run`, which writes its spec report to `spec`. Then prints the failed tests of that report: a log ends with them. */
function withFailuresLast(spec: string, run: (spec: string) => number): number {
  const status = run(spec);
  const report = readFileSync(spec, 'utf8');
  const failures = report.indexOf('\u2716 failing tests:');
  if (failures >= 0) console.log(report.slice(failures));
  return status;
}

function testFiles(place: string): readonly string[] {
  if (statSync(place, { throwIfNoEntry: false })?.isFile() === true) return [place];
  return globSync(`${place}/**/*.test.ts`, { exclude: ['test/fixtures/**', 'test/bench/**'] }).toSorted();
}

process.exitCode = main(process.argv.slice(2));
