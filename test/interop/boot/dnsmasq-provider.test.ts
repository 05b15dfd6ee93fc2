// The daemon with a real dnsmasq, which names a boot file only to machines with managed boot. With and without ironic-pxe-filter.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ProvisionState } from '../../../daemon/model/states/provision-states.ts';
import { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import { DhcpLab, skipWithoutDhcpLab } from '../../fakes/boot/dhcp-lab.ts';
import { FilterProcess } from '../../fakes/boot/filter-process.ts';

const [A, SECOND, STRANGER, UNKNOWN] = [
  '52:54:00:00:00:0a',
  '52:54:00:00:00:0b',
  '52:54:00:00:00:0e',
  'unknown_hosts_filter',
] as const;
const HOST_FILE = `ironic-${A}.conf`;
const skip = skipWithoutDhcpLab();
const NOBODY = ['ignored', 'ignored', 'ignored'];

const firmware = (vendorClass: string, architecture: string) => [
  '-V',
  vendorClass,
  '-x',
  `0x5d:${architecture}`,
];
const BIOS = firmware('PXEClient:Arch:00000:UNDI:002001', '0000');
const UEFI = firmware('PXEClient:Arch:00007:UNDI:003001', '0007');
const UEFI_HTTP = firmware('HTTPClient:Arch:00016:UNDI:003001', '0010');
// the user class and the encapsulated options that iPXE sends on BIOS and UEFI machines alike
const IPXE = [...UEFI, '-x', '0x4d:69505845', '-x', '0xaf:b10501'];

const told = (bootfile: string) => ({
  bootfile,
  tftp: '192.0.2.135',
  opt150: 'c0000287',
  siaddr: '192.0.2.135',
});
/** The boot options of a lease without a TFTP server, and with this boot file if one is given. */
const plain = (bootfile?: string) => ({ bootfile, tftp: undefined, opt150: undefined, siaddr: '10.99.0.1' });

/** A daemon with the node n1 and its ports A and SECOND, of which only A has pxe_enabled, and a dnsmasq not yet started. */
async function site(t: TestContext, words: (folders: Readonly<Record<string, string>>) => readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'dnsmasq-provider-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const made = (name: string) => {
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const folders = { hosts: made('hosts'), options: made('options'), filter: made('filter') };
  const environment = {
    IRONIC_PLUGINS__PATH: join(import.meta.dirname, '../../fakes/plugins'),
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'managed-boot',
    IRONIC_DEFAULT__ENABLED_BOOT_INTERFACES: 'managed,no-boot',
    IRONIC_DEFAULT__ENABLED_INSPECT_INTERFACES: 'agent',
    IRONIC_DHCP__DHCP_PROVIDER: 'dnsmasq',
    IRONIC_DNSMASQ__DHCP_OPTSDIR: folders.options,
    IRONIC_DNSMASQ__DHCP_HOSTSDIR: folders.hosts,
    IRONIC_DNSMASQ__DHCP_LEASEFILE: join(folder, 'leases'),
    IRONIC_PXE_FILTER__DHCP_HOSTSDIR: folders.filter,
  };
  const daemon = await DaemonProcess.start(environment);
  t.after(() => daemon[Symbol.asyncDispose]());
  const lab = await DhcpLab.start(
    ...words(folders),
    `--dhcp-optsdir=${folders.options}`,
    `--dhcp-leasefile=${join(folder, 'leases')}`,
    '--dhcp-match=set:ipxe,175',
  );
  t.after(() => lab[Symbol.asyncDispose]());
  await daemon.request('POST', '/v1/nodes', { driver: 'managed-boot', name: 'n1' });
  const { uuid: node_uuid } = await daemon.node('n1');
  await daemon.request('POST', '/v1/ports', { address: A, node_uuid });
  await daemon.request('POST', '/v1/ports', { address: SECOND, node_uuid, pxe_enabled: false });

  const ask = async (mac: string, kind: readonly string[] = UEFI) => {
    const lease = await lab.lease(mac, kind);
    if (lease === undefined) return 'ignored';
    return Object.fromEntries(Object.keys(plain()).map((name) => [name, lease[name]]));
  };
  return {
    daemon,
    lab,
    folders,
    environment,
    uuid: node_uuid,
    ask,
    async patch(operation: object) {
      const { status, body } = await daemon.request('PATCH', '/v1/nodes/n1', [operation]);
      assert.equal(status, 200, JSON.stringify(body));
    },
    outcomes: async () => Promise.all([A, SECOND, STRANGER].map((mac) => ask(mac))),
    /** Requests the provision target and waits until the node is in the state and dnsmasq has read the files. */
    async move(target: string, state: ProvisionState, read: readonly string[]) {
      const mark = lab.log.length;
      const { status, body } = await daemon.request('PUT', '/v1/nodes/n1/states/provision', { target });
      assert.equal(status, 202, JSON.stringify(body));
      const is = await daemon.nodeWhen(
        'n1',
        (node) => node.provision_state === state && node.reservation === null,
      );
      await lab.hasRead(read, mark);
      return is;
    },
    async restartDnsmasq() {
      await lab.stopDnsmasq();
      await lab.startDnsmasq();
    },
  };
}

const alone =
  'dnsmasq gives a managed machine the name of its boot file during inspection and ignores the machine otherwise';

test(alone, { skip }, async (t) => {
  const at = await site(t, ({ hosts }) => [`--dhcp-hostsdir=${hosts}`, '--dhcp-ignore=tag:!ironic']);
  const { daemon, lab, folders } = at;
  const optionFile = `ironic-${at.uuid}.conf`;
  await lab.startDnsmasq();
  await at.move('manage', 'manageable', []);
  assert.deepEqual(await at.outcomes(), NOBODY);

  const managed = [told('snponly.efi'), 'ignored', 'ignored'];
  await at.move('inspect', 'inspect wait', [optionFile, HOST_FILE]);
  assert.deepEqual(await at.outcomes(), managed);
  assert.deepEqual(await at.ask(A, BIOS), told('snponly.efi'));
  assert.deepEqual(await at.ask(A, IPXE), told('http://192.0.2.135/boot.ipxe'));
  await at.restartDnsmasq();
  assert.deepEqual(await at.outcomes(), managed, 'after a restart of dnsmasq');
  await daemon.kill();
  await daemon.restart(at.environment);
  assert.deepEqual(await at.outcomes(), managed, 'after a crash of the daemon');

  await at.move('abort', 'inspect failed', [HOST_FILE]);
  assert.deepEqual(await at.outcomes(), NOBODY);
  assert.deepEqual(readdirSync(folders.options), []);
  await at.restartDnsmasq();
  assert.deepEqual(await at.outcomes(), NOBODY, 'after a restart of dnsmasq');

  const url = 'http://192.0.2.135/snponly.efi?node=1#x';
  await at.patch({ op: 'add', path: '/driver_info/boot_file', value: url });
  await at.move('inspect', 'inspect wait', [optionFile, HOST_FILE]);
  const asked = lab.log.length;
  assert.deepEqual(await at.ask(A, UEFI_HTTP), plain(url));
  assert.match(lab.log.slice(asked).join('\n'), /option: 60 vendor-class\s+48:54:54:50:43:6c:69:65:6e:74$/m);

  // the daemon survives a missing directory and reports it
  renameSync(folders.hosts, `${folders.hosts}.away`);
  const { last_error } = await at.move('abort', 'inspect failed', []);
  assert.match(
    last_error ?? '',
    new RegExp(`Cleaning up .* DHCP for node ${at.uuid} failed: ENOENT.* may write to ${folders.hosts} `),
  );
  renameSync(`${folders.hosts}.away`, folders.hosts);
  await at.patch({ op: 'add', path: '/maintenance', value: true });
  const before = lab.log.length;
  assert.equal((await daemon.request('DELETE', '/v1/nodes/n1')).status, 204);
  await lab.hasRead([HOST_FILE], before);
  assert.deepEqual(await at.outcomes(), NOBODY);
  assert.deepEqual(readdirSync(folders.options), []);
});

const infiniband =
  'dnsmasq knows a card by the client identifier of its port, by the host files of the daemon and by those of ironic-pxe-filter';

test(infiniband, { skip }, async (t) => {
  const at = await site(t, ({ hosts, filter }) => [`--dhcp-hostsdir=${filter}`, `--dhcp-hostsdir=${hosts}`]);
  const { daemon, lab, environment } = at;
  const identifier = 'ff:00:00:00:00:00:02:00:00:02:c9:00:7c:fe:90:03:00:29:26:52';
  const { body } = await daemon.request('GET', `/v1/ports?address=${A}`);
  const [port] = (body as unknown as { readonly ports: readonly { readonly uuid: string }[] }).ports;
  const change = { op: 'add', path: '/extra/client-id', value: identifier };
  assert.equal((await daemon.request('PATCH', `/v1/ports/${port?.uuid}`, [change])).status, 200);
  await using _ = await FilterProcess.start({ ...environment, IRONIC_DEFAULT__STATE_PATH: daemon.statePath });
  await lab.startDnsmasq();
  // its address is not that of the port, as that of an InfiniBand card never is
  const card = () => at.ask(STRANGER, [...UEFI, '-x', `0x3d:${identifier.replaceAll(':', '')}`]);

  await at.move('manage', 'manageable', []);
  assert.equal(await card(), 'ignored');
  await at.move('inspect', 'inspect wait', [HOST_FILE, A, UNKNOWN]);
  assert.deepEqual(await card(), told('snponly.efi'));
  await at.move('abort', 'inspect failed', [HOST_FILE, A, UNKNOWN]);
  assert.equal(await card(), 'ignored');
});

const withFilter =
  'with ironic-pxe-filter, dnsmasq gives a managed machine the name of its boot file, and the filter controls all other machines';

test(withFilter, { skip }, async (t) => {
  const at = await site(t, ({ hosts, filter }) => [`--dhcp-hostsdir=${filter}`, `--dhcp-hostsdir=${hosts}`]);
  const { daemon, lab, environment } = at;
  const settings = { ...environment, IRONIC_DEFAULT__STATE_PATH: daemon.statePath };
  await using _ = await FilterProcess.start(settings);
  const staysSo = async (expected: readonly unknown[]) => {
    assert.deepEqual(await at.outcomes(), expected);
    await at.restartDnsmasq();
    assert.deepEqual(await at.outcomes(), expected, 'after a restart of dnsmasq');
  };
  await lab.startDnsmasq();
  await at.move('manage', 'manageable', []);
  await staysSo(NOBODY);

  await at.move('inspect', 'inspect wait', [HOST_FILE, A, UNKNOWN]);
  await staysSo([told('snponly.efi'), plain(), plain()]);
  await daemon.kill();
  await daemon.restart(environment);
  await at.move('abort', 'inspect failed', [HOST_FILE, A, UNKNOWN]);
  await staysSo(NOBODY);

  // the host record of A that the daemon has left behind does not block an inspection with unmanaged boot
  await at.move('manage', 'manageable', []);
  await at.patch({ op: 'replace', path: '/boot_interface', value: 'no-boot' });
  await at.move('inspect', 'inspect wait', [A, UNKNOWN]);
  await staysSo([plain(), plain(), plain()]);
  await at.move('abort', 'inspect failed', [A, UNKNOWN]);
  await staysSo(NOBODY);
});
