// An emulated machine without a disk whose firmware is iPXE.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';

const QEMU = '/usr/bin/qemu-system-x86_64';

export const withoutQemu: string | false =
  !existsSync(QEMU) && 'the Debian package qemu-system-x86 is not installed';

/**
 * Boots the machine over QEMU's own network, described as its option `-nic` takes it. Resolves to what the screen has shown when that
 * contains `text`, or when the machine has ended.
 */
export async function screenOfNetworkBoot(t: TestContext, network: string, text: string): Promise<string> {
  const machine = spawn(
    QEMU,
    ['-m', '256', '-nographic', '-monitor', 'none', '-serial', 'stdio', '-boot', 'n', '-nic', network],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  t.after(() => machine.kill('SIGKILL'));
  let screen = '';
  for await (const chunk of machine.stdout) {
    screen += String(chunk);
    if (screen.includes(text)) break;
  }
  machine.kill('SIGKILL');
  return screen;
}

/** A boot sector, padded to `bytes`, that writes the text to the first serial port and halts. */
export function bootSectorThatSays(text: string, bytes: number): Buffer {
  const code = '31c08ed8be157cac84c07406baf803eeebf5f4ebfd';
  return Buffer.concat([Buffer.from(code, 'hex'), Buffer.from(`${text}\r\n\0`)], bytes);
}
