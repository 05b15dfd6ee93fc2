// The whole way of the README: from a host on which only the package is installed, by the commands of "From a bare host to a running
// instance", to a shell in the instance. The host has no way out of the provisioning network: everything comes from a mirror there.
import assert from 'node:assert/strict';
import { IPMI_CREDENTIALS } from '../../../daemon/simulator/ipmi/machine-bmc.ts';
import type { Case } from '../case.ts';
import { type ReaderShell, readmeCommands } from '../readme-commands.ts';
import { EdgeHost } from '../rig/edge-host.ts';
import type { FirmwareKind } from '../rig/firmware.ts';
import { connectMirror, MIRROR } from '../rig/mirror.ts';
import { BRIDGE, HOST } from '../rig/network.ts';
import type { Site } from '../site.ts';

const MEMORY_MEBIBYTES = 2560;
// cleaning overwrites the whole disk, and emulated disks are slow
const DISK_GIBIBYTES = 5;
// the host has no clock service, and the doctor that setup runs says so
const ALLOWS_FINDINGS = '|| [ $? = 1 ]';
const USERS = 'cut -d: -f1 /etc/passwd';
const ADDRESS = '10.77.0.60';
const USER_DATA = '#cloud-config\\nruncmd:\\n- [sh, -c, "echo user data ran >/run/ran"]\\n';

export const wholeWays: readonly Case[] = [
  { name: 'whole-way-bios', run: (site) => wholeWay(site, 'bios') },
  { name: 'whole-way-uefi', run: (site) => wholeWay(site, 'uefi-pxe') },
];

async function wholeWay(site: Site, firmware: FirmwareKind): Promise<readonly []> {
  const { wholeWay: parts } = site.images;
  assert.ok(parts !== undefined);
  using rig = new DisposableStack();
  rig.defer(connectMirror(parts.mirror));
  const machine = await site.addMachine(firmware, MEMORY_MEBIBYTES, DISK_GIBIBYTES);
  await using host = await EdgeHost.boot(parts.archive, parts.deb, site.folder);
  const { shell } = host;
  await shell.type(`umask 77; echo correct-horse >password; printf '${USER_DATA}' >web.yaml`);
  await shell.type('ssh-keygen -q -t ed25519 -N "" -f .ssh/id_ed25519');
  const [before, users] = [await host.state(), await shell.type(USERS)];

  const { ipmi_address: bmc, ipmi_cipher_suite: suite } = machine.driverInfo;
  const operator = new Operator(shell);
  const setup = `ironic-edge setup --interface ${BRIDGE} --password-file password --yes`;
  const said = await operator.types(`${setup} ${ALLOWS_FINDINGS}`);
  assert.deepEqual(said.match(/(?<=^  probe: ).*$/gm), ['clock'], said);
  const [, variables = ''] = /(export OS_.*) OS_PASSWORD=/.exec(said) ?? [];
  await shell.type(`${variables} OS_PASSWORD=$(cat password)`);
  await operator.types(`ironic-edge image add debian-13 --mirror ${MIRROR}/images/cloud`);
  const login = `driver_info/ipmi_username=${IPMI_CREDENTIALS.username} driver_info/ipmi_password=${IPMI_CREDENTIALS.password}`;
  await operator.types(
    `ironic-edge node create driver=ipmi name=rack1-01 driver_info/ipmi_address=${bmc} ${login} driver_info/ipmi_cipher_suite=${suite} --provide`,
  );
  await operator.types(
    `ironic-edge node deploy rack1-01 --image debian-13 --hostname web-1 --ssh-key .ssh/id_ed25519.pub --user-data web.yaml --network address=${ADDRESS}/24,gateway=${HOST} --wait`,
  );
  await operator.types(
    `ssh -o StrictHostKeyChecking=accept-new -o ConnectionAttempts=600 debian@${ADDRESS} true`,
  );
  operator.compare();

  const inside = (command: string) => shell.type(`timeout 600 ssh debian@${ADDRESS} '${command}'`);
  // 2: done, with warnings
  await inside('cloud-init status --wait || [ $? = 2 ]');
  assert.equal((await inside('hostname')).trim(), 'web-1');
  assert.match(await inside('ip -4 -o address show scope global'), new RegExp(` ${ADDRESS}/24 .* forever`));
  assert.equal((await inside('cat /run/ran')).trim(), 'user data ran');
  assert.ok(
    Number(await inside('df --output=size --block-size=1M / | tail -1')) > 4000,
    'the root file system grows',
  );
  const mode = (await inside('if [ -d /sys/firmware/efi ]; then echo uefi; else echo bios; fi')).trim();
  assert.equal(mode, firmware === 'bios' ? 'bios' : 'uefi');

  const ready = await host.state();
  assert.match(await shell.type(`ironic-edge setup --yes ${ALLOWS_FINDINGS}`), /^Nothing to change\.$/m);
  assert.deepEqual(differences(ready, await host.state()), [], 'setup again changes nothing');
  await shell.type('ironic-edge setup --undo --yes');
  const left = differences(before, await host.state()).filter(
    (line) => !/ \/etc\/(passwd|shadow)$/.test(line),
  );
  assert.deepEqual(left, [], 'undo leaves the host as it was');
  assert.deepEqual(differences(users, await shell.type(USERS)), ['radvd'], 'Debian keeps the user of radvd');
  return [];
}

/** The lines that only one of two texts has. */
function differences(one: string, other: string): readonly string[] {
  const [lines, others] = [new Set(one.split('\n')), new Set(other.split('\n'))];
  return [...lines.symmetricDifference(others)];
}

/** Types commands, counts them, and says how long each took. */
class Operator {
  readonly #shell: ReaderShell;
  #commands = 0;

  constructor(shell: ReaderShell) {
    this.#shell = shell;
  }

  async types(command: string): Promise<string> {
    const started = performance.now();
    const written = await this.#shell.type(`timeout 1800 ${command}`);
    const seconds = (performance.now() - started) / 1000;
    console.log(`        ${seconds.toFixed(1).padStart(6)} s  ${command}`);
    this.#commands += 1;
    return written;
  }

  /** Says beside these commands what the same takes by hand, as "A first machine" of the README shows it. */
  compare(): void {
    const byHand = readmeCommands();
    const lines = byHand.flatMap((command) => /<<'END'\n([^]*)\nEND/.exec(command)?.[1]?.split('\n') ?? []);
    console.log(
      `        ${this.#commands} commands, and the variables that setup prints; by hand ${byHand.length + 1} commands and ${lines.length} lines of configuration`,
    );
  }
}
