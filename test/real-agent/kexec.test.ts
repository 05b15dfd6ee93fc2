// Kexec with the real agent and the extension that the image builder adds to it: what its kernel is given, and what becomes of a
// machine whose instance never says a word after it was started.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { test, type TestContext } from 'node:test';
import { encodeMessage } from '../../daemon/boot/dhcp/wire.ts';
import type { MachineEvent } from '../../daemon/model/records/machine-event.ts';
import { freeUdpPort } from '../../daemon/simulator/free-port.ts';
import { ip, requestOf } from '../fakes/boot/dhcp-site.ts';
import { digest } from '../fakes/images.ts';
import { httpServer } from '../fakes/services/http-server.ts';
import { fedoraDisk, partitionedDisk } from './instance-image.ts';
import { type Enrolled, skip, startSite } from './site.ts';

// of this host, so that no answer leaves it
const RELAY = '127.98.0.1';
const ASK_AGAIN_MILLISECONDS = 500;
const MINUTES = 10;

/** A machine that is available, whose next instance is to be started by kexec; and the port of the daemon's DHCP server. */
async function available(t: TestContext, kexecSeconds: number, image = fedoraDisk(t)) {
  const port = await freeUdpPort();
  const environment = {
    IRONIC_DEPLOY__KEXEC: 'true',
    IRONIC_DEPLOY__KEXEC_TIMEOUT: String(kexecSeconds),
    IRONIC_DHCP_SERVER__SUBNET: '127.98.0.0/24 range=127.98.0.50-127.98.0.60',
  };
  const { enrol } = await startSite(t, environment, [`dhcp-relay=127.0.0.1:${port}`]);
  const server = await httpServer(t, (_request, response) => void response.end(image));
  const node = await enrol(t, {
    instance_info: {
      image_source: `http://127.0.0.1:${server.port}/disk.raw`,
      image_checksum: digest(image),
      image_disk_format: 'raw',
    },
    machine: { hasOwnRamdisk: true },
  });
  await node.makeAvailable();
  return { node, port };
}

/** What the timeline says of kexec, the oldest first. */
async function told(node: Enrolled): Promise<readonly string[]> {
  const path = `/v1/nodes/${node.uuid}/timeline`;
  const { events } = await node.request<{ readonly events: readonly MachineEvent[] }>('GET', path);
  return events.map(({ text }) => text).filter((text) => text.includes('kexec'));
}

test(
  'the real agent starts the instance, which asks for an address',
  { skip, timeout: MINUTES * 60_000 },
  async (t) => {
    const { node, port } = await available(t, MINUTES * 60);
    await node.ask('active');
    const message = encodeMessage(requestOf(node.mac, 'discover', { hops: 1, relay: ip(RELAY) }));
    const card = createSocket('udp4');
    const asking = setInterval(() => {
      // what the ramdisk asks does not count
      if (node.machine.runs === 'kernel') card.send(message, port, '127.0.0.1');
    }, ASK_AGAIN_MILLISECONDS);
    t.after(() => {
      clearInterval(asking);
      card.close();
    });
    const { provision_state: state, last_error: error } = await node.settled();
    assert.deepEqual([state, error, node.machine.runs], ['active', null, 'kernel']);
    const [kernel, ramdisk, line = ''] = node.machine.loaded;
    assert.deepEqual([kernel, ramdisk], ['the kernel', 'the ramdisk']);
    assert.match(line, /^BOOT_IMAGE=\/vmlinuz-6\.11\.10-\S+ root=UUID=\S+ ro .* console=ttyS0,115200n8\0$/);
    assert.deepEqual(await told(node), [
      'runs its instance, started by kexec: /vmlinuz-6.11.10-200.fc41.x86_64',
    ]);
  },
);

test(
  'a machine is reset when its instance is silent after kexec, and kexec is not tried there again',
  { skip, timeout: MINUTES * 60_000 },
  async (t) => {
    const { node } = await available(t, 1);
    await node.reach('active', 'active');
    assert.equal(node.machine.runs, 'instance');
    assert.equal(node.machine.loaded[0], 'the kernel');
    const [reset = '', ...more] = await told(node);
    assert.match(reset, /^does not run its instance after kexec: .* within 1 s .*; it is reset$/);
    assert.deepEqual(more, []);

    await node.reach('rebuild', 'active');
    assert.equal(node.machine.runs, 'instance');
    const [, why = '', ...others] = await told(node);
    assert.match(
      why,
      /^boots its instance through the firmware, not by kexec: it did not work on this machine \(/,
    );
    assert.deepEqual(others, []);
  },
);

test(
  'an instance without a kernel boots through the firmware',
  { skip, timeout: MINUTES * 60_000 },
  async (t) => {
    const { node } = await available(t, 1, partitionedDisk(t));
    await node.reach('active', 'active');
    assert.equal(node.machine.runs, 'instance');
    const [why = '', ...others] = await told(node);
    assert.match(why, /not by kexec: .*no file system of the instance has entries of a boot loader/);
    assert.deepEqual(others, []);
  },
);
