// npm test: installs the Debian packages and Python programs that the tests drive, then runs every test, or those named as arguments.
// Folders and files pick tests, arguments with a dash go to node's test runner; --without-packages installs nothing.
import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
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
    console.error(`Cannot run: missing Debian packages ${parts}. --without-packages runs the rest.`);
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
    console.error('Cannot run: missing Python programs from PyPI. --without-packages runs the rest.');
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
  // tap ends with "# tests N", "# pass N" wherever its output goes; spec is for people, and lists the failed tests itself
  const reporters = process.stdout.isTTY ? ['spec'] : ['tap', './test/setup/list-failures.ts'];
  const reports = reporters.flatMap((each) => [
    `--test-reporter=${each}`,
    '--test-reporter-destination=stdout',
  ]);
  const limits = ['--test-concurrency=2', `--test-timeout=${TEST_TIMEOUT_MILLISECONDS}`];
  const args = ['--test', ...reports, ...limits, ...options, ...files];
  return spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1;
}

function testFiles(place: string): readonly string[] {
  if (statSync(place, { throwIfNoEntry: false })?.isFile() === true) return [place];
  return globSync(`${place}/**/*.test.ts`, { exclude: ['test/fixtures/**', 'test/bench/**'] }).toSorted();
}

process.exitCode = main(process.argv.slice(2));
