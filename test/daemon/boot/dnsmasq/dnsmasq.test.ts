import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createDnsmasqProvider } from '../../../../daemon/boot/dnsmasq/dnsmasq.ts';
import { type Port, portFields } from '../../../../daemon/model/records/port.ts';
import type { DhcpOption, Node } from '../../../../daemon/plugin-api/index.ts';
import { dhcpTask } from '../../../fakes/task.ts';

const [A, B, C] = ['52:54:00:cf:2d:32', '52:54:00:00:00:0b', '52:54:00:00:00:0c'] as const;
const SERVER = '192.0.2.135';
const OPTIONS: readonly DhcpOption[] = [
  { name: 'bootfile-name', value: 'bootx64.efi' },
  { name: 'tftp-server-name', value: SERVER },
  { name: 'tftp-server-address', value: SERVER },
  { name: 'server-ip-address', value: SERVER },
];

const port = (address: string, pxe_enabled = true) =>
  ({
    ...Object.fromEntries(Object.entries(portFields).map(([name, { initial }]) => [name, initial])),
    address,
    pxe_enabled,
  }) as unknown as Port;

const texts = (directory: string) =>
  Object.fromEntries(
    readdirSync(directory).map((file) => [file, readFileSync(join(directory, file), 'utf8')]),
  );

