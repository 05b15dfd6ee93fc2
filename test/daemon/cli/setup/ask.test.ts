import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';

const ASK = path.join(import.meta.dirname, '../../../../daemon/cli/setup/ask.ts');

/** Asks on a real terminal; types each text after what it answers was shown. Returns what the terminal showed. */
async function onTerminal(
  isSecret: boolean,
  ...typed: readonly (readonly [shown: RegExp, text: string])[]
): Promise<string> {
  const code = `
    const { terminalReader } = await import(${JSON.stringify(ASK)});
    const read = terminalReader();
    try {
      for (;;) console.log(JSON.stringify(await read('What? \\u001b[31m ', ${isSecret})));
    } catch (error) {
      console.log(error.message + ' ' + error.exitCode);
    }`;
  const command = `exec "$NODE" --input-type=module --eval "$CODE"`;
  const terminal = spawn(
    'script',
    ['--quiet', '--flush', '--echo', 'never', '--command', command, '/dev/null'],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE: process.execPath, CODE: code },
    },
  );
  let shown = '';
  const waiting = [...typed];
  terminal.stdout.on('data', (piece: Buffer) => {
    shown += piece.toString();
    while (waiting[0] !== undefined && waiting[0][0].test(shown))
      terminal.stdin.write(waiting.shift()?.[1] ?? '');
  });
  await once(terminal, 'close');
  return shown;
}

test('a terminal is asked, and Ctrl-C at a question ends the command with code 130', async () => {
  const shown = await onTerminal(false, [/What/, 'br0\r'], [/"br0"[^]*What/, '\x03']);
  assert.match(shown, /"br0"[^]*Nothing was changed\. 130/);
  assert.ok(
    shown.includes(String.raw`What? \u001b[31m `),
    'what a prompt contains cannot control the terminal',
  );
});

test('so does Ctrl-D', async () => {
  assert.match(await onTerminal(false, [/What/, '\x04']), /Nothing was changed\. 130/);
});

test('a password is not shown while it is typed', async () => {
  const shown = await onTerminal(true, [/What/, 'geheim\r'], [/"geheim"[^]*What/, '\x03']);
  assert.equal(shown.split('geheim').length, 2, shown);
});
