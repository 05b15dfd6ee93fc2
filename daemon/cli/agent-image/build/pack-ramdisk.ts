// Packs a tree into an initramfs: a cpio archive, compressed with zstd.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';

const LEVEL = 12;

export async function packRamdisk(tree: string, ramdisk: string): Promise<void> {
  const words = ['--null', '--create', '--format=newc', '--quiet', '--reproducible'];
  const cpio = spawn('cpio', words, { cwd: tree, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => {
    cpio.on('exit', resolve);
  });
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
  const packed = pipeline(cpio.stdout, zstd, createWriteStream(ramdisk, { mode: 0o644 }));
  cpio.stdin.end(pathsIn(tree).join('\0'));
  await packed;
  const status = await ended;
  if (status !== 0) throw new Error(`cpio ended with status ${status} while it packed ${tree}`);
}

/** Every path below `tree`, folders before what is in them. */
function pathsIn(tree: string, folder = ''): readonly string[] {
  return readdirSync(join(tree, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...pathsIn(tree, path)] : [path];
  });
}

export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
