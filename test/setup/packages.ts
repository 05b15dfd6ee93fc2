// The Debian packages that the tests use: their names, purposes and installation.
import { spawnSync } from 'node:child_process';

export interface DebianPackage {
  readonly name: string;
  readonly for: string;
}

export const packages = [
  { name: 'ansible-core', for: 'deployments by Ansible' },
  { name: 'apt-utils', for: 'the index of a repository of packages' },
  { name: 'atftp', for: 'a TFTP client with the windowsize option' },
  { name: 'busybox-static', for: 'the TFTP client of small systems' },
  { name: 'chromium', for: 'a browser that shows the page at /ui/' },
  { name: 'curl', for: 'boot files over HTTP and TFTP, which many scripts get with curl' },
  { name: 'dhcpcd-base', for: 'dhcpcd as a client of the DHCP server' },
  { name: 'dnsmasq-base', for: 'a DHCP server that reads the host files of ironic-pxe-filter' },
  { name: 'fdisk', for: 'partition tables of deployments by Ansible' },
  { name: 'fish', for: 'a shell that completes the commands' },
  { name: 'gdisk', for: 'partition tables that the real agent writes' },
  { name: 'genisoimage', for: 'reading config drives, and making them' },
  { name: 'gnupg', for: 'the signature of a repository of packages' },
  { name: 'grub-efi-amd64-signed', for: 'CD images that boot with UEFI' },
  { name: 'ipmitool', for: 'IPMI power and management against a simulated BMC' },
  { name: 'ipxe', for: 'the boot loaders of the first machine' },
  { name: 'iproute2', for: 'network namespaces that a DHCP server and its clients meet in' },
  { name: 'isc-dhcp-client', for: 'dhclient as a client of the DHCP server' },
  { name: 'isc-dhcp-relay', for: 'a relay of DHCPv6' },
  { name: 'isolinux', for: 'CD images that boot with BIOS' },
  { name: 'kea-admin', for: 'perfdhcp, which asks for a thousand addresses at once' },
  { name: 'mariadb-client-core', for: 'reading the database of an Ironic that machines come from' },
  { name: 'mariadb-server-core', for: 'the database of an Ironic that machines come from' },
  { name: 'mandoc', for: 'the check of the manual pages' },
  { name: 'mtools', for: 'CD images that boot with UEFI' },
  { name: 'nftables', for: 'simulated packet loss' },
  { name: 'openipmi', for: 'the simulated BMC itself (ipmi_sim)' },
  { name: 'openssh-client', for: 'public keys as ssh-keygen makes them' },
  { name: 'ovmf', for: 'UEFI firmware that boots over IPv6' },
  { name: 'parted', for: 'partition tables that the real agent reads' },
  { name: 'prometheus', for: 'promtool on metrics, alert rules and the dashboard' },
  { name: 'python3-cryptography', for: 'logins that are sealed as a ramdisk does it' },
  { name: 'python3-ironic', for: 'the Ironic to which machines are exported' },
  { name: 'python3-ironic-inspector', for: 'the ironic-inspector service that the inspect interface asks' },
  { name: 'python3-ironicclient', for: 'the baremetal command as a real client of the API' },
  { name: 'python3-openstackclient', for: 'the openstack baremetal command as a real client of the API' },
  { name: 'python3-openstacksdk', for: 'openstacksdk as a real client of the API' },
  { name: 'python3-venv', for: 'the Python programs from PyPI' },
  { name: 'qemu-system-x86', for: 'an emulated machine that boots over IPv6' },
  { name: 'qemu-utils', for: 'images in the formats that qemu-img writes, and their conversion' },
  { name: 'shim-signed', for: 'CD images that boot with Secure Boot' },
  { name: 'socat', for: 'the terminal of serial consoles' },
  { name: 'syslinux-common', for: 'CD images that boot with BIOS' },
  { name: 'systemd', for: 'systemd-analyze on the unit files, and sockets that systemd passes' },
  { name: 'tftp-hpa', for: 'the most common TFTP client' },
  { name: 'tgt', for: 'an iSCSI target with a volume that a machine boots from' },
  { name: 'udhcpc', for: 'machines that ask for an address as boot firmware does' },
  { name: 'wget', for: 'boot files over HTTP, going on after an interruption' },
  { name: 'xorriso', for: 'making config drives and CD images' },
  { name: 'zsh', for: 'a shell that completes the commands' },
] as const satisfies readonly DebianPackage[];

