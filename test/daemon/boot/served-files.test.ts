import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createServedFiles, type Served } from '../../../daemon/boot/served-files.ts';

const bytes = (text: string): Served => ({ kind: 'bytes', bytes: Buffer.from(text) });

describe('the table of served names', () => {
  it('serves what is published, with and without a leading slash, and nothing else', () => {
    const files = createServedFiles();
    files.publish('loaders', { 'snponly.efi': bytes('a') });
    assert.deepEqual(files.find('snponly.efi'), bytes('a'));
    assert.deepEqual(files.find('/snponly.efi'), bytes('a'));
    for (const name of [
      '',
      '/',
      '//snponly.efi',
      '../snponly.efi',
      '__proto__',
      'constructor',
      'SNPONLY.EFI',
    ])
      assert.equal(files.find(name), undefined, name);
  });

  it('replaces all that an owner published before', () => {
    const files = createServedFiles();
    files.publish('node-1', { 'node-1/kernel': bytes('old'), 'node-1/ramdisk': bytes('old') });
    files.publish('node-1', { 'node-1/kernel': bytes('new') });
    assert.deepEqual(files.find('node-1/kernel'), bytes('new'));
    assert.equal(files.find('node-1/ramdisk'), undefined);
  });

  it('withdraws only what the given owner published, even under a name that two owners share', () => {
    const files = createServedFiles();
    files.publish('node-1', { shared: bytes('1') });
    files.publish('node-2', { shared: bytes('2') });
    files.withdraw('node-1');
    assert.deepEqual(files.find('shared'), bytes('2'));
    files.withdraw('node-2');
    assert.equal(files.find('shared'), undefined);
  });
});
