// All built-in hooks together process complete reports: the resulting node, ports, inventory and saved logs.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { JsonObject } from '../../daemon/model/json.ts';
import { startInProcess } from '../fakes/daemon/in-process-daemon.ts';
import { ALL_HOOKS, inspectionReports } from '../fakes/inspection-hooks.ts';

interface Report {
  readonly inventory: JsonObject & { readonly interfaces: readonly { readonly mac_address: string }[] };
  readonly [key: string]: unknown;
}

const fixture = (name: string) => inspectionReports()[name] as unknown as Report;

async function waiting(t: TestContext, address: string, more = '') {
  const cidrs = 'physical_network_cidr_map = 10.20.110.0/24:prov,2001:db8:12:1::/64:data';
  const ini = `[inspector]\nhooks = ${ALL_HOOKS.join(',')}\n${cidrs}\n${more}\n`;
  const daemon = await startInProcess(t, { ini });
  const { uuid } = await daemon.createNode({ driver: 'lab', name: 'rack-1' });
  await daemon.createPort(uuid, address);
  return {
    daemon,
    uuid,
    inspect: async (body: object) => {
      daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait', power_state: 'power on' });
      const answer = await daemon.request('POST', '/v1/continue_inspection', { version: null, body });
      assert.equal(answer.status, 202, answer.text);
      await daemon.idle();
      return daemon.node(uuid);
    },
    ports: async () => (await daemon.request('GET', `/v1/nodes/${uuid}/ports/detail`)).body.ports,
    inventory: () => daemon.request('GET', `/v1/nodes/${uuid}/inventory`),
    savedLogs: () => {
      const directory = join(daemon.stateDirectory, 'ramdisk-logs');
      return daemon.log().includes('saved the logs of the ramdisk')
        ? readdirSync(directory).map((file) => [file, readFileSync(join(directory, file))] as const)
        : [];
    },
  };
}

test('all hooks process the report of a small virtual machine', async (t) => {
  const { inspect, ports, inventory, savedLogs } = await waiting(t, '52:54:00:7a:1c:01');
  const { last_error, properties } = await inspect(fixture('constructed-vm'));
  assert.equal(last_error, null);
  assert.deepEqual(properties, {
    cpu_arch: 'x86_64',
    cpus: 4,
    memory_mb: 8192,
    local_gb: 39,
    capabilities: 'boot_mode:bios,cpu_vt:true,cpu_aes:true,cpu_hugepages:true,cpu_hugepages_1g:true',
  });
  const [port, ...others] = await ports();
  assert.partialDeepStrictEqual(port, { address: '52:54:00:7a:1c:01', pxe_enabled: true });
  assert.deepEqual(others, []);
  const { inventory: stored, plugin_data } = (await inventory()).body;
  assert.deepEqual(stored, fixture('constructed-vm').inventory);
  assert.equal('logs' in (plugin_data as object), false);
  assert.deepEqual(savedLogs(), []);
});

const link = (switch_id: string, port_id: string, switch_info: string) => ({
  switch_id,
  port_id,
  switch_info,
});

test('all hooks process the report of a server with four network interfaces, LLDP and an accelerator', async (t) => {
  const { inspect, ports, inventory } = await waiting(t, 'b0:7b:25:e1:44:10', 'add_ports = all');
  const { last_error, properties } = await inspect(fixture('constructed-server'));
  assert.equal(last_error, null);
  assert.partialDeepStrictEqual(properties, { cpus: 128, memory_mb: 524_288, local_gb: 445 });
  assert.match(properties['capabilities'] as string, /^boot_mode:uefi,.*cpu_txt:true$/);
  const found = properties['accelerators'] as readonly JsonObject[];
  assert.deepEqual(
    found.map(({ pci_address, type }) => [pci_address, type]),
    [['0000:ca:00.0', 'GPU']],
  );
  assert.deepEqual(
    (await ports()).map((port) => [
      port['address'],
      port['pxe_enabled'],
      port['physical_network'],
      port['local_link_connection'],
    ]),
    [
      ['b0:7b:25:e1:44:10', true, 'prov', link('40:71:83:0c:5e:00', 'xe-0/0/7', 'tor-r12-mgmt')],
      ['b0:7b:25:e1:44:11', false, null, {}],
      ['04:3f:72:c9:0a:70', false, 'data', link('c4:ca:2b:91:40:10', 'Ethernet17/1', 'leaf-r12-a')],
      ['04:3f:72:c9:0a:71', false, null, link('c4:ca:2b:91:48:10', 'Ethernet17/1', 'leaf-r12-b')],
    ],
  );
  const { parsed_lldp, extra, ...pluginData } = (await inventory()).body['plugin_data'] as Record<
    string,
    JsonObject
  >;
  assert.equal(Object.keys(parsed_lldp ?? {}).length, 3);
  assert.equal(JSON.stringify(extra).includes('"number":128'), true);
  assert.equal('data' in pluginData, false);
});

