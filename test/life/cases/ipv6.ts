// The life of an unknown machine at a site without IPv4: firmware, iPXE, the agent, the instance and the BMC have IPv6 addresses only.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { MachineEvent } from '../../../daemon/model/records/machine-event.ts';
import type { Case } from '../case.ts';
import { Enrolment } from '../enrolment.ts';
import { makeDiskImage } from '../rig/disk-image.ts';
import type { Machine } from '../rig/machine.ts';
import { IPV6 } from '../rig/network.ts';
import { instanceRamdisk } from '../rig/small-ramdisk.ts';
import { WebServer } from '../rig/web-server.ts';
import { reference, sha256Of, type Site } from '../site.ts';

const MEMORY_MEBIBYTES = 2560;
const SECONDS = 900;
const SSH_MILLISECONDS = 60_000;
const RESCUE_PASSWORD = 'correct horse battery staple';
const IPV4 = /\b\d{1,3}(?:\.\d{1,3}){3}\b/;

export const lifeWithoutIpv4: Case = { name: 'ipv6', run };

async function run(site: Site): Promise<readonly MachineEvent[]> {
  const { folder, images } = site;
  const { kernel, ramdisk } = images.agent;
  const image = join(folder, 'instance.qcow2');
  makeDiskImage(image, { kernel, ramdisk: await instanceRamdisk(ramdisk) });
  const machine = await site.addIpv6Machine('uefi-ipv6', MEMORY_MEBIBYTES);
  const daemon = await site.startDaemonWithoutIpv4({
    IRONIC_CONDUCTOR__DEPLOY_KERNEL: reference(kernel),
    IRONIC_CONDUCTOR__DEPLOY_RAMDISK: reference(ramdisk),
    IRONIC_AUTO_DISCOVERY__ENABLED: 'true',
    IRONIC_AUTO_DISCOVERY__DRIVER: 'ipmi',
    IRONIC_AGENT__IMAGE_DOWNLOAD_SOURCE: 'http',
    IRONIC_DEFAULT__DEFAULT_RESCUE_INTERFACE: 'agent',
    // overwriting a whole emulated disk takes minutes
    IRONIC_DEPLOY__ERASE_DEVICES_PRIORITY: '0',
    IRONIC_DEPLOY__FAST_TRACK: 'true',
    IRONIC_INSPECTOR__POWER_OFF: 'false',
  });
  await using web = await WebServer.listen(image, IPV6.host);
  machine.pressPowerButton();
  const enrolment = await Enrolment.discovered(daemon, machine.mac, SECONDS);
  await enrolment.become(['enroll'], SECONDS);
  // the ramdisk that has found the machine goes on to clean it and to write its image
  await enrolment.see(/ sent a heartbeat$/, SECONDS);
  // the agent says this of its card after a minute
  assert.doesNotMatch(machine.console.text, /Not all network interfaces received IP addresses/);
  await enrolment.set({
    '/driver_info': machine.driverInfo,
    '/properties/capabilities': 'boot_mode:uefi',
    '/boot_interface': 'ipxe',
    '/instance_info': { image_source: web.imageUrl, image_checksum: sha256Of(image) },
  });
  await enrolment.reach({ target: 'manage' }, 'manageable', SECONDS);
  await enrolment.reach({ target: 'provide' }, 'available', SECONDS);
  assert.match((await enrolment.node()).driver_internal_info.agent_url ?? '', /^https:\/\/\[fd77::1:/);
  await enrolment.reach({ target: 'active', configdrive: drive(web) }, 'active', SECONDS);
  const expected = { name: 'instance-1', mode: 'uefi', words: IPV6.instance, file: '' };
  assert.deepEqual(await web.takeReport(SECONDS), expected);

  await enrolment.reach({ target: 'rescue', rescue_password: RESCUE_PASSWORD }, 'rescue', SECONDS);
  assert.match(await greetingOfRescue(machine), /^SSH-2\.0/);
  const events = await enrolment.timeline();
  const reports = events.filter(({ hop }) => hop === 'inspection');
  assert.equal(reports.length, 1, 'only the ramdisk of the unknown machine inspects');
  assert.deepEqual(
    events.map(({ text }) => text).filter((text) => IPV4.test(text)),
    [],
  );
  return events;
}

/** What the ssh server of the rescue system says at the address that the system has got after the agent's end. */
async function greetingOfRescue({ console: terminal, mac }: Machine): Promise<string> {
  await terminal.written('log in as rescue', SECONDS);
  const said = terminal.text.slice(terminal.text.lastIndexOf('starting the agent'));
  const [, host] = new RegExp(`${mac} (fd77::\\S+)/128`).exec(said) ?? [];
  assert.ok(host, 'the rescue system has no IPv6 address');
  const socket = connect({ host, port: 22 });
  const [greeting] = await once(socket, 'data', { signal: AbortSignal.timeout(SSH_MILLISECONDS) });
  socket.destroy();
  return String(greeting);
}

const drive = ({ reportUrl }: WebServer) => ({
  meta_data: { name: 'instance-1', address: IPV6.instance, report_url: reportUrl },
  user_data: IPV6.instance,
  network_data: { links: [], networks: [], services: [] },
});