/** The packages that `npm run life` uses. */
export const lifePackages = [
  { name: 'busybox-static', for: 'a ramdisk that only reports' },
  { name: 'cpio', for: 'packing the ramdisk with the agent' },
  { name: 'dnsmasq-base', for: 'DHCP and TFTP of the Ironic that the daemon is compared with' },
  { name: 'dosfstools', for: 'the file system of an instance that boots' },
  { name: 'e2fsprogs', for: 'the file system of a cloud image' },
  { name: 'debootstrap', for: 'the Debian system in the ramdisk with the agent' },
  { name: 'gdisk', for: 'the partition table of an instance that boots' },
  { name: 'grub-efi-amd64-signed', for: 'network boot with Secure Boot' },
  { name: 'iproute2', for: 'the network of the emulated machines' },
  { name: 'ipmitool', for: 'power and management of the emulated machines' },
  { name: 'ipxe', for: 'network boot with iPXE' },
  { name: 'ipxe-qemu', for: 'the ROM of emulated network cards' },
  { name: 'isolinux', for: 'CD images that boot with BIOS' },
  { name: 'kmod', for: 'the kernel modules of emulated arm64 machines' },
  { name: 'libvirt-clients', for: 'the guests behind a Redfish emulator' },
  { name: 'libvirt-daemon', for: 'the guests behind a Redfish emulator' },
  { name: 'libvirt-daemon-driver-qemu', for: 'the guests behind a Redfish emulator' },
  { name: 'mmdebstrap', for: 'the file systems of a host and of a cloud image' },
  { name: 'mtools', for: 'the files of an instance that boots' },
  { name: 'nginx-light', for: 'HTTP files of the Ironic that the daemon is compared with' },
  { name: 'openipmi', for: 'the BMCs of the emulated machines (ipmi_sim)' },
  { name: 'ovmf', for: 'UEFI firmware of emulated machines' },
  { name: 'pxelinux', for: 'network boot with pxelinux' },
  { name: 'python3-ironicclient', for: 'the baremetal command of the first machine' },
  { name: 'python3-libvirt', for: 'the Redfish emulator with guests' },
  { name: 'python3-venv', for: 'the Redfish emulator, from PyPI' },
  { name: 'qemu-efi-aarch64', for: 'UEFI firmware of emulated arm64 machines' },
  { name: 'qemu-system-arm', for: 'emulated arm64 machines' },
  { name: 'qemu-system-x86', for: 'emulated machines' },
  { name: 'qemu-utils', for: 'the image of an instance that boots' },
  { name: 'shim-signed', for: 'network boot with Secure Boot' },
  { name: 'syslinux', for: 'the boot loader of an instance on BIOS machines' },
  { name: 'socat', for: 'the terminal of serial consoles' },
  { name: 'syslinux-common', for: 'network boot with pxelinux' },
  { name: 'systemd-boot-efi', for: 'the boot loader of an instance on UEFI machines' },
  { name: 'tcpdump', for: 'a record of what goes over the network of the emulated machines' },
  { name: 'tgt', for: 'the volume of a machine without a disk' },
  { name: 'tini', for: "reaping the processes of libvirt's guests" },
  { name: 'xorriso', for: 'CD images of the ramdisk' },
  { name: 'xz-utils', for: 'unpacking kernel modules' },
] as const satisfies readonly DebianPackage[];

/** The packages that `npm run systemd` uses. */
export const systemdPackages = [
  { name: 'iproute2', for: 'the network of a booted Debian' },
  { name: 'lintian', for: 'the check of the Debian package' },
  { name: 'mmdebstrap', for: 'the file system of a booted Debian' },
] as const satisfies readonly DebianPackage[];

/** The packages of `wanted` that are not installed, judged by the output of `dpkg-query --show`. */
export function missingFrom(wanted: readonly DebianPackage[], dpkgOutput: string): readonly DebianPackage[] {
  const installed = new Set(
    dpkgOutput
      .split('\n')
      .filter((line) => line.startsWith('ii '))
      .map((line) => line.slice(3).trim()),
  );
  return wanted.filter(({ name }) => !installed.has(name));
}

export function missingPackages(wanted: readonly DebianPackage[] = packages): readonly DebianPackage[] {
  const names = wanted.map(({ name }) => name);
  const format = '${db:Status-Abbrev}${Package}\\n';
  const query = spawnSync('dpkg-query', ['--show', `--showformat=${format}`, ...names], { encoding: 'utf8' });
  return missingFrom(wanted, query.stdout ?? '');
}

/** Installs with apt-get, as root or through passwordless sudo; false when that fails. */
export function install(wanted: readonly DebianPackage[]): boolean {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '--non-interactive'];
  const aptGet = (...words: readonly string[]) => {
    const [command = '', ...args] = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...words];
    return spawnSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
  };
  const names = wanted.map(({ name }) => name);
  console.error(`Installing ${names.length} Debian packages that are missing: ${names.join(', ')}.`);
  return (
    aptGet('update', '--quiet') && aptGet('install', '--quiet', '--yes', '--no-install-recommends', ...names)
  );
}

/** Installs those of the packages that are missing. Throws when they cannot be installed. */
export function installMissing(wanted: readonly DebianPackage[]): void {
  const missing = missingPackages(wanted);
  if (missing.length === 0 || install(missing)) return;
  throw new Error(`cannot install ${missing.map(({ name }) => name).join(' ')}`);
}

/** For a test's `skip`: a reason when the package is missing, else false. */
export function skipWithout(name: (typeof packages)[number]['name']): string | false {
  return (
    missingPackages().some((missing) => missing.name === name) &&
    `the Debian package ${name} is not installed`
  );
}
