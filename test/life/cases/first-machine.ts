// The first machine of the README: its own commands, on an emulated machine, until the instance has the key of who may log in.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { IPMI_CREDENTIALS } from '../../../daemon/simulator/ipmi/machine-bmc.ts';
import { steadyProbes } from '../../daemon/doctor/planted-host.ts';
import type { Case } from '../case.ts';
import { makeDiskImage } from '../rig/disk-image.ts';
import { BRIDGE } from '../rig/network.ts';
import { instanceRamdisk } from '../rig/small-ramdisk.ts';
import { WebServer } from '../rig/web-server.ts';
import { followReadme, ReaderShell } from '../readme-commands.ts';
import { sha256Of, type Site } from '../site.ts';

const ROOT = join(import.meta.dirname, '../../..');
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILPux9lHGKQIj3gmU/5Ts48gnGcER89JnZl//aMUBBoi me@home';
const MEMORY_MEBIBYTES = 2560;
const SECONDS = 600;

export const firstMachine: Case = { name: 'first-machine', run };

async function run(site: Site): Promise<readonly []> {
  const { kernel, ramdisk } = site.images.agent;
  const image = join(site.folder, 'instance.qcow2');
  makeDiskImage(image, { kernel, ramdisk: await instanceRamdisk(ramdisk) });
  await using web = await WebServer.listen(image);
  const machine = await site.addMachine('bios', MEMORY_MEBIBYTES);
  const home = join(site.folder, 'home');
  mkdirSync(join(home, '.ssh'), { recursive: true });
  writeFileSync(join(home, '.ssh/id_ed25519.pub'), `${KEY}\n`);
  const userData = join(home, 'user-data');
  writeFileSync(userData, `#cloud-config\n"report_url": "${web.reportUrl}"\n"address": "10.77.0.201/24"\n`);
  await using shell = new ReaderShell(ROOT);
  await shell.type(`HOME='${home}'`);
  const configuration = `${home}/ironic.conf`;
  const images = 'https://cloud.debian.org/images/cloud/trixie/latest';
  await followReadme(shell, [
    // the packages are there
    [/^apt/, { 'apt install': 'echo' }],
    [
      /^install/,
      {
        'ironic.conf': configuration,
        '/var/lib/ironic-edge': join(site.folder, 'state'),
        '10.0.0.': '10.77.0.',
        br0: BRIDGE,
        // overwriting a whole emulated disk takes minutes
        '[ramdisk]':
          '[deploy]\nerase_devices_priority = 0\n[pxe]\nkernel_append_params = console=ttyS0\n[ramdisk]',
      },
    ],
    [/^export IRONIC/, { '$PWD/ironic.conf': configuration }],
    [
      /^ironic-edge agent-image/,
      { build: `build --directory '${dirname(dirname(kernel))}'`, 'ironic.conf': configuration },
    ],
    [/^ironic-edge doctor/, { doctor: `doctor --only ${steadyProbes.join(',')}` }],
    [/^with-sockets/, { br0: BRIDGE, 'ironic.log': `${configuration}.log` }],
    [
      /^baremetal node create/,
      {
        '10.0.0.11': String(machine.driverInfo['ipmi_address']),
        '=admin': `=${IPMI_CREDENTIALS.username}`,
        '=...': `=${IPMI_CREDENTIALS.password} --driver-info ipmi_cipher_suite=3`,
      },
    ],
    [
      /^ironic-edge node deploy/,
      {
        [`${images}/debian-13-generic-amd64.qcow2`]: web.imageUrl,
        [`${images}/SHA512SUMS`]: sha256Of(image),
        '--hostname': `--user-data '${userData}' --hostname`,
      },
    ],
  ]);
  const { key, name } = (await web.takeReport(SECONDS)) as { readonly key?: string; readonly name: string };
  assert.deepEqual([name, key], ['web-1', KEY]);
  return [];
}
