// The whole life of a machine of which only the BMC's address is known: inspection, cleaning, an instance on its disk, rescue,
// rebuild, and cleaning again.
import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Case } from '../case.ts';
import { type Api, Enrolment, expectSuccess } from '../enrolment.ts';
import { makeDiskImage } from '../rig/disk-image.ts';
import type { FirmwareKind } from '../rig/firmware.ts';
import { IronicSite } from '../rig/ironic-site.ts';
import type { Machine } from '../rig/machine.ts';
import type { RedfishMachine } from '../rig/redfish-machine.ts';
import { instanceRamdisk } from '../rig/small-ramdisk.ts';
import { WebServer } from '../rig/web-server.ts';
import { reference, sha256Of, type Site } from '../site.ts';
import { bootsBetween, type PhaseRow, sharesBetween } from '../who-works.ts';

const MEMORY_MEBIBYTES = 2560;
const SECONDS = 600;
const INSTANCE_ADDRESS = '10.77.0.201/24';
const RESCUE_PASSWORD = 'correct horse battery staple';
const TRAIT = 'CUSTOM_WRITES_A_FILE';
const WRITTEN = 'written by a deploy template';

export const wholeLives: readonly Case[] = [
  { name: 'life-bios', run: (site) => biosLife(site, false) },
  {
    name: 'life-uefi',
    run: async (site) =>
      ours(site, {
        machine: await site.addMachine('uefi-pxe', MEMORY_MEBIBYTES),
        mode: 'uefi',
        download: 'http',
        bootInterface: 'ipxe',
      }),
  },
  {
    name: 'life-redfish',
    run: async (site) =>
      ours(site, {
        machine: await site.addRedfishMachine('uefi', MEMORY_MEBIBYTES),
        mode: 'uefi',
        download: 'http',
        bootInterface: 'redfish-virtual-media',
      }),
  },
  { name: 'life-bios-fast-track', run: (site) => biosLife(site, true) },
];

/**
 * The lives of machines with IPMI, under OpenStack's Ironic. The life with fast track also shortens Ironic's pause between IPMI
 * commands and lets iPXE boot without its waits.
 */
export const ironicLives: readonly Case[] = [
  { name: 'ironic-life-bios', run: (site) => ironics(site, 'bios', false) },
  { name: 'ironic-life-uefi', run: (site) => ironics(site, 'uefi-pxe', false) },
  { name: 'ironic-life-bios-fast-track', run: (site) => ironics(site, 'bios', true) },
];

type LivingMachine = Machine | RedfishMachine;

interface Life {
  readonly machine: LivingMachine;
  readonly mode: 'bios' | 'uefi';
  readonly bootInterface: string;
  /** `local`: the daemon fetches, checks and converts the image; `http`: the ramdisk does. */
  readonly download: 'local' | 'http';
  readonly isFastTrack?: boolean;
}

async function biosLife(site: Site, isFastTrack: boolean) {
  const machine = await site.addMachine('bios', MEMORY_MEBIBYTES);
  return ours(site, { machine, mode: 'bios', download: 'local', bootInterface: 'ipxe', isFastTrack });
}

async function ours(site: Site, { machine, mode, download, bootInterface, isFastTrack = false }: Life) {
  const { kernel, ramdisk } = site.images.agent;
  const image = await makeInstance(site);
  await using web = await WebServer.listen(image);
  const daemon = await site.startDaemon({
    IRONIC_CONDUCTOR__DEPLOY_KERNEL: reference(kernel),
    IRONIC_CONDUCTOR__DEPLOY_RAMDISK: reference(ramdisk),
    IRONIC_AGENT__IMAGE_DOWNLOAD_SOURCE: download,
    IRONIC_DEFAULT__DEFAULT_RESCUE_INTERFACE: 'agent',
    // overwriting a whole emulated disk takes minutes
    IRONIC_DEPLOY__ERASE_DEVICES_PRIORITY: '0',
    IRONIC_DEPLOY__FAST_TRACK: String(isFastTrack),
    IRONIC_INSPECTOR__POWER_OFF: String(!isFastTrack),
  });
  const source = download === 'http' ? web.imageUrl : pathToFileURL(image).href;
  const fields = { boot_interface: bootInterface, inspect_interface: 'agent' };
  const enrolment = await wholeLife(daemon, {
    machine,
    web,
    mode,
    image,
    source,
    fields,
    rows: site.rows,
    isRebuilt: true,
  });
  const events = await enrolment.timeline();
  await enrolment.remove();
  return events;
}

async function ironics(site: Site, firmware: FirmwareKind, isQuickest: boolean) {
  const image = await makeInstance(site);
  await using web = await WebServer.listen(image);
  const machine = await site.addMachine(firmware, MEMORY_MEBIBYTES);
  await using ironic = await IronicSite.start(site.folder, site.images.agent, isQuickest);
  await wholeLife(ironic, {
    machine,
    web,
    mode: firmware === 'bios' ? 'bios' : 'uefi',
    image,
    source: web.imageUrl,
    fields: { driver_info: ironic.ramdisk },
    rows: site.rows,
    // with fast track, a rebuild under Ironic times out: it waits for a heartbeat of the rescue system, which no longer runs
    isRebuilt: !isQuickest,
  });
  return [];
}

