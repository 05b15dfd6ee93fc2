// Kexec on a machine with Secure Boot: a kernel without a signature is refused, with the reason.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../case.ts';
import { makeDiskImage } from '../rig/disk-image.ts';
import { instanceRamdisk } from '../rig/small-ramdisk.ts';
import type { Site } from '../site.ts';
import { bootsOf, kexecEvents, MEMORY_MEBIBYTES, providedForKexec, SECONDS } from './kexec.ts';

export const secureKexecs: readonly Case[] = [{ name: 'kexec-unsigned', run: refuseUnsigned }];

async function refuseUnsigned(site: Site) {
  const image = await unsignedImage(site);
  const machine = await site.addMachine('uefi-secure-boot', MEMORY_MEBIBYTES);
  // shim and GRUB have the signatures that the firmware asks for
  const enrolment = await providedForKexec(site, { machine, mode: 'uefi', image, bootInterface: 'pxe' });
  await enrolment.reach({ target: 'active' }, 'active', SECONDS);
  const [refusal = '', ...others] = await kexecEvents(enrolment);
  assert.match(
    refusal,
    /^boots its instance through the firmware, not by kexec: .*Secure Boot: it has no signature/,
  );
  assert.deepEqual(others, []);
  assert.equal(bootsOf(machine), 2);
  return enrolment.timeline();
}

/** An image whose kernel is that of the ramdisk without its signature. */
async function unsignedImage({ folder, images }: Site): Promise<string> {
  const [image, kernel] = [join(folder, 'unsigned.qcow2'), join(folder, 'unsigned')];
  const { kernel: signed, ramdisk } = images.agent;
  writeFileSync(kernel, withoutSignature(readFileSync(signed)));
  makeDiskImage(image, { kernel, ramdisk: await instanceRamdisk(ramdisk) });
  return image;
}

/** Where a 64-bit PE file has the offset of its header, and in that header the place and the length of its signatures. */
const [NAMES_HEADER, NAMES_SIGNATURES] = [0x3c, 0xa8] as const;

function withoutSignature(kernel: Buffer): Buffer {
  const entry = kernel.readUInt32LE(NAMES_HEADER) + NAMES_SIGNATURES;
  const end = kernel.readUInt32LE(entry);
  assert.ok(end > 0 && end < kernel.length, 'the kernel has a signature');
  const rest = Buffer.from(kernel.subarray(0, end));
  rest.fill(0, entry, entry + 8);
  return rest;
}
