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
  return version;
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
  'etc/dhcp/dhclient-exit-hooks.d/time-servers': `[ -z "$new_ntp_servers" ] || echo "$new_ntp_servers" > /run/time-servers
`,
};
