import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOptional } from '../../../daemon/boot/optional-files.ts';

test('a missing file that iPXE, shim or GRUB asks for but can do without is no failure', () => {
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

test('any other missing file is a failure', () => {
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
