// Images for tests: disks with an empty partition table, the files that qemu-img makes of them, and their preparation.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { createImages, type SiteImages } from '../../daemon/images/images.ts';
import type { ImageRequest, Preparation } from '../../daemon/images/prepare-image.ts';
import type { WebSettings } from '../../daemon/images/sources/web-server.ts';
import { addressRule } from '../../daemon/lib/network/address-rule.ts';
import { createLogger } from '../../daemon/lib/logger.ts';
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

/** `roots`: the directories of file images. Registries are asked over HTTP. */
export const imagesIn = (
  stateDirectory: string,
  roots: readonly string[],
  settings: Partial<Preparation> = {},
): SiteImages =>
  createImages({
    stateDirectory,
    allowedRoots: roots,
    web: loopbackWeb,
    limits: { bytes: 2 ** 40, milliseconds: 2 ** 40 },
    served: () => new Set(),
    log: createLogger({ level: 'silent', mask: (fields) => fields }),
    stopping: new AbortController().signal,
    preparation: {
      permittedFormats: ['raw', 'gpt', 'qcow2', 'iso'],
      inspects: true,
      convertsToRaw: true,
      converterMebibytes: 2048,
      allowsMd5: false,
      registries: { usesHttp: true, tokenServers: [], loginsFile: null },
      ...settings,
    },
  });

export const imageRequest = (
  request: Partial<ImageRequest> & Pick<ImageRequest, 'source'>,
): ImageRequest => ({
  checksum: null,
  format: null,
  type: 'whole-disk',
  login: null,
  isStreamed: true,
  architecture: 'x86_64',
  pullSecret: null,
  ...request,
});
