import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const COMMAND = path.join(import.meta.dirname, '../../../daemon/cli/ironic-edge');

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(COMMAND, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('every command that help lists prints its usage for --help', () => {
  const help = run('help');
  assert.deepEqual(run(), help);
  assert.deepEqual(run('--help'), help);
  const listed = [...help.stdout.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  const names = new Set(listed.filter((name) => name !== 'help'));
  assert.ok(names.size >= 10, String(names.size));
  for (const name of names) {
    const { status, stdout, stderr } = run(name, '--help');
    assert.deepEqual([status, stderr], [0, ''], name);
    assert.match(stdout, new RegExp(`^usage: ironic-edge ${name}[ \\n]`));
  }
});

test('--version prints the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  const printed = { status: 0, stdout: `ironic-edge ${version}\n`, stderr: '' };
  assert.deepEqual(run('--version'), printed);
  assert.deepEqual(run('version'), printed);
});

test('a mistyped command is refused with the command that was probably meant', () => {
  assert.match(run('deploy').stderr, /there is no command "deploy"; did you mean "node deploy"\?\n/);
  assert.match(run('sevre').stderr, /there is no command "sevre"; did you mean "serve"\?\n/);
});

test('an unknown command is refused with the names of the known commands', () => {
  const { status, stdout, stderr } = run('fly');
  assert.deepEqual([status, stdout], [2, '']);
  assert.match(stderr, /^usage: ironic-edge COMMAND/);
  assert.match(
    stderr,
    /\nironic-edge: there is no command "fly": expected one of setup, serve, config, doctor, backup, restore, standby, bmc, quarantine, node, /,
  );
});

test('a configuration file that does not exist is reported, with exit code 78', () => {
  const { status, stdout, stderr } = run('serve', '--config-file', '/nonexistent');
  assert.deepEqual([status, stdout], [78, '']);
  assert.match(
    stderr,
    /^ironic-edge: the configuration is invalid.*\n +\/nonexistent: no such file; correct/,
  );
});

test('a command whose output nobody reads exits with 0 and without a message', () => {
  const line = `'${COMMAND}' config document | true; exit "\${PIPESTATUS[0]}"`;
  const { status, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});

test('a command that cannot reach the API exits with code 5', () => {
  const OS_ENDPOINT = 'http://127.0.0.1:1';
  const { status, stderr } = spawnSync(COMMAND, ['node', 'list'], {
    encoding: 'utf8',
    env: { ...process.env, OS_ENDPOINT },
  });
  assert.equal(status, 5);
  assert.match(stderr, /^ironic-edge: Cannot reach the API at http:\/\/127\.0\.0\.1:1: /);
});
