// An emulated machine with UEFI boots over IPv6 alone: it gets its address by DHCPv6, and iPXE, script and kernel from this daemon.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { server } from '../../fakes/boot/dhcp-network.ts';
import { type DhcpServerProcess, WITH_SOCKETS } from '../../fakes/boot/dhcp-server-process.ts';
import { mac } from '../../fakes/boot/dhcp-site.ts';
import { IPV6_SUBNET, ipv6Lab } from '../../fakes/dhcp6/dhcp6-network.ts';
import type { NetworkSpace } from '../../fakes/boot/network-space.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip =
  skipWithout('iproute2') || skipWithout('ipxe') || skipWithout('ovmf') || skipWithout('qemu-system-x86');
const OVMF = '/usr/share/OVMF';
const SERVER = '2001:db8:99::1';
const SOCKETS = ['dhcp6-server', 'ra-server', `tftp=[${SERVER}]:69`];

/** A link without IPv4, and a daemon on it that knows the machine with this MAC address, if one is given. */
async function siteWithoutIpv4(
  t: TestContext,
  known: readonly string[] = [mac(1)],
  more: Readonly<Record<string, string>> = {},
): Promise<[NetworkSpace, DhcpServerProcess]> {
  const { lab } = await ipv6Lab(t, []);
  lab.run('ip', '-4', 'address', 'flush', 'dev', 'server');
  lab.run('ip', 'link', 'add', 'name', 'switch0', 'type', 'bridge');
  lab.run('ip', 'tuntap', 'add', 'dev', 'tap0', 'mode', 'tap');
  for (const name of ['clients', 'tap0']) lab.run('ip', 'link', 'set', name, 'master', 'switch0');
  for (const name of ['switch0', 'tap0']) lab.run('ip', 'link', 'set', name, 'up');
  const daemon = server(t, lab, known, [WITH_SOCKETS, ...SOCKETS, '--']);
  const subnet = IPV6_SUBNET.replace(/ dns=\S+ domain=\S+/, '');
  const settings = { IRONIC_TFTP_SERVER__ENABLED: 'true', IRONIC_BOOT_HTTP__PORT: '8080' };
  await daemon.start({ subnet }, { IRONIC_DEFAULT__MY_IP: SERVER, ...settings, ...more });
  return [lab, daemon];
}

/** Switches on a machine without a disk, whose firmware boots from the network in one way only. */
function switchOn(t: TestContext, lab: NetworkSpace, without: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'ipv6-boot-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const variables = join(folder, 'variables.fd');
  copyFileSync(`${OVMF}/OVMF_VARS_4M.fd`, variables);
  const words = [
    '-accel tcg -cpu max,la57=off -machine q35,graphics=off -m 512 -display none -no-reboot -serial none -monitor none',
    '-netdev tap,id=n0,ifname=tap0,script=no,downscript=no',
    `-device virtio-net-pci,netdev=n0,mac=${mac(1)},bootindex=1,romfile= -device virtio-rng-pci`,
    `-drive if=pflash,format=raw,readonly=on,file=${OVMF}/OVMF_CODE_4M.fd`,
    `-drive if=pflash,format=raw,file=${variables}`,
    ...without.map((name) => `-fw_cfg name=opt/org.tianocore/${name},string=n`),
  ];
  lab.spawn('qemu-system-x86_64', ...words.join(' ').split(' ')).stderr.resume();
}

const saysHop = (hop: string, words: RegExp) => (line: Readonly<Record<string, unknown>>) =>
  line['hop'] === hop && words.test(String(line['msg']));

async function bootsItsScript(daemon: DhcpServerProcess): Promise<void> {
  await daemon.logged(saysHop('dhcp', /^gets \S+ and http:\S+\/boot\.ipxe \(ipxe\)$/));
  const script = await daemon.logged(saysHop('http', /^sent ipxe\/52-54-00-00-00-01 /));
  assert.match(String(script['address']), /^2001:db8:99::/);
  await daemon.logged(saysHop('http', /nodes\/\S+\/kernel/));
}

test('UEFI boots iPXE by TFTP, and iPXE the script of its node', { skip }, async (t) => {
  const [lab, daemon] = await siteWithoutIpv4(t);
  switchOn(t, lab, ['IPv4PXESupport']);
  await daemon.logged(saysHop('dhcp', /^gets \S+ and tftp:\S+\/snponly\.efi \(uefi-pxe\)$/));
  await daemon.logged(saysHop('tftp', /^sent snponly\.efi /));
  await bootsItsScript(daemon);
});

test('UEFI boots iPXE by HTTP, and iPXE the script of its node', { skip }, async (t) => {
  const [lab, daemon] = await siteWithoutIpv4(t);
  switchOn(t, lab, ['IPv4PXESupport', 'IPv6PXESupport']);
  await daemon.logged(saysHop('dhcp', /^gets \S+ and http:\S+\/snponly\.efi \(uefi-http\)$/));
  await daemon.logged(saysHop('http', /^sent snponly\.efi /));
  await bootsItsScript(daemon);
});

test('UEFI of a machine without a port boots the ramdisk of unknown machines', { skip }, async (t) => {
  const images = mkdtempSync(join(tmpdir(), 'unknown-images-'));
  t.after(() => rmSync(images, { recursive: true, force: true }));
  const file = (name: string) => {
    writeFileSync(join(images, name), name);
    return pathToFileURL(join(images, name)).href;
  };
  const [lab, daemon] = await siteWithoutIpv4(t, [], {
    IRONIC_AUTO_DISCOVERY__ENABLED: 'true',
    IRONIC_AUTO_DISCOVERY__DRIVER: 'ipmi',
    IRONIC_CONDUCTOR__FILE_URL_ALLOWED_PATHS: images,
    IRONIC_CONDUCTOR__DEPLOY_KERNEL: file('kernel'),
    IRONIC_CONDUCTOR__DEPLOY_RAMDISK: file('ramdisk'),
  });
  switchOn(t, lab, ['IPv4PXESupport']);
  await daemon.logged(saysHop('dhcp', /^gets \S+ and tftp:\S+\/snponly\.efi \(uefi-pxe\)$/));
  const script = await daemon.logged(saysHop('http', /^sent ipxe\/unknown /));
  assert.match(String(script['address']), /^2001:db8:99::/);
  await daemon.logged(saysHop('http', /unknown\/\S*kernel/));
});
