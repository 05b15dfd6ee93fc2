// Images for tests: disks with an empty partition table, and the files that qemu-img makes of them.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { WebSettings } from '../../daemon/images/sources/web-server.ts';
import { addressRule } from '../../daemon/lib/network/address-rule.ts';
import { hurriedClock } from './clock.ts';

export const MEBIBYTE = 1_048_576;

/** Allows downloads from servers on loopback. */
export const loopbackWeb: WebSettings = {
  clock: hurriedClock,
  rule: addressRule(['127.0.0.0/8']),
  verifyCa: 'True',
  silenceSeconds: 86_400,
};

/** A disk with an empty MBR partition table, and `text` from the second sector on. */
export function disk(text = 'a disk', bytes = MEBIBYTE): Buffer {
  const content = Buffer.alloc(bytes);
  content.set([0x55, 0xaa], 510);
  content.write(text, 512);
  return content;
}

/** `words`: further arguments of `qemu-img convert`, such as `-c`. */
export function qemuImage(
  t: TestContext,
  format: string,
  content: Buffer,
  ...words: readonly string[]
): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), 'qemu-image-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [from, to] = [path.join(folder, 'raw'), path.join(folder, 'made')];
  writeFileSync(from, content);
  execFileSync('qemu-img', ['convert', '-f', 'raw', '-O', format, ...words, from, to]);
  return readFileSync(to);
}

export const digest = (content: Buffer | string, algorithm = 'sha256') =>
  createHash(algorithm).update(content).digest('hex');
