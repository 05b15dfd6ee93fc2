import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { completionCommand } from '../../../daemon/cli/completion-command.ts';
import { enrolNode, startListening } from '../../fakes/listening-daemon.ts';
import { runCommand } from '../../fakes/run-command.ts';

const FOLDER = path.join(import.meta.dirname, '../../../daemon/cli');
const run = promisify(execFile);

/** What bash offers for the last of the words. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const script = `source <(ironic-edge completion bash)
COMP_WORDS=(ironic-edge "$@"); COMP_CWORD=$#; _ironic_edge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = {
    ...process.env,
    PATH: `${FOLDER}:${process.env['PATH'] ?? ''}`,
    OS_ENDPOINT: 'http://127.0.0.1:1',
  };
  const { stdout } = await run('bash', ['-c', script, 'bash', ...words], { env });
  return stdout.split('\n').filter(Boolean);
}

test('bash completes commands, their commands and their options', async () => {
  assert.deepEqual(await offered('quar'), ['quarantine']);
  assert.deepEqual(await offered('node', ''), ['list', 'console', 'timeline', 'unknown', '--help']);
  assert.deepEqual(await offered('node', 'list', '--pro'), ['--provision-state']);
  assert.deepEqual(await offered('nothing', ''), []);
});

test('names of nodes are offered where a command takes a node', async (t) => {
  const { url } = await startListening(t, {});
  await enrolNode(url, { driver: 'fake-hardware', name: 'rack-1' });
  const uuid = await enrolNode(url, { driver: 'fake-hardware' });
  const command = completionCommand(async (words) =>
    words.length === 1 ? ['NODE|MACHINE', '--json'] : ['FILE'],
  );
  const words = (line: string) =>
    runCommand((context) => command(['words', line], context), { OS_ENDPOINT: url });
  const listed = (await words('timeline')).out.split('\n').filter(Boolean);
  assert.deepEqual(listed.toSorted(), ['--json', 'rack-1', uuid].toSorted());
  assert.equal((await words('timeline rack-1')).out, '');
});
