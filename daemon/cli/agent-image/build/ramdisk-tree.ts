// Turns the root file system into that of a ramdisk: deletes what a ramdisk never uses, and adds its init.
import { chmodSync, copyFileSync, globSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deleted } from './packages.ts';
import type { Programs } from './programs.ts';

const HOST_NAME = 'agent-ramdisk';
const INIT = join(import.meta.dirname, 'init');

/** Moves the kernel to `kernel` and returns its version. */
export async function makeRamdiskTree(tree: string, kernel: string, programs: Programs): Promise<string> {
  const versions = readdirSync(join(tree, 'usr/lib/modules'));
  const [version] = versions;
  if (version === undefined || versions.length > 1)
    throw new Error(
      `expected the modules of one kernel in ${tree}/usr/lib/modules, found ${versions.length}`,
    );
  copyFileSync(join(tree, 'boot', `vmlinuz-${version}`), kernel);
  chmodSync(kernel, 0o644);
  for (const path of deleted.flatMap((pattern) => globSync(pattern, { cwd: tree })))
    rmSync(join(tree, path), { recursive: true, force: true });
  await programs.inside(tree, 'depmod', version);
  for (const folder of ['proc', 'sys', 'dev', 'run', 'tmp', 'srv', 'var/log', 'var/tmp', 'var/cache'])
    mkdirSync(join(tree, folder), { recursive: true });
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(tree, file), text);
  copyFileSync(INIT, join(tree, 'init'));
  chmodSync(join(tree, 'init'), 0o755);
  addToAgent(tree);
  return version;
}

const PYTHON_PACKAGES = 'usr/lib/python3/dist-packages';
const DISTRIBUTION = 'ironic_edge_ramdisk';
/** What the agent finds by its entry points; init switches the collectors on by their names. */
const ENTRY_POINTS = `[ironic_python_agent.inspector.collectors]
disk-contents = ironic_edge_disks:collect
bmc-login = ironic_edge_login:collect
[ironic_python_agent.extensions]
instance_kernel = ironic_edge_kexec:InstanceKernelExtension
`;

/** Adds the own collectors and the extension of this project to the agent in the tree. */
export function addToAgent(tree: string): void {
  const packages = join(tree, PYTHON_PACKAGES);
  const about = join(packages, `${DISTRIBUTION}-1.dist-info`);
  mkdirSync(about);
  for (const module of globSync('*.py', { cwd: import.meta.dirname }))
    copyFileSync(join(import.meta.dirname, module), join(packages, module));
  writeFileSync(join(about, 'METADATA'), `Metadata-Version: 2.1\nName: ${DISTRIBUTION}\nVersion: 1\n`);
  writeFileSync(join(about, 'entry_points.txt'), ENTRY_POINTS);
}

const FILES: Readonly<Record<string, string>> = {
  'etc/fstab': '',
  'etc/hostname': `${HOST_NAME}\n`,
  'etc/hosts': `127.0.0.1 localhost ${HOST_NAME}\n::1 localhost\n`,
  // name servers are those of the network that the machine booted from
  'etc/dhcp/dhclient-enter-hooks.d/name-servers': `if [ -s /run/boot-interface ] && [ "$interface" != "$(cat /run/boot-interface)" ]; then
  make_resolv_conf() { :; }
fi
`,
  'etc/dhcp/dhclient-exit-hooks.d/time-servers': `servers=\${new_ntp_servers:-$new_dhcp6_sntp_servers}
[ -z "$servers" ] || echo "$servers" > /run/time-servers
`,
};
