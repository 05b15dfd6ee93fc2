import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { startInProcess } from '../../../../fakes/daemon/in-process-daemon.ts';

const [A, B, C, D] = [
  '52:54:00:00:00:0a',
  '52:54:00:00:00:0b',
  '52:54:00:00:00:0c',
  '52:54:00:00:00:0d',
] as const;

/** A node in `inspect wait` and in maintenance, with the PXE ports A and B, and what the directories of dnsmasq hold. */
async function booting(t: TestContext, more = '') {
  const folder = mkdtempSync(join(tmpdir(), 'change-ports-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [hosts, options] = [join(folder, 'hosts'), join(folder, 'options')];
  for (const directory of [hosts, options]) mkdirSync(directory);
  const daemon = await startInProcess(t, {
    ini: `enabled_hardware_types = managed-boot,fake-hardware
enabled_boot_interfaces = managed,fake
enabled_inspect_interfaces = agent,no-inspect
[plugins]
path = ${join(import.meta.dirname, '../../../../fakes/plugins')}
[dhcp]
dhcp_provider = dnsmasq
[dnsmasq]
dhcp_optsdir = ${options}
dhcp_hostsdir = ${hosts}
${more}`,
  });
  const { uuid } = await daemon.createNode({ driver: 'managed-boot' });
  const a = await daemon.createPort(uuid, A);
  const b = await daemon.createPort(uuid, B);
  const provision = async (target: string) => {
    const answer = await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target } });
    assert.equal(answer.status, 202, answer.text);
    await daemon.idle();
    return daemon.node(uuid);
  };
  await provision('manage');
  assert.equal((await provision('inspect')).provision_state, 'inspect wait');
  const maintenance = [{ op: 'replace', path: '/maintenance', value: true }];
  await daemon.request('PATCH', `/v1/nodes/${uuid}`, { body: maintenance });
  return {
    daemon,
    uuid,
    hosts,
    provision,
    ports: [a.uuid, b.uuid] as const,
    /** Whether dnsmasq lets each MAC address boot or ignores it. */
    records: () =>
      Object.fromEntries(
        readdirSync(hosts).map((file) => [
          file.slice('ironic-'.length, -'.conf'.length),
          readFileSync(join(hosts, file), 'utf8').includes('set:ironic') ? 'boots' : 'ignored',
        ]),
      ),
    options: () => readdirSync(options),
    patch: (port: string, field: string, value: unknown) => {
      const body = [{ op: 'replace', path: `/${field}`, value }];
      return daemon.request('PATCH', `/v1/ports/${port}`, { body });
    },
  };
}

test('deleting a port or clearing pxe_enabled stops the network boot of that port only', async (t) => {
  const { daemon, ports, patch, records, provision } = await booting(t);
  assert.deepEqual(records(), { [A]: 'boots', [B]: 'boots' });
  assert.equal((await daemon.request('DELETE', `/v1/ports/${ports[0]}`)).status, 204);
  assert.deepEqual(records(), { [A]: 'ignored', [B]: 'boots' });
  assert.equal((await patch(ports[1], 'extra', { a: 1 })).status, 200);
  assert.deepEqual(records(), { [A]: 'ignored', [B]: 'boots' });
  assert.equal((await patch(ports[1], 'pxe_enabled', false)).status, 200);
  assert.deepEqual(records(), { [A]: 'ignored', [B]: 'ignored' });
  await provision('abort');
  assert.deepEqual(records(), { [A]: 'ignored', [B]: 'ignored' });
});

test('changing the address or node of a port stops its network boot', async (t) => {
  const { daemon, ports, patch, records, hosts } = await booting(t);
  const { uuid: other } = await daemon.createNode();
  await daemon.createPort(other, C);
  assert.equal((await patch(ports[0], 'address', C)).status, 409);
  assert.deepEqual(records(), { [A]: 'boots', [B]: 'boots' });
  renameSync(hosts, `${hosts}.away`);
  const refused = await patch(ports[0], 'address', D);
  assert.equal(refused.status, 500);
  assert.match(refused.fault, /^DHCP for node .* failed: ENOENT.*Check that the daemon may write to/);
  assert.equal(daemon.services.db.ports.get(ports[0])?.address, A);
  renameSync(`${hosts}.away`, hosts);
  assert.equal((await patch(ports[0], 'address', D)).status, 200);
  assert.deepEqual(records(), { [A]: 'ignored', [B]: 'boots' });
  assert.equal((await patch(ports[1], 'node_uuid', other)).status, 200);
  assert.deepEqual(records(), { [A]: 'ignored', [B]: 'ignored' });
});

test('a port that inspection removes can no longer boot from the network', async (t) => {
  const { daemon, uuid, records, options } = await booting(
    t,
    '[inspector]\nkeep_ports = present\nadd_ports = all\n',
  );
  await daemon.request('DELETE', `/v1/nodes/${uuid}/maintenance`);
  const interfaces = [{ name: 'eth0', mac_address: B, ipv4_address: '10.0.0.1', has_carrier: true }];
  const inventory = {
    interfaces,
    cpu: { count: 1, architecture: 'x86_64' },
    memory: { physical_mb: 1024 },
    boot: { current_boot_mode: 'uefi', pxe_interface: B },
    disks: [],
  };
  const answer = await daemon.request('POST', '/v1/continue_inspection', { body: { inventory } });
  assert.equal(answer.status, 202, answer.text);
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable', daemon.node(uuid).last_error ?? '');
  assert.deepEqual(
    daemon.services.db.ports.ofNode(uuid).map(({ address }) => address),
    [B],
  );
  assert.deepEqual([records(), options()], [{ [A]: 'ignored', [B]: 'ignored' }, []]);
});

test('deleting a node removes its DHCP options and stops the network boot of its ports', async (t) => {
  const { daemon, uuid, records, options, hosts } = await booting(t);
  renameSync(hosts, `${hosts}.away`);
  assert.match(
    (await daemon.request('DELETE', `/v1/nodes/${uuid}`)).fault,
    /^DHCP for node .* failed: ENOENT/,
  );
  assert.equal(daemon.node(uuid).provision_state, 'inspect wait');
  renameSync(`${hosts}.away`, hosts);
  assert.equal((await daemon.request('DELETE', `/v1/nodes/${uuid}`)).status, 204);
  assert.deepEqual([records(), options()], [{ [A]: 'ignored', [B]: 'ignored' }, []]);
});

test('a missing dnsmasq directory prevents the start only if dhcp_provider is dnsmasq', async (t) => {
  const dnsmasq = '[dnsmasq]\ndhcp_hostsdir = /no/such\n';
  await assert.rejects(
    startInProcess(t, { ini: `[dhcp]\ndhcp_provider = dnsmasq\n${dnsmasq}dhcp_optsdir = ${tmpdir()}\n` }),
    /^Error: \[dnsmasq\] dhcp_hostsdir = \/no\/such: expected a directory that exists\. Create it/,
  );
  await startInProcess(t, { ini: dnsmasq });
});
