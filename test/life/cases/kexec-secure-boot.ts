// Kexec on machines with Secure Boot: a kernel without a signature is refused, with the reason; the whole Debian of a cloud image is
// started by kexec, and at its next boot by the firmware.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Case } from '../case.ts';
import { makeDiskImage } from '../rig/disk-image.ts';
import { instanceRamdisk } from '../rig/small-ramdisk.ts';
import { WebServer } from '../rig/web-server.ts';
import type { Site } from '../site.ts';
import { bootsOf, kexecEvents, MEMORY_MEBIBYTES, providedForKexec, SECONDS } from './kexec.ts';

// an emulated Debian with systemd takes minutes until it asks for an address, and a busy host makes them more
const [KEXEC_SECONDS, CLOUD_SECONDS] = [1200, 2400] as const;

export const secureKexecs: readonly Case[] = [
  { name: 'kexec-unsigned', run: refuseUnsigned },
  { name: 'kexec-cloud', run: deployCloudImage },
];

/** The cases that boot the cloud image. */
export const cloudKexecs: readonly Case[] = secureKexecs.filter(({ name }) => name === 'kexec-cloud');

async function refuseUnsigned(site: Site) {
  const image = await unsignedImage(site);
  const { machine, enrolment } = await provided(site, image);
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

async function deployCloudImage(site: Site) {
  const { cloudImage } = site.images;
  assert.ok(cloudImage !== undefined);
  await using web = await WebServer.listen(cloudImage);
  const { machine, enrolment } = await provided(site, cloudImage);
  const configdrive = {
    meta_data: { hostname: 'cloud-1' },
    user_data: userData(web.reportUrl),
    network_data: {
      links: [{ id: 'card', type: 'phy', ethernet_mac_address: machine.mac }],
      networks: [{ id: 'network', link: 'card', type: 'ipv4_dhcp', network_id: 'provisioning' }],
      services: [],
    },
  };
  await enrolment.reach({ target: 'active', configdrive }, 'active', CLOUD_SECONDS);
  const [started = '', ...others] = await kexecEvents(enrolment);
  assert.match(started, /^runs its instance, started by kexec: .*\/vmlinuz-/);
  assert.deepEqual(others, []);
  const expected = { name: 'cloud-1', secureBoot: true };
  assert.deepEqual(await web.takeReport(CLOUD_SECONDS), { ...expected, kexec: true });
  assert.equal(bootsOf(machine), 1);

  await enrolment.power('rebooting');
  assert.deepEqual(await web.takeReport(CLOUD_SECONDS), { ...expected, kexec: false });
  assert.equal(bootsOf(machine), 2);
  return enrolment.timeline();
}

async function provided(site: Site, image: string) {
  const machine = await site.addMachine('uefi-secure-boot', MEMORY_MEBIBYTES);
  const enrolment = await providedForKexec(site, {
    machine,
    mode: 'uefi',
    image,
    // shim and GRUB have the signatures that the firmware asks for
    bootInterface: 'pxe',
    kexecSeconds: KEXEC_SECONDS,
  });
  return { machine, enrolment };
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

/** At each boot, cloud-init runs a script that reports. */
const userData = (url: string): string => `#cloud-config
write_files:
- path: /var/lib/cloud/scripts/per-boot/report
  permissions: '0755'
  content: |
    #!/usr/bin/python3
    import glob, json, os, time, urllib.request
    with open('/proc/sys/kernel/bootloader_type') as kind, open(glob.glob('/sys/firmware/efi/efivars/SecureBoot-*')[0], 'rb') as secure:
        report = {'name': os.uname().nodename, 'secureBoot': secure.read()[4] == 1, 'kexec': kind.read().strip() == '208'}
    for attempt in range(60):
        try:
            urllib.request.urlopen('${url}', json.dumps(report).encode(), 10)
            break
        except OSError as reason:
            print(reason)
            time.sleep(2)
`;
