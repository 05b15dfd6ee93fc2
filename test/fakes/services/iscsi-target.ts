// An iSCSI target on this host with one volume: Debian's tgtd, stopped when the test or the case ends.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface IscsiTarget {
  readonly port: number;
  readonly name: string;
  readonly lun: number;
  /** Returns what the volume holds now. */
  content(): Buffer;
}

interface Volume {
  /** The address of this host at which the target listens; the loopback address if missing. */
  readonly address?: string;
  readonly content: Buffer;
  /** The login (CHAP) that the target asks for. */
  readonly username: string;
  readonly password: string;
  readonly lun: number;
}

const NAME = 'iqn.2026-01.example.storage:disk-1';
const LOOPBACK = '127.0.0.1';

export async function startIscsiTarget(t: Pick<TestContext, 'after'>, volume: Volume): Promise<IscsiTarget> {
  const folder = mkdtempSync(path.join(tmpdir(), 'iscsi-target-'));
  const file = path.join(folder, 'volume');
  writeFileSync(file, volume.content);
  const { address = LOOPBACK, username, password, lun } = volume;
  const port = await freePort(address);
  const env = { ...process.env, TGT_IPC_SOCKET: path.join(folder, 'socket') };
  const target = spawn('/usr/sbin/tgtd', ['-f', '-C', '1', '--iscsi', `portal=${address}:${port}`], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => {
    // it ignores other signals while a machine is logged in
    target.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  // its last line before it takes orders
  await untilSaid(target.stderr, 'bs_init');
  const order = (...words: readonly string[]) =>
    run('/usr/sbin/tgtadm', ['-C', '1', '--lld', 'iscsi', ...words], { env });
  await order('--op', 'new', '--mode', 'target', '--tid', '1', '-T', NAME);
  await order('--op', 'new', '--mode', 'logicalunit', '--tid', '1', '--lun', String(lun), '-b', file);
  await order('--op', 'bind', '--mode', 'target', '--tid', '1', '-I', 'ALL');
  await order('--op', 'new', '--mode', 'account', '--user', username, '--password', password);
  await order('--op', 'bind', '--mode', 'account', '--tid', '1', '--user', username);
  return { port, name: NAME, lun, content: () => readFileSync(file) };
}

/** Resolves when the program has written the text. The rest is read, too, so that the program can go on writing. */
function untilSaid(output: Readable, text: string): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    output.on('data', (chunk: Buffer) => {
      said += String(chunk);
      if (said.includes(text)) resolve();
    });
    output.on('end', () => reject(new Error(`the program has ended: ${said}`)));
  });
}

/** Returns a port of an address of this host on which nobody listens. */
export async function freePort(host = LOOPBACK): Promise<number> {
  const server = createServer();
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
