import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { listeningProcess } from '../../../daemon/listener/listening-process.ts';

/** Starts a process that listens; returns its ID and its port, 0 for a socket file. */
async function listener(context: TestContext, place: string) {
  const script = `const s = require('node:net').createServer().listen(${place}, () => console.log(s.address().port ?? 0))`;
  const child = spawn(process.execPath, ['-e', script, 'somebody'], { stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => child.kill());
  for await (const line of createInterface({ input: child.stdout }))
    return { pid: child.pid, port: Number(line) };
  throw new Error('the process did not listen');
}

for (const [what, place] of [
  ['an IPv4', "0, '127.0.0.1'"],
  ['an IPv6', "0, '::1'"],
  ['every', '0'],
] as const)
  test(`a process that listens on a port of ${what} address is found`, async (context) => {
    const { pid, port } = await listener(context, place);
    const found = listeningProcess({ port });
    assert.ok(found?.startsWith(`process ${pid} ("${process.execPath} -e const s`), found);
    assert.ok((found ?? '').length < 150, found);
  });

test('a process that listens on a socket file is found', async (context) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'listening-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'api.sock');
  const { pid } = await listener(context, JSON.stringify(file));
  assert.ok(listeningProcess({ path: file })?.startsWith(`process ${pid} (`));
});

test('no process is named for a place where nothing listens', () => {
  assert.equal(listeningProcess({ port: 1 }), undefined);
  assert.equal(listeningProcess({ path: '/nonexistent.sock' }), undefined);
});
