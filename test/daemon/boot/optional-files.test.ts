import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOptional } from '../../../daemon/boot/optional-files.ts';

test('what iPXE, shim and GRUB look for first may be missing', () => {
  for (const name of [
    'autoexec.ipxe',
    'revocations.efi',
    'revocations_sbat.efi',
    'shim_certificate_0.efi',
    '/grub/x86_64-efi/command.lst',
    'grub/arm64-efi/fs.lst',
  ])
    assert.equal(isOptional(name), true, name);
});

test('what a boot needs may not be missing', () => {
  for (const name of [
    'snponly.efi',
    'bootx64.efi',
    'grub/grub.cfg',
    'boot.ipxe',
    'nodes/1/kernel',
    'a.lst',
    '',
  ])
    assert.equal(isOptional(name), false, name);
});
