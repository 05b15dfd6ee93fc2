// Network boots with one hop broken on purpose: the wait ends in time, and last_error and timeline show where the boot stopped.
import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../fakes/daemon/daemon-process.ts';
import type { Case } from '../case.ts';
import { Enrolment } from '../enrolment.ts';
import type { FirmwareKind } from '../rig/firmware.ts';
import type { Machine } from '../rig/machine.ts';
import { HOST, unplug } from '../rig/network.ts';
import { reference } from '../site.ts';

interface Removal {
  readonly machine: Machine;
  /** The kernel that the machine is to boot, a file of this case alone. */
  readonly kernel: string;
  readonly enrolment: Enrolment;
}

interface LostHop {
  readonly name: string;
  readonly firmware: FirmwareKind;
  readonly bootInterface?: 'pxe';
  readonly waitSeconds: number;
  /** Kernel parameters in addition to those of the ramdisk. */
  readonly parameters?: string;
  readonly options?: Environment;
  /** A file of this host that is hidden from the daemon. */
  readonly hiddenFile?: string;
  /** Called when the daemon has prepared the boot. */
  readonly remove?: (removal: Removal) => void | Promise<void>;
  readonly lastError: RegExp;
  /** The timeline event that shows where the boot stopped. */
  readonly lastEvent: { readonly isFailure: boolean; readonly text: RegExp };
}

const lost: readonly LostHop[] = [
  {
    name: 'no-dhcp-answer',
    firmware: 'bios',
    waitSeconds: 20,
    remove: ({ machine }) => unplug(machine.number),
    lastError: /power changed: power on\. Missing: a DHCP request of any of its ports \(52:54:00:77:00:/,
    lastEvent: { isFailure: false, text: /power changed: power on/ },
  },
  {
    name: 'no-loader',
    firmware: 'uefi-pxe',
    waitSeconds: 60,
    hiddenFile: '/usr/lib/ipxe/snponly.efi',
    lastError: /Last seen: .* tftp: .*snponly\.efi.* Missing: what that request asked for/,
    lastEvent: { isFailure: true, text: /snponly\.efi/ },
  },
  {
    name: 'no-kernel',
    firmware: 'bios',
    waitSeconds: 50,
    remove: ({ kernel }) => rmSync(kernel),
    lastError: /Last seen: .* http: .*kernel.* Missing: what that request asked for/,
    lastEvent: { isFailure: true, text: /kernel, which cannot be read/ },
  },
  {
    name: 'no-script',
    firmware: 'bios',
    bootInterface: 'pxe',
    waitSeconds: 50,
    // pxelinux.0 has been sent and will ask for the script named after the MAC address
    remove: async ({ enrolment }) => {
      await enrolment.see(/sent pxelinux\.0/, 40);
      await enrolment.forbidNetworkBoot();
    },
    lastError: /Last seen: .* tftp: .*pxelinux\.cfg.* Missing: what that request asked for/,
    lastEvent: {
      isFailure: true,
      text: /asked for pxelinux\.cfg\/01-52-54-00-77-00-.., which is not served/,
    },
  },
  {
    name: 'circles',
    firmware: 'bios',
    waitSeconds: 600,
    // without an init program the kernel panics, and the machine boots again after a second
    parameters: 'rdinit=/none panic=1',
    lastError: /The machine was told to boot .*boot\.ipxe \(stage ipxe\) 5 times .* Last seen: .* http: /,
    lastEvent: { isFailure: true, text: /5 times in . min, and no ramdisk reported/ },
  },
  {
    name: 'no-api',
    firmware: 'bios',
    waitSeconds: 75,
    options: { IRONIC_SERVICE_CATALOG__ENDPOINT_OVERRIDE: `http://${HOST}:9` },
    lastError: /Missing: its ramdisk's first request to this service/,
    lastEvent: { isFailure: false, text: /sent nodes\/.*\/ramdisk/ },
  },
];

const MEMORY_MEBIBYTES = 1024;

export const lostHops: readonly Case[] = lost.map((hop) => ({
  name: hop.name,
  async run(site) {
    const machine = await site.addMachine(hop.firmware, MEMORY_MEBIBYTES);
    const kernel = join(site.folder, 'kernel');
    copyFileSync(site.images.reporting.kernel, kernel);
    if (hop.hiddenFile !== undefined) site.hide(hop.hiddenFile);
    const daemon = await site.startDaemon({
      IRONIC_CONDUCTOR__INSPECT_WAIT_TIMEOUT: String(hop.waitSeconds),
      ...hop.options,
    });
    const enrolment = await Enrolment.of(daemon, machine, {
      boot_interface: hop.bootInterface ?? 'ipxe',
      properties: { capabilities: `boot_mode:${hop.firmware === 'bios' ? 'bios' : 'uefi'}` },
      driver_info: {
        deploy_kernel: reference(kernel),
        deploy_ramdisk: reference(site.images.reporting.ramdisk),
        kernel_append_params: `%default% ${hop.parameters ?? ''}`,
      },
    });
    await enrolment.createPort(machine.mac);
    await enrolment.reach({ target: 'manage' }, 'manageable', 60);
    await enrolment.provision({ target: 'inspect' }, ['inspect wait'], 60);
    await hop.remove?.({ machine, kernel, enrolment });
    const { last_error: error } = await enrolment.become(['inspect failed'], hop.waitSeconds + 60);
    assert.match(error ?? '', hop.lastError);
    const events = await enrolment.timeline();
    const { isFailure, text } = hop.lastEvent;
    const isRecorded = events.some((event) => event.failed === isFailure && text.test(event.text));
    assert.ok(isRecorded, `${text} in ${JSON.stringify(events.map((event) => event.text))}`);
    return events;
  },
}));
