// ironic-pxe-filter with a running daemon and a real dnsmasq, which serves or ignores each machine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ProvisionState } from '../../../daemon/model/states/provision-states.ts';
import { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import { DhcpLab, skipWithoutDhcpLab } from '../../fakes/boot/dhcp-lab.ts';
import { FILTER_COMMAND, FilterProcess } from '../../fakes/boot/filter-process.ts';

const [A, B, STRANGER, UNKNOWN] = [
  '52:54:00:00:00:0a',
  '52:54:00:00:00:0b',
  '52:54:00:00:00:0e',
  'unknown_hosts_filter',
] as const;

const sentence =
  'during inspections, dnsmasq serves the inspected and unknown machines, across restarts of the daemon, the filter and dnsmasq';

test(sentence, { skip: skipWithoutDhcpLab() }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pxe-filter-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const hosts = mkdtempSync(join(folder, 'hosts-'));
  await using daemon = await DaemonProcess.start();
  await using lab = await DhcpLab.start(
    `--dhcp-hostsdir=${hosts}`,
    `--dhcp-leasefile=${join(folder, 'leases')}`,
  );
  const settings = {
    IRONIC_DEFAULT__STATE_PATH: daemon.statePath,
    IRONIC_PXE_FILTER__DHCP_HOSTSDIR: hosts,
  };
  const follow = (more = {}) => FilterProcess.start({ ...settings, ...more });

  /** Requests the provision target and waits until the node is in the state and dnsmasq has read the files. */
  const move = async (target: string, state: ProvisionState, changed: readonly string[]) => {
    const mark = lab.log.length;
    const { status, body } = await daemon.request('PUT', '/v1/nodes/n1/states/provision', { target });
    assert.equal(status, 202, JSON.stringify(body));
    await daemon.nodeWhen('n1', (node) => node.provision_state === state && node.reservation === null);
    await lab.hasRead(changed, mark);
  };
  const outcomes = async () => {
    const asked = [A, B, STRANGER].map(async (mac) => [mac, await lab.ask(mac)] as const);
    return Object.fromEntries(await Promise.all(asked));
  };
  const nobody = { [A]: 'ignored', [B]: 'ignored', [STRANGER]: 'ignored' };
  const inspected = { [A]: 'served', [B]: 'ignored', [STRANGER]: 'served' };

  for (const [name, address] of [
    ['n1', A],
    ['n2', B],
  ] as const) {
    await daemon.request('POST', '/v1/nodes', { driver: 'manual-management', name });
    const { uuid: node_uuid } = await daemon.node(name);
    await daemon.request('POST', '/v1/ports', { address, node_uuid });
  }

  await t.test('a machine and unknown ones are served only during its inspection', async () => {
    await using filter = await follow();
    await lab.startDnsmasq();
    await move('manage', 'manageable', []);
    assert.deepEqual(await outcomes(), nobody);
    await move('inspect', 'inspect wait', [A, UNKNOWN]);
    assert.deepEqual(await outcomes(), inspected);
    await move('abort', 'inspect failed', [A, UNKNOWN]);
    assert.deepEqual(await outcomes(), nobody);
    await filter.end('SIGKILL');
  });

  await t.test('a starting filter catches up and survives restarts of dnsmasq and the daemon', async () => {
    await move('inspect', 'inspect wait', []);
    assert.deepEqual(await outcomes(), nobody);
    const untouched = statSync(join(hosts, B), { bigint: true });
    const mark = lab.log.length;
    await using filter = await follow();
    await lab.hasRead([A, UNKNOWN], mark);
    assert.deepEqual(await outcomes(), inspected);
    assert.equal(statSync(join(hosts, B), { bigint: true }).ino, untouched.ino);

    await lab.stopDnsmasq();
    await lab.startDnsmasq();
    assert.deepEqual(await outcomes(), inspected, 'after a restart of dnsmasq');

    await daemon.kill();
    await daemon.restart();
    assert.deepEqual(await outcomes(), inspected, 'after a crash of the daemon');
    await daemon.stop();
    await daemon.restart();
    await move('abort', 'inspect failed', [A, UNKNOWN]);
    assert.deepEqual(await outcomes(), nobody, 'after a restart of the daemon');
    await filter.end('SIGTERM');
  });

  await t.test(
    'a machine with a deleted port is treated as unknown, and purge deletes its file',
    async () => {
      await using filter = await follow();
      const { body } = await daemon.request<{ readonly ports: readonly { readonly uuid: string }[] }>(
        'GET',
        `/v1/ports?address=${B}`,
      );
      assert.equal((await daemon.request('DELETE', `/v1/ports/${body.ports[0]?.uuid}`)).status, 204);
      await move('inspect', 'inspect wait', [A, B, UNKNOWN]);
      assert.deepEqual(await outcomes(), { ...inspected, [B]: 'served' });
      await move('abort', 'inspect failed', [A, B, UNKNOWN]);
      assert.deepEqual(await outcomes(), nobody);
      await lab.stopDnsmasq();
      execFileSync(FILTER_COMMAND, ['purge'], { env: { ...process.env, ...settings } });
      assert.deepEqual(readdirSync(hosts).toSorted(), [A, UNKNOWN]);
      await lab.startDnsmasq();
      assert.deepEqual(await outcomes(), nobody);
      await filter.end('SIGTERM');
    },
  );

  await t.test('with discovery, unknown machines are served even when no node is inspected', async () => {
    const mark = lab.log.length;
    await using filter = await follow({ IRONIC_AUTO_DISCOVERY__ENABLED: 'true' });
    await lab.hasRead([UNKNOWN], mark);
    assert.deepEqual(await outcomes(), { [A]: 'ignored', [B]: 'served', [STRANGER]: 'served' });
    await filter.end('SIGTERM');
  });

  await t.test(
    'the machine of a node whose inspect interface is not in supported_inspect_interfaces is not served',
    async () => {
      await move('inspect', 'inspect wait', []);
      const mark = lab.log.length;
      await using filter = await follow({ IRONIC_PXE_FILTER__SUPPORTED_INSPECT_INTERFACES: 'inspector' });
      await lab.hasRead([UNKNOWN], mark);
      assert.deepEqual(await outcomes(), nobody);
      await filter.end('SIGTERM');
    },
  );
});
