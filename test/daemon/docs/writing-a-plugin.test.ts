// Runs the commands of the tutorial for vendors. Changes only the two ports, and waits until each server listens.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { skipWithout } from '../../setup/packages.ts';

const root = path.join(import.meta.dirname, '../../..');
const page = readFileSync(path.join(root, 'daemon/docs/writing-a-plugin.md'), 'utf8');

interface Block {
  readonly language: string;
  /** The file that the reader writes this block to. */
  readonly file: string | undefined;
  readonly content: string;
}

const blocks: readonly Block[] = [...page.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm)].map(
  ([, language = '', file, content = '']) => ({ language, file, content }),
);

/** Returns shell lines that run the command of a server and wait until `port` is open. */
const untilListening = (command: string, port: number) =>
  `${command}\nuntil (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; do read -t 0.1 <> <(:) || :; done`;

test('the tutorial prints the expected output', { skip: skipWithout('python3-ironicclient') }, async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ironic-edge-tutorial-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [machine, api] = [await freeTcpPort(), await freeTcpPort()];
  const script = blocks.flatMap(({ language, file, content }, at) => {
    if (file !== undefined) {
      writeFileSync(path.join(folder, `written-${at}`), content);
      return [`cp written-${at} ${file}`];
    }
    if (language !== 'sh') return [`echo "--- block ${at}"`];
    return content
      .replaceAll('8080', String(machine))
      .replaceAll('6385', String(api))
      .split('\n')
      .map((line) =>
        line.endsWith('&') ? untilListening(line, line.includes('serve') ? api : machine) : line,
      );
  });
  const child = spawn('bash', ['-e', '-c', `trap 'kill $(jobs -p)' EXIT\n${script.join('\n')}`], {
    cwd: folder,
    env: {
      ...process.env,
      // a test runner that inherits this variable runs no tests
      NODE_TEST_CONTEXT: undefined,
      PATH: `${path.join(root, 'daemon/cli')}:${process.env['PATH']}`,
      IRONIC_API__PORT: String(api),
      IRONIC_DEFAULT__STATE_PATH: folder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [exit]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  assert.equal(exit, 0, `${output}${errors}`);
  const parts = output.split(/^--- block \d+$/m);
  const expected = blocks.filter(({ language }) => language === 'text');
  assert.equal(parts.length, expected.length + 1);
  for (const [at, { content }] of expected.entries())
    for (const line of content.trim().split('\n'))
      assert.ok(
        parts[at]?.includes(line),
        `the commands before "${line}" did not print that line, but: ${parts[at]}`,
      );
});
