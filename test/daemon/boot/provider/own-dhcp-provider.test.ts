import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BootStage } from '../../../../daemon/boot/dhcp/client.ts';
import { choiceOfOptions } from '../../../../daemon/boot/provider/own-dhcp-provider.ts';
import { NodeTask } from '../../../../daemon/conductor/tasks/task.ts';
import type { ValidDhcpOption } from '../../../../daemon/boot/provider/valid-dhcp-options.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const MAC = '52:54:00:00:00:01';

const choice = (options: readonly ValidDhcpOption[], stage: BootStage) =>
  choiceOfOptions(
    options.map(({ client = null, ...option }) => ({ ...option, client })),
    {
      client: { mac: MAC, stage, firmware: 'uefi', architecture: 'x86_64' },
    },
  );

test('firmware and iPXE get the boot file that is meant for them, from the server that the options name', () => {
  const options: readonly ValidDhcpOption[] = [
    { name: 'bootfile-name', value: 'vendor.efi', client: 'firmware' },
    { name: 'bootfile-name', value: 'http://10.0.0.9/boot.ipxe', client: 'ipxe' },
    { name: 'server-ip-address', value: '10.0.0.9' },
  ];
  assert.deepEqual(choice(options, 'uefi-pxe'), { kind: 'tftp', file: 'vendor.efi', nextServer: 0x0a000009 });
  assert.deepEqual(choice(options, 'ipxe'), { kind: 'http', url: 'http://10.0.0.9/boot.ipxe' });
  assert.equal(choice(options, 'os'), undefined);
  assert.equal(choice([{ name: 'server-ip-address', value: '10.0.0.9' }], 'uefi-pxe'), undefined);
});

test("a plugin's DHCP options stay in the node's record until the plugin withdraws them, and addresses come from leases", async (t) => {
  const daemon = await startInProcess(t, {
    ini: '[dhcp_server]\nsubnet = 10.0.0.0/24 range=10.0.0.50-10.0.0.60',
  });
  const { uuid } = await daemon.createNode();
  await daemon.request('POST', '/v1/ports', { body: { node_uuid: uuid, address: MAC } });
  const { services } = daemon;
  const taskNow = () => {
    const node = services.db.nodes.get(uuid);
    assert.ok(node);
    return new NodeTask({ services, caller: null }, node);
  };
  const options = [{ name: 'bootfile-name', value: 'vendor.efi' }] as const;
  await taskNow().dhcp.update(options);
  const kept = [{ name: 'bootfile-name', value: 'vendor.efi', client: null }];
  assert.deepEqual(taskNow().node.driver_internal_info.dhcp_options, kept);
  const now = services.clock.now();
  services.db.dhcpLeases.put({ address: '10.0.0.50', mac: MAC, expires_at: now + 1 });
  services.db.dhcpLeases.put({ address: '10.0.0.51', mac: '52:54:00:00:00:02', expires_at: now + 1 });
  assert.deepEqual(await taskNow().dhcp.ipAddresses(), ['10.0.0.50']);
  services.db.dhcpLeases.put({ address: '10.0.0.50', mac: MAC, expires_at: now });
  assert.deepEqual(await taskNow().dhcp.ipAddresses(), [], 'the lease has expired');
  await rejectsFault(
    taskNow().dhcp.update([{ name: 'bootfile-name', value: 'two words' }]),
    'DhcpOptionInvalid',
    /without white space/,
  );
  await rejectsFault(
    taskNow().dhcp.update([{ name: 'server-ip-address', value: '::1' }]),
    'DhcpOptionInvalid',
    /IPv4/,
  );
  await taskNow().dhcp.clean();
  assert.equal(taskNow().node.driver_internal_info.dhcp_options, undefined);
});
