// npm test: installs the Debian packages and Python programs that the tests use, then runs all tests or those named as arguments.
// Folders and files pick tests, arguments with a dash go to node's test runner; --without-packages installs nothing.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
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

const TEST_TIMEOUT_MILLISECONDS = 300_000;

function main(words: readonly string[]): number {
  process.chdir(path.join(import.meta.dirname, '..'));
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
  return runTests(words.filter((word) => word !== '--without-packages'));
}

function stillMissing(withoutPackages: boolean): readonly DebianPackage[] {
  const missing = missingPackages();
  return withoutPackages || missing.length === 0 || !install(missing) ? missing : missingPackages();
}

function runTests(words: readonly string[]): number {
  const options = words.filter((word) => word.startsWith('-'));
  const named = words.filter((word) => !word.startsWith('-'));
  const files = (named.length === 0 ? ['test'] : named).flatMap(testFiles);
  if (files.length === 0) {
    console.error(`No test file (*.test.ts) under ${named.join(' ')}.`);
    return 1;
  }
  const limits = ['--test-concurrency=2', `--test-timeout=${TEST_TIMEOUT_MILLISECONDS}`];
  const runner = (...reporters: readonly string[]) =>
    spawnSync(process.execPath, ['--test', ...reporters, ...limits, ...options, ...files], {
      stdio: ['ignore', 'inherit', 'inherit'],
    }).status ?? 1;
  if (process.stdout.isTTY) return runner('--test-reporter=spec');
  return withFailuresLast((spec) =>
    runner(
      // TAP, because a CI system can read the counts at its end, in lines such as "# tests N" and "# pass N"
      '--test-reporter=tap',
      '--test-reporter-destination=stdout',
      '--test-reporter=spec',
      `--test-reporter-destination=${spec}`,
    ),
  );
}

/** Calls `run` with a path for its spec report, then prints the failed tests of that report, so that a log ends with them. */
function withFailuresLast(run: (spec: string) => number): number {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-report-'));
  try {
    const spec = path.join(folder, 'spec');
    const status = run(spec);
    const report = readFileSync(spec, 'utf8');
    const failures = report.indexOf('\u2716 failing tests:');
    if (failures >= 0) console.log(report.slice(failures));
    return status;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function testFiles(place: string): readonly string[] {
  if (statSync(place, { throwIfNoEntry: false })?.isFile() === true) return [place];
  return globSync(`${place}/**/*.test.ts`, { exclude: ['test/fixtures/**', 'test/bench/**'] }).toSorted();
}

process.exitCode = main(process.argv.slice(2));
