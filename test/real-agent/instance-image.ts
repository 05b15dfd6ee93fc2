// A whole-disk image with a GUID partition table (GPT) and one partition.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { MEBIBYTE } from '../fakes/images.ts';

export function partitionedDisk(t: TestContext, bytes = 8 * MEBIBYTE): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'instance-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'disk');
  writeFileSync(file, '');
  truncateSync(file, bytes);
  execFileSync('sgdisk', ['--new=1:1M:+4M', file], { stdio: 'ignore' });
  return readFileSync(file);
}