test('a report with errors fails the inspection, keeps the logs and leaves the earlier inventory', async (t) => {
  const report = fixture('constructed-error');
  const { inspect, inventory, savedLogs, uuid } = await waiting(
    t,
    report.inventory.interfaces[0]?.mac_address ?? '',
  );
  const { error: _, ...healthy } = report;
  await inspect({ ...healthy, inventory: { ...report.inventory, memory: { physical_mb: 1024 } } });
  const before = (await inventory()).text;
  const { provision_state, last_error } = await inspect({
    ...report,
    logs: Buffer.from('archive').toString('base64'),
  });
  assert.equal(provision_state, 'inspect failed');
  assert.match(last_error ?? '', /ramdisk-error: .*\n\* .*\n\* /);
  assert.equal((await inventory()).text, before);
  assert.deepEqual(savedLogs(), [
    [`${uuid}_rack-1_inspect_2026-01-01-00-00-00.tar.gz`, Buffer.from('archive')],
  ]);
});

test('deploy_logs_collect keeps logs always or never, and logs that cannot be saved do not fail the inspection', async (t) => {
  const vm = fixture('constructed-vm');
  const archive = Buffer.from(String(vm['logs']), 'base64');
  assert.ok(archive.length > 0);
  const always = await waiting(t, '52:54:00:7a:1c:01', '[agent]\ndeploy_logs_collect = always');
  assert.equal((await always.inspect(vm)).provision_state, 'manageable');
  assert.deepEqual(
    always.savedLogs().map(([, content]) => content),
    [archive],
  );
  const never = await waiting(t, '52:54:00:7a:1c:01', '[agent]\ndeploy_logs_collect = never');
  assert.equal((await never.inspect({ ...vm, error: 'x' })).provision_state, 'inspect failed');
  assert.deepEqual(never.savedLogs(), []);
  const nowhere = '[agent]\ndeploy_logs_collect = always\ndeploy_logs_local_path = /proc/none';
  const unkept = await waiting(t, '52:54:00:7a:1c:01', nowhere);
  assert.equal((await unkept.inspect(vm)).provision_state, 'manageable');
  assert.match(unkept.daemon.log(), /could not save the logs/);
  assert.equal((await unkept.inspect({ ...vm, logs: 'not Base64' })).provision_state, 'manageable');
  assert.match(unkept.daemon.log(), /sent no archive of its logs/);
});

test('a disk that is new in the second inspection becomes the root device', async (t) => {
  const server = fixture('constructed-server');
  const [first, ...added] = server.inventory['disks'] as readonly JsonObject[];
  const { inspect } = await waiting(t, 'b0:7b:25:e1:44:10');
  const withDisks = (disks: readonly unknown[]) => ({ ...server, inventory: { ...server.inventory, disks } });
  assert.equal((await inspect(withDisks([first]))).properties['root_device'], undefined);
  const { properties } = await inspect(withDisks([first, added[0]]));
  assert.deepEqual(properties['root_device'], { serial: added[0]?.['serial'] });
  assert.equal(properties['local_gb'], 1489);
});

test('data_backend = none stores no inventory and still updates the node', async (t) => {
  const { inspect, inventory, daemon, uuid } = await waiting(
    t,
    '52:54:00:7a:1c:01',
    '[inventory]\ndata_backend = none',
  );
  assert.equal((await inspect(fixture('constructed-vm'))).properties['cpus'], 4);
  assert.equal((await inventory()).status, 404);
  assert.equal(daemon.services.db.inventory.get(uuid), undefined);
});
