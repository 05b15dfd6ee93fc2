// Runs the program that connects to a machine's serial line. Does not start it again when it ends.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { SerialProgram } from '../../plugin-api/index.ts';
import { consoleLimits } from '../limits.ts';

export interface SerialConnection {
  /**
   * Writes the bytes to the program, without the characters in `SerialProgram.withheld`. Returns false and writes nothing if the
   * program has too many earlier bytes still to read.
   */
  write(bytes: Buffer): boolean;
  end(): void;
  /**
   * Resolves when the program has ended. If the line had been connected, resolves with the last part of the error output since
   * then, otherwise with the last part of all output and error output. If the program could not be started, resolves with the
   * reason.
   */
  readonly ended: Promise<string>;
}

interface Watcher {
  /** Called once, when the line is connected. */
  connected(): void;
  shown(bytes: Buffer): void;
}

/** Throws when `program.secret` cannot be written to a file. */
export function runSerialProgram(program: SerialProgram, watcher: Watcher): SerialConnection {
  const secret = unlinkedFile(program.secret);
  try {
    const child = spawn(program.command, program.arguments, {
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      stdio: ['pipe', 'pipe', 'pipe', secret],
    }) as ChildProcessByStdio<Writable, Readable, Readable>;
    return connectionTo(child, program, watcher);
  } finally {
    closeSync(secret);
  }
}

function connectionTo(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  { command, connectedBy, withheld }: SerialProgram,
  watcher: Watcher,
): SerialConnection {
  const forbidden = Buffer.from(withheld, 'latin1');
  let remarks = '';
  let isConnected = false;
  const remark = (bytes: Buffer) => {
    remarks = (remarks + bytes.toString('latin1')).slice(-consoleLimits.remarkBytes);
  };
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`${command}: ${error.message}`));
    child.on('close', () => resolve(remarks));
  });
  // the program could not be started; if the reason is too many open files, the child process has no streams either
  if (child.pid === undefined) return { ended, write: () => true, end() {} };
  child.stdout.on('data', (bytes: Buffer) => {
    if (isConnected) return watcher.shown(bytes);
    remark(bytes);
    const start = remarks.indexOf(connectedBy);
    if (start < 0) return;
    isConnected = true;
    watcher.connected();
    const first = remarks.slice(start + connectedBy.length);
    remarks = '';
    if (first !== '') watcher.shown(Buffer.from(first, 'latin1'));
  });
  child.stderr.on('data', remark);
  // the program may end before it has read its input
  child.stdin.on('error', () => {});
  return {
    ended,
    write(bytes) {
      if (child.stdin.writableLength > consoleLimits.unreadBytes) return false;
      child.stdin.write(bytes.filter((byte) => !forbidden.includes(byte)));
      return true;
    },
    end: () => void child.kill(),
  };
}

/** A file without a name: only holders of its descriptor can read it, and it vanishes when the last one closes it. */
function unlinkedFile(content: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-edge-console-'));
  try {
    const file = openSync(join(folder, 'secret'), 'wx+', 0o600);
    writeSync(file, content);
    return file;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