/** A provider with directories below `within`, and a task with PXE ports A and B and non-PXE port C. */
function providing(
  t: TestContext,
  options: { within?: string; node?: Partial<Node>; ports?: readonly Port[] } = {},
) {
  const { within = tmpdir(), node = {}, ports = [port(A), port(B), port(C, false)] } = options;
  const folder = mkdtempSync(join(within, 'dnsmasq-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const settings = {
    dhcp_optsdir: join(folder, 'opts'),
    dhcp_hostsdir: join(folder, 'hosts'),
    dhcp_leasefile: join(folder, 'leases'),
  };
  mkdirSync(settings.dhcp_optsdir);
  mkdirSync(settings.dhcp_hostsdir);
  const provider = createDnsmasqProvider(settings, null);
  const task = dhcpTask({ node, ports });
  return {
    settings,
    provider,
    task,
    dhcp: provider.of(task),
    tag: () => {
      const { dnsmasq_tag: tag } = task.node.driver_internal_info;
      assert.ok(tag === undefined || typeof tag === 'string');
      return tag;
    },
    options: () => texts(settings.dhcp_optsdir),
    hosts: () => texts(settings.dhcp_hostsdir),
  };
}

const OPTION_FILE = 'ironic-11111111-2222-4333-8444-555555555555.conf';
const hostFiles = (record: (mac: string) => string) =>
  Object.fromEntries([A, B].map((mac) => [`ironic-${mac}.conf`, record(mac)]));
const ignored = hostFiles((mac) => `${mac},ignore\n`);
const tagged = (tag: string | undefined) => hostFiles((mac) => `${mac},set:${tag},set:ironic\n`);

test('update writes the options with the tag of the node and sets that tag for its PXE ports', async (t) => {
  const { dhcp, tag, options, hosts } = providing(t, { node: { driver_internal_info: { kept: 1 } } });
  await dhcp.update(OPTIONS);
  assert.match(tag() ?? '', /^[0-9a-f-]{36}$/);
  const lines = ['67,bootx64.efi', `66,${SERVER}`, `150,${SERVER}`, `255,${SERVER}`];
  assert.deepEqual(options(), {
    [OPTION_FILE]: lines.map((line) => `tag:${tag()},${line}\n`).join(''),
  });
  assert.deepEqual(hosts(), tagged(tag()));
});

test('clean removes the options and the tag and makes dnsmasq ignore the hosts', async (t) => {
  const { dhcp, task, options, hosts } = providing(t, { node: { driver_internal_info: { kept: 1 } } });
  await dhcp.update(OPTIONS);
  await dhcp.clean();
  assert.deepEqual([hosts(), options(), task.node.driver_internal_info], [ignored, {}, { kept: 1 }]);
  await dhcp.clean();
  assert.deepEqual([hosts(), options()], [ignored, {}]);
});

test('dnsmasq knows an InfiniBand card by its client identifier too, also when it is to ignore the card', async (t) => {
  const card = 'ff:00:00:00:00:00:02:00:00:02:c9:00:7c:fe:90:03:00:29:26:52';
  const ports = [{ ...port(A), extra: { 'client-id': card.toUpperCase() } }];
  const { settings, provider, task, dhcp, tag, hosts } = providing(t, { ports });
  await dhcp.update(OPTIONS);
  assert.deepEqual(hosts(), { [`ironic-${A}.conf`]: `${A},id:${card},set:${tag()},set:ironic\n` });
  writeFileSync(settings.dhcp_leasefile, `1795000000 20- 10.0.0.7 * ${card}\n`);
  assert.deepEqual(await dhcp.ipAddresses(), ['10.0.0.7']);
  provider.release(task.node, [A]);
  assert.deepEqual(hosts(), { [`ironic-${A}.conf`]: `${A},id:${card},ignore\n` });
});

test('clean does nothing for a node without DHCP options', async (t) => {
  const { dhcp, task, hosts } = providing(t);
  await dhcp.clean();
  assert.deepEqual([hosts(), task.updates], [{}, []]);
});

test('update keeps the tag for the same options and creates a new tag for different options', async (t) => {
  const { dhcp, tag, options, hosts, settings } = providing(t);
  await dhcp.update(OPTIONS);
  const first = tag();
  const stamps = () =>
    [join(settings.dhcp_optsdir, OPTION_FILE), join(settings.dhcp_hostsdir, `ironic-${A}.conf`)].map(
      (path) => statSync(path, { bigint: true }).ino,
    );
  const before = stamps();
  await dhcp.update(OPTIONS);
  assert.deepEqual([tag(), stamps()], [first, before]);
  await dhcp.update(OPTIONS.slice(0, 1));
  assert.notEqual(tag(), first);
  assert.deepEqual(options(), { [OPTION_FILE]: `tag:${tag()},67,bootx64.efi\n` });
  assert.deepEqual(hosts(), tagged(tag()));
  await dhcp.clean();
  await dhcp.update(OPTIONS);
  assert.notEqual(tag(), first);
});

test('update writes the options first, then stores the tag, then writes the hosts', async (t) => {
  const { provider, task, options, hosts } = providing(t);
  const seen: unknown[] = [];
  const watched = {
    ...task,
    node: task.node,
    store: () => seen.push(Object.keys(options()), Object.keys(hosts())),
  };
  await provider.of(watched).update(OPTIONS);
  assert.deepEqual(seen, [[OPTION_FILE], []]);
});

test('the next update or clean repairs files that a crash left inconsistent', async (t) => {
  for (const leftBehind of ['no files', 'options of an older tag', 'a lost host', 'a host of an older tag']) {
    const { dhcp, tag, options, hosts, settings } = providing(t);
    await dhcp.update(OPTIONS);
    const spoil = () => {
      const host = join(settings.dhcp_hostsdir, `ironic-${A}.conf`);
      const option = join(settings.dhcp_optsdir, OPTION_FILE);
      if (leftBehind === 'no files') for (const file of [option, host]) rmSync(file);
      else if (leftBehind === 'options of an older tag') writeFileSync(option, 'tag:old,67,x\n');
      else if (leftBehind === 'a lost host') rmSync(host);
      else writeFileSync(host, `${A},set:old,set:ironic\n`);
    };
    spoil();
    await dhcp.update(OPTIONS);
    assert.match(options()[OPTION_FILE] ?? '', new RegExp(`^tag:${tag()},67,`), leftBehind);
    assert.deepEqual(hosts(), tagged(tag()), leftBehind);
    spoil();
    await dhcp.clean();
    assert.deepEqual([hosts(), options(), tag()], [ignored, {}, undefined], leftBehind);
  }
  const { dhcp, options, settings } = providing(t);
  writeFileSync(join(settings.dhcp_optsdir, OPTION_FILE), 'tag:written-before-the-crash,67,x\n');
  await dhcp.clean();
  assert.deepEqual(options(), {});
});

test('release makes dnsmasq ignore a MAC address if the node has DHCP options, and otherwise writes no file', async (t) => {
  const { dhcp, provider, task, tag, hosts } = providing(t);
  provider.release(task.node, [A]);
  assert.deepEqual(hosts(), {});
  await dhcp.update(OPTIONS);
  provider.release(task.node, [A]);
  assert.deepEqual(hosts(), { ...tagged(tag()), [`ironic-${A}.conf`]: `${A},ignore\n` });
});

test('update writes world-readable files and replaces symbolic links', async (t) => {
  const { dhcp, settings, hosts } = providing(t);
  const theirs = join(settings.dhcp_hostsdir, '..', 'theirs');
  writeFileSync(theirs, 'theirs');
  symlinkSync(theirs, join(settings.dhcp_hostsdir, `ironic-${A}.conf`));
  const umask = process.umask(0o077);
  t.after(() => process.umask(umask));
  await dhcp.update(OPTIONS);
  assert.equal(readFileSync(theirs, 'utf8'), 'theirs');
  assert.deepEqual(Object.keys(hosts()).length, 2);
  assert.equal(statSync(join(settings.dhcp_hostsdir, `ironic-${A}.conf`)).mode & 0o777, 0o644);
});

test('an invalid option value or MAC address is rejected, and no file is written', async (t) => {
  const { dhcp, options, hosts, task, provider } = providing(t);
  const evil = { name: 'bootfile-name', value: 'a\ndhcp-script=/bin/sh' } as const;
  await assert.rejects(dhcp.update([...OPTIONS, evil]), { code: 'DhcpOptionInvalid' });
  for (const address of [`${A}\n*:*:*:*:*:*`, `${A},set:x`, '../../etc/x', A.toUpperCase(), '']) {
    const ports = [port(B), port(address)];
    await assert.rejects(provider.of(dhcpTask({ ports })).update(OPTIONS), { code: 'InvalidMac' });
  }
  assert.deepEqual([options(), hosts(), task.updates], [{}, {}, []]);
});

test('ipAddresses returns the leases of PXE ports; a missing lease file counts as empty, an unreadable one fails', async (t) => {
  const { dhcp, settings } = providing(t);
  assert.deepEqual(await dhcp.ipAddresses(), []);
  const leases = [B, A, C].map((mac, index) => `1795000000 ${mac} 10.0.0.${index} * *\n`);
  writeFileSync(settings.dhcp_leasefile, leases.join(''));
  assert.deepEqual(await dhcp.ipAddresses(), ['10.0.0.1', '10.0.0.0']);
  rmSync(settings.dhcp_leasefile);
  mkdirSync(settings.dhcp_leasefile);
  await assert.rejects(
    dhcp.ipAddresses(),
    /DHCP for node 11111111.*EISDIR.*may read \S+leases \(\[dnsmasq\]/,
  );
});

/** A directory on a file system with these mount options, unmounted at the end of the test. */
async function mounted(t: TestContext, mountOptions: string) {
  const shell = `mount -t tmpfs -o ${mountOptions} tmpfs /mnt; echo there; exec cat`;
  const space = spawn('unshare', ['--map-root-user', '--mount', 'sh', '-ec', shell], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => void space.stdin.end());
  await once(space.stdout, 'data');
  return join('/proc', String(space.pid), 'root', 'mnt');
}

test('on a full disk, update and clean fail without partial files, and succeed once there is space', async (t) => {
  const within = await mounted(t, 'size=32k');
  const { dhcp, hosts, options, tag } = providing(t, { within });
  const ballast = join(within, 'ballast');
  assert.throws(() => writeFileSync(ballast, Buffer.alloc(1 << 20)), /ENOSPC/);
  await assert.rejects(
    dhcp.update(OPTIONS),
    /^Fault: DHCP for node 11111111\S+ failed: ENOSPC.* Check that the daemon may write to \S+opts and that its disk is not full/,
  );
  assert.deepEqual([options(), hosts(), tag()], [{}, {}, undefined]);
  rmSync(ballast);
  await dhcp.update(OPTIONS);
  assert.deepEqual(hosts(), tagged(tag()));
  assert.throws(() => writeFileSync(ballast, Buffer.alloc(1 << 20)), /ENOSPC/);
  const before = tag();
  await assert.rejects(dhcp.clean(), { code: 'DhcpFailed' });
  assert.deepEqual([hosts(), tag()], [tagged(before), before]);
  rmSync(ballast);
  await dhcp.clean();
  assert.deepEqual([hosts(), options(), tag()], [ignored, {}, undefined]);
});

test('a missing, shared or read-only directory prevents the start', async (t) => {
  const { settings } = providing(t);
  const start =
    (changed: object, filtersHosts: string | null = null) =>
    () =>
      createDnsmasqProvider({ ...settings, ...changed }, filtersHosts);
  assert.throws(
    start({ dhcp_optsdir: '/no/such' }),
    /^Error: \[dnsmasq\] dhcp_optsdir = \/no\/such: expected a directory that exists. Create it/,
  );
  writeFileSync(settings.dhcp_leasefile, '');
  assert.throws(
    start({ dhcp_hostsdir: settings.dhcp_leasefile }),
    /dhcp_hostsdir = .*leases: expected a directory/,
  );
  assert.throws(
    start({ dhcp_optsdir: settings.dhcp_hostsdir }),
    /dhcp_optsdir = .*: expected a directory other than \[dnsmasq\] dhcp_hostsdir/,
  );
  const link = join(settings.dhcp_hostsdir, '..', 'link');
  symlinkSync(settings.dhcp_hostsdir, link);
  assert.throws(
    start({}, link),
    /^Error: \[pxe_filter\] dhcp_hostsdir = .*link: expected a directory other than/,
  );
  renameSync(link, `${link}.away`);
  assert.doesNotThrow(start({}, link));
  const readOnly = await mounted(t, 'ro');
  assert.throws(
    start({ dhcp_hostsdir: readOnly }),
    /dhcp_hostsdir = \S+: expected a directory that this user may write to: EROFS.*Make the daemon's user its owner/,
  );
});
