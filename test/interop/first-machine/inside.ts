// Follows the README in namespaces of its own, with a BMC that has no machine.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { IPMI_CREDENTIALS, startBmc } from '../../../daemon/simulator/ipmi/machine-bmc.ts';
import { steadyProbes } from '../../daemon/doctor/planted-host.ts';
import { followReadme, ReaderShell } from '../../life/readme-commands.ts';
import { BRIDGE, bmcAddressOf, connectMachine, createNetwork, HOST, macOf } from '../../life/rig/network.ts';

const PORT = 8099;
const IMAGE = Buffer.alloc(4096, 'image');

async function main(folder: string): Promise<void> {
  createNetwork();
  connectMachine(1);
  let power: 'on' | 'off' = 'off';
  await startBmc(
    { address: bmcAddressOf(1), port: 623 },
    {
      power: () => power,
      bootDevice: () => 'none',
      setBootDevice() {},
      switchOn: () => void (power = 'on'),
      switchOff: async () => void (power = 'off'),
    },
  );
  const images = createServer((request, response) => {
    const sums = `${createHash('sha512').update(IMAGE).digest('hex')}  debian-13-generic-amd64.qcow2\n`;
    response.end(request.url?.endsWith('SUMS') === true ? sums : IMAGE);
  });
  await once(images.listen(PORT, HOST), 'listening');
  const home = path.join(folder, 'home');
  mkdirSync(path.join(home, '.ssh'), { recursive: true });
  writeFileSync(
    path.join(home, '.ssh/id_ed25519.pub'),
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILPux9lHGKQIj3gmU/5Ts48gnGcER89JnZl//aMUBBoi me@home\n',
  );
  await using shell = new ReaderShell(path.join(import.meta.dirname, '../../..'));
  await shell.type(`HOME='${home}'`);
  await followReadme(shell, changes(folder, `${home}/ironic.conf`));
  const node = JSON.parse(await shell.type('baremetal node show rack1-01 -f json')) as Shown;
  assert.deepEqual([node.provision_state, node.last_error], ['wait call-back', null]);
  assert.match(await shell.type('ironic-edge node timeline rack1-01'), /power changed: power on/);
}

interface Shown {
  readonly provision_state: string;
  readonly last_error: string | null;
}

function changes(folder: string, configuration: string): Parameters<typeof followReadme>[1] {
  const state = path.join(folder, 'state');
  const built = path.join(state, 'agent-images/one');
  mkdirSync(built, { recursive: true });
  for (const name of ['agent.kernel', 'agent.ramdisk']) writeFileSync(path.join(built, name), name);
  const lines = `[conductor]\\ndeploy_kernel = file://${built}/agent.kernel\\ndeploy_ramdisk = file://${built}/agent.ramdisk\\n`;
  return [
    // the packages are there
    [/^apt/, { 'apt install': 'echo' }],
    [
      /^install/,
      { 'ironic.conf': configuration, '/var/lib/ironic-edge': state, '10.0.0.': '10.77.0.', br0: BRIDGE },
    ],
    [/^export IRONIC/, { '$PWD/ironic.conf': configuration }],
    [
      /^ironic-edge agent-image/,
      { 'ironic-edge agent-image build': `printf '${lines}'`, ' >>ironic.conf': ` >>${configuration}` },
    ],
    [/^ironic-edge doctor/, { doctor: `doctor --only ${steadyProbes.join(',')}` }],
    [/^with-sockets/, { br0: BRIDGE, 'ironic.log': `${configuration}.log` }],
    [
      /^baremetal node create/,
      {
        '10.0.0.': '10.77.0.',
        '=admin': `=${IPMI_CREDENTIALS.username}`,
        '=...': `=${IPMI_CREDENTIALS.password} --driver-info ipmi_cipher_suite=3`,
      },
    ],
    // there is no machine that could be inspected
    [
      /^baremetal node inspect/,
      {
        'node inspect rack1-01 --wait': `port create ${macOf(1)} --node $(baremetal node show rack1-01 -f value -c uuid)`,
      },
    ],
    [
      /^baremetal node provide/,
      { baremetal: 'baremetal node set rack1-01 --no-automated-clean && baremetal' },
    ],
    [/^ironic-edge node deploy/, { 'https://cloud.debian.org': `http://${HOST}:${PORT}`, ' --wait': '' }],
  ];
}

const folder = mkdtempSync(path.join(tmpdir(), 'first-machine-'));
try {
  await main(folder);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
  // the kernel ends the rest with this process
  process.exit();
}
