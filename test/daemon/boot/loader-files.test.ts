import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loaderFiles } from '../../../daemon/boot/loader-files.ts';
import { createLogger } from '../../../daemon/lib/logger.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loaders-')));
after(() => rmSync(folder, { recursive: true }));

test('loaders are found through symbolic links; one that is missing is logged and left out', () => {
  const path = join(folder, 'ipxe-1.efi');
  writeFileSync(path, 'x');
  symlinkSync(path, join(folder, 'ipxe.efi'));
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    mask: (fields) => fields,
    destination: { write: (line) => void lines.push(line) },
  });
  const pairs = [`boot/ipxe.efi:${folder}/ipxe.efi`, `shim.efi:${folder}/shim.efi`];
  assert.deepEqual(loaderFiles(pairs, log), { 'boot/ipxe.efi': { kind: 'file', path } });
  assert.equal(lines.length, 1);
  assert.match(lines.join(), /"name":"shim\.efi".*ENOENT.*the file cannot be found and is not served/);
});
