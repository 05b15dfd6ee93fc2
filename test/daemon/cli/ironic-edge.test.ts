import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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
    assert.ok(stdout.startsWith(`usage: ironic-edge ${name} `), stdout);
  }
});

test('an unknown command is refused with the names of the known commands', () => {
  const { status, stdout, stderr } = run('server');
  assert.deepEqual([status, stdout], [2, '']);
  assert.match(stderr, /^usage: ironic-edge COMMAND/);
  assert.match(
    stderr,
    /\nironic-edge: there is no command "server": expected one of serve, config, doctor, backup, restore, standby, quarantine, node, /,
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
