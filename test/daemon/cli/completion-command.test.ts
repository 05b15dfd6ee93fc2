import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { completionCommand } from '../../../daemon/cli/completion-command.ts';
import { enrolNode, startListening } from '../../fakes/daemon/listening-daemon.ts';
import { skipWithout } from '../../setup/packages.ts';
import { runCommand } from '../../fakes/clients/run-command.ts';

const FOLDER = path.join(import.meta.dirname, '../../../daemon/cli');
const run = promisify(execFile);

const environment = {
  ...process.env,
  PATH: `${FOLDER}:${process.env['PATH'] ?? ''}`,
  OS_ENDPOINT: 'http://127.0.0.1:1',
};

/** What bash offers for the last of the words. */
async function offered(
  variables: NodeJS.ProcessEnv,
  ...words: readonly string[]
): Promise<readonly string[]> {
  const script = `source <(ironic-edge completion bash)
COMP_WORDS=(ironic-edge "$@"); COMP_CWORD=$#; _ironic_edge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', script, 'bash', ...words], {
    env: { ...environment, ...variables },
  });
  return stdout.split('\n').filter(Boolean);
}

test('bash completes commands, subcommands and options', async () => {
  assert.deepEqual(await offered({}, 'quar'), ['quarantine']);
  assert.deepEqual(await offered({}, 'node', 'power', 'o'), ['on', 'off']);
  assert.deepEqual(await offered({}, 'node', 'create', 'resource_'), ['resource_class=']);
  assert.deepEqual(await offered({}, 'node', 'list', '--pro'), ['--provision-state']);
  assert.deepEqual(await offered({}, 'nothing', ''), []);
});

test('a name from the API is never run, and only names that are plain words are offered', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'completion-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const uuids = Array.from({ length: 4 }, (_, index) => `0000000${index}-0000-4000-8000-000000000000`);
  const names = [`$(touch ${folder}/run)`, `\`touch ${folder}/run\``, 'a;reboot', 'plain-1.example'];
  const nodes = names.map((name, index) => ({ name, uuid: uuids[index] }));
  const server = createHttpServer((_, response) => response.end(JSON.stringify({ nodes })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const OS_ENDPOINT = `http://127.0.0.1:${port}`;
  const shown = await offered({ OS_ENDPOINT }, 'node', 'show', '');
  assert.deepEqual(
    shown.filter((word) => !word.startsWith('--')),
    [...uuids.slice(0, 3), 'plain-1.example'],
  );
  assert.deepEqual(readdirSync(folder), []);
});

/** What fish offers after the line. */
async function offeredByFish(line: string): Promise<readonly string[]> {
  const script = `ironic-edge completion fish | source; complete -C '${line}'`;
  const { stdout } = await run('fish', ['--no-config', '-c', script], { env: environment });
  return stdout.split('\n').filter(Boolean);
}

test('fish completes commands and options', { skip: skipWithout('fish') }, async () => {
  assert.deepEqual(await offeredByFish('ironic-edge quar'), ['quarantine']);
  // fish adds the names of files, in an order of its own
  const verbs = await offeredByFish('ironic-edge node power ');
  for (const verb of ['on', 'off', 'reboot', '--help']) assert.ok(verbs.includes(verb), verbs.join(' '));
});

test(
  'zsh with the installed script completes a command at the first Tab key',
  { skip: skipWithout('zsh') },
  async (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'site-functions-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const { stdout } = await run('ironic-edge', ['completion', 'zsh'], { env: environment });
    writeFileSync(path.join(folder, '_ironic-edge'), stdout);
    const shell = spawn('script', ['-qefc', 'zsh -f -i', '/dev/null'], {
      env: { ...environment, TERM: 'dumb' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    const sees = async (text: string) => {
      for await (const piece of on(shell.stdout, 'data')) {
        shown += String(piece);
        if (shown.includes(text)) return;
      }
    };
    shell.stdin.write(`fpath=(${folder} $fpath); autoload -U compinit; compinit -D -u; PS1='rea''dy> '\n`);
    await sees('ready> ');
    shell.stdin.write('ironic-edge quar\t');
    await sees('ironic-edge quarantine');
    shell.stdin.end('\u0003exit\n');
    await once(shell, 'exit');
  },
);

test('when the daemon does not answer, a shell gets the options and no names of nodes', async (t) => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const env = { ...environment, OS_ENDPOINT: `http://127.0.0.1:${port}` };
  const { stdout, stderr } = await run('ironic-edge', ['completion', 'words', 'node show'], { env });
  assert.deepEqual([stdout, stderr], ['--format\n--json\n--column\n--sort-column\n--help\n', '']);
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

test('names of other records are offered where a command or an option takes one', async (t) => {
  const { url } = await startListening(t, {});
  const words = async (line: string) =>
    (await run('ironic-edge', ['completion', 'words', line], { env: { ...environment, OS_ENDPOINT: url } }))
      .stdout;
  await fetch(`${url}/v1/runbooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'openstack-api-version': 'baremetal 1.92' },
    body: JSON.stringify({
      name: 'CUSTOM_BOOK',
      steps: [{ interface: 'bios', step: 'factory_reset', args: {}, order: 1 }],
    }),
  });
  assert.match(await words('runbook show'), /^CUSTOM_BOOK\n--/);
  assert.match(await words('node clean a --runbook'), /^CUSTOM_BOOK\n$/);
  assert.match(await words('driver properties'), /^(\S+\n)*fake-hardware\n/);
  assert.match(await words('driver passthru call'), /^(\S+\n)*fake-hardware\n/);
});