async function makeInstance({ folder, images }: Site): Promise<string> {
  const image = join(folder, 'instance.qcow2');
  const { kernel, ramdisk } = images.agent;
  makeDiskImage(image, { kernel, ramdisk: await instanceRamdisk(ramdisk) });
  return image;
}

interface Course {
  readonly machine: LivingMachine;
  readonly web: WebServer;
  readonly mode: 'bios' | 'uefi';
  /** The file of the instance's disk image, and the URL that the operator gives for it. */
  readonly image: string;
  readonly source: string;
  /** Further fields of the node. */
  readonly fields: object;
  /** Gets one row for each phase of a machine with IPMI. */
  readonly rows: PhaseRow[];
  readonly isRebuilt: boolean;
}

async function wholeLife(
  api: Api,
  { machine, web, mode, image, source, fields, rows, isRebuilt }: Course,
): Promise<Enrolment> {
  await expectSuccess(api, 'POST', '/v1/deploy_templates', { name: TRAIT, steps: [writesFile] });
  const enrolment = await Enrolment.of(api, machine, {
    properties: { capabilities: `boot_mode:${mode}` },
    ...fields,
  });
  await enrolment.setTraits([TRAIT]);
  const phase = stopwatch(machine, rows);

  await enrolment.reach({ target: 'manage' }, 'manageable', 60);
  phase('manage');
  await enrolment.reach({ target: 'inspect' }, 'manageable', SECONDS);
  assert.deepEqual(await enrolment.portAddresses(), [machine.mac]);
  phase('inspect');
  await enrolment.reach({ target: 'provide' }, 'available', SECONDS);
  phase('provide');

  await enrolment.set({
    '/instance_info/image_source': source,
    '/instance_info/image_checksum': sha256Of(image),
    '/instance_info/traits': [TRAIT],
  });
  const expected = { name: 'instance-1', mode, words: 'deployed', file: WRITTEN };
  await enrolment.reach({ target: 'active', configdrive: documents(web, 'deployed') }, 'active', SECONDS);
  phase('deploy');
  assert.deepEqual(await web.takeReport(SECONDS), expected);
  phase('boot');

  await enrolment.reach({ target: 'rescue', rescue_password: RESCUE_PASSWORD }, 'rescue', SECONDS);
  phase('rescue');
  await logIn(machine);
  phase('login');
  await enrolment.reach({ target: 'unrescue' }, 'active', SECONDS);
  assert.deepEqual(await web.takeReport(SECONDS), expected);
  phase('unrescue and boot');

  if (isRebuilt) {
    await enrolment.reach({ target: 'rebuild', configdrive: documents(web, 'rebuilt') }, 'active', SECONDS);
    assert.deepEqual(await web.takeReport(SECONDS), { ...expected, words: 'rebuilt' });
    phase('rebuild and boot');
  }

  assert.equal(await hasPartitionTable(machine), true);
  await enrolment.reach({ target: 'deleted' }, 'available', SECONDS);
  assert.equal(await hasPartitionTable(machine), false);
  phase('undeploy');
  return enrolment;
}

const writesFile = {
  interface: 'deploy',
  step: 'inject_files',
  priority: 70,
  args: {
    files: [{ path: '/deployed.txt', partition: '1', content: Buffer.from(WRITTEN).toString('base64') }],
  },
};

const documents = ({ reportUrl }: WebServer, words: string) => ({
  meta_data: { name: 'instance-1', address: INSTANCE_ADDRESS, report_url: reportUrl },
  user_data: words,
  network_data: { links: [], networks: [], services: [] },
});

async function logIn({ console: terminal }: LivingMachine): Promise<void> {
  await terminal.written('login: ', SECONDS, terminal.text.lastIndexOf('log in as rescue'));
  await terminal.type('rescue', 'Password:');
  await terminal.type(RESCUE_PASSWORD, 'rescue@');
  await terminal.type('echo I am $((6*7)) $(sudo id -un)', 'I am 42 root');
}

/** Whether the disk has a GPT, in its second sector. */
async function hasPartitionTable({ disk }: LivingMachine): Promise<boolean> {
  await using file = await open(disk);
  const { buffer } = await file.read(Buffer.alloc(8), 0, 8, 512);
  return buffer.toString('latin1') === 'EFI PART';
}

/**
 * Returns a function to call at the end of each phase: it prints how long the phase took, and adds a row to `rows` if the rig can
 * tell who was at work.
 */
function stopwatch(machine: LivingMachine, rows: PhaseRow[]): (phase: string) => void {
  let last = performance.now();
  return (phase) => {
    const now = performance.now();
    const seconds = (now - last) / 1000;
    // a machine of the Redfish emulator has no marks that show who is at work on it
    if ('marks' in machine) {
      const boots = bootsBetween(machine.marks, last, now);
      rows.push({ phase, boots, seconds, shares: sharesBetween(machine.marks, last, now) });
    }
    console.log(`        ${phase.padEnd(18)} ${seconds.toFixed(1).padStart(6)} s`);
    last = now;
  };
}
