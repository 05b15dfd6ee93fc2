// Boots from which one hop is taken: the wait ends in time, and the operator reads which hop is missing.
import assert from 'node:assert/strict';
import type { Hop } from '../../../daemon/model/records/machine-event.ts';
import type { Case } from '../case.ts';
import { Enrolment } from '../enrolment.ts';
import type { FirmwareKind } from '../rig/firmware.ts';
import { unplug } from '../rig/network.ts';
import type { Boot } from '../rig/stand-in-dhcp.ts';
import { API_URL } from '../site.ts';

interface LostHop {
  readonly name: string;
  readonly firmware: FirmwareKind;
  readonly waitSeconds: number;
  /** What differs from a boot that succeeds. */
  readonly boot?: Partial<Boot>;
  readonly isUnplugged?: true;
  /** What the machine asked for in vain; undefined where it asked for nothing. */
  readonly failure?: { readonly hop: Hop; readonly text: RegExp };
  /** The last thing that succeeded. */
  readonly reached?: { readonly hop: Hop; readonly text: RegExp };
  readonly lastError: RegExp;
}

const CALLBACK = 'v1/continue_inspection';
const TIMED_OUT = /^Timed out after \d+ s of waiting for inspection data/;

const lost: readonly LostHop[] = [
  { name: 'no-dhcp-answer', firmware: 'bios', waitSeconds: 20, isUnplugged: true, lastError: /check DHCP/ },
  {
    name: 'no-loader',
    firmware: 'uefi-pxe',
    waitSeconds: 60,
    boot: { loader: 'missing.efi' },
    failure: { hop: 'tftp', text: /missing\.efi/ },
    lastError: TIMED_OUT,
  },
  {
    name: 'no-script',
    firmware: 'bios',
    waitSeconds: 40,
    boot: { hasScripts: false },
    failure: { hop: 'http', text: /ipxe\/unknown, which is not served/ },
    lastError: TIMED_OUT,
  },
  {
    name: 'no-kernel',
    firmware: 'bios',
    waitSeconds: 40,
    boot: { kernel: '/nowhere/kernel' },
    failure: { hop: 'http', text: /unknown\/kernel, which is not served/ },
    lastError: TIMED_OUT,
  },
  {
    name: 'no-api',
    firmware: 'bios',
    waitSeconds: 70,
    boot: { parameters: `console=ttyS0 ipa-inspection-callback-url=http://127.0.0.1:9/${CALLBACK}` },
    reached: { hop: 'http', text: /sent unknown\/ramdisk/ },
    lastError: TIMED_OUT,
  },
];

const MEMORY_MEBIBYTES = 1024;

export const lostHops: readonly Case[] = lost.map((hop) => ({
  name: hop.name,
  async run(site) {
    const machine = await site.installMachine(hop.firmware, MEMORY_MEBIBYTES);
    const serving = await site.serve({
      ...site.images.tiny,
      parameters: `console=ttyS0 ipa-inspection-callback-url=${API_URL}/${CALLBACK}`,
      ...hop.boot,
    });
    const waits = { IRONIC_CONDUCTOR__INSPECT_WAIT_TIMEOUT: String(hop.waitSeconds) };
    const daemon = await site.startDaemon({ ...serving, ...waits });
    const enrolment = await Enrolment.of(daemon, machine);
    await enrolment.reach('manage', 'manageable', 60);
    if (hop.isUnplugged) unplug(machine.number);
    const node = await enrolment.provision('inspect', ['inspect failed'], hop.waitSeconds + 60);
    assert.match(node.last_error ?? '', hop.lastError);
    const events = await enrolment.seen();
    for (const [wanted, failed] of [
      [hop.failure, true],
      [hop.reached, false],
    ] as const) {
      if (wanted === undefined) continue;
      const isThere = events.some(
        (event) => event.hop === wanted.hop && event.failed === failed && wanted.text.test(event.text),
      );
      assert.ok(isThere, `${wanted.hop} ${wanted.text} in ${JSON.stringify(events.map(({ text }) => text))}`);
    }
    return events;
  },
}));
