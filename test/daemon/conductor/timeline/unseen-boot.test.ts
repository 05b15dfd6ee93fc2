import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNKNOWN_SCRIPT } from '../../../../daemon/boot/scripts/ipxe.ts';
import { lastHopSeen } from '../../../../daemon/conductor/timeline/last-hop.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const A = '52:54:00:00:00:01';
const B = '52:54:00:00:00:02';
const STRANGER = '52:54:00:00:00:77';
const SINCE = '2026-01-01T00:00:00.000+00:00';
const OWN_DHCP = '[dhcp_server]\nsubnet = 10.0.0.0/24 range=10.0.0.50-10.0.0.60 interface=br0\n';

const boot = {
  protocol: 'ipxe',
  title: 'cleaning',
  kernel: '/k',
  ramdisk: '/r',
  commandLine: '',
} as const;

async function switchedOn(t: Parameters<typeof startInProcess>[0], ini = OWN_DHCP) {
  const daemon = await startInProcess(t, { ini });
  const { uuid } = await daemon.createNode();
  await daemon.clock.advance(1000);
  daemon.services.timeline.record({ hop: 'power', node: uuid, text: 'power changed: power on' });
  const said = () => lastHopSeen(daemon.services, daemon.node(uuid), SINCE);
  return { daemon, clock: daemon.clock, services: daemon.services, uuid, said };
}

test('the message about a boot without a DHCP request gives the time of power-on and the MAC addresses of the ports', async (t) => {
  const { daemon, services, uuid, said } = await switchedOn(t);
  await daemon.createPort(uuid, A);
  await daemon.createPort(uuid, B);
  services.networkBoots.set(uuid, boot);
  assert.equal(
    said(),
    `Last seen: 2026-01-01T00:00:01.000Z power: power changed: power on. Missing: a DHCP request of any of its ports (${A}, ${B}). Check cable, switch port and VLAN, that the firmware boots from the network, that these are the MAC addresses of its network cards.`,
  );
});

test('the message names the last three machines without a node that were seen during the boot, and counts the rest', async (t) => {
  const { daemon, clock, services, uuid, said } = await switchedOn(t);
  await daemon.createPort(uuid, A);
  services.networkBoots.set(uuid, boot);
  for (let number = 0; number < 5; number += 1) {
    services.timeline.record({ hop: 'dhcp', mac: `52:54:00:00:01:0${number}`, text: `asked ${number}` });
    await clock.advance(1);
  }
  assert.match(
    said() ?? '',
    /Machines without a node that were seen meanwhile: 52:54:00:00:01:04 \(asked 4\), 52:54:00:00:01:03 \(asked 3\), 52:54:00:00:01:02 \(asked 2\), 2 more\. Check cable/,
  );
});

test('machines that were seen before the boot are not named', async (t) => {
  const { daemon, clock, services, uuid } = await switchedOn(t);
  await daemon.createPort(uuid, A);
  services.networkBoots.set(uuid, boot);
  services.timeline.record({ hop: 'dhcp', mac: STRANGER, text: 'asked' });
  services.timeline.flush();
  await clock.advance(60_000);
  const later = new Date(clock.now()).toISOString();
  const said = lastHopSeen(services, { ...daemon.node(uuid), power_state: 'power on' }, later);
  assert.match(said ?? '', /^Last seen: the machine in power state "power on"\. Missing: a DHCP request/);
  assert.doesNotMatch(said ?? '', /without a node/);
});

test('for a node without ports, machines without a node are named, as one of them may be its machine', async (t) => {
  const { services, said } = await switchedOn(t);
  services.served.publish('unknown machines', {
    [UNKNOWN_SCRIPT]: { kind: 'bytes', bytes: Buffer.from('') },
  });
  assert.match(
    said() ?? '',
    /Missing: a DHCP request; the node has no port yet, so its machine counts as a machine without a node\. Check/,
  );
  services.timeline.record({ hop: 'http', mac: STRANGER, text: 'got unknown/ramdisk' });
  assert.match(
    said() ?? '',
    /Missing: a report of its ramdisk; the node has no port yet.* seen meanwhile: 52:54:00:00:00:77 \(got unknown\/ramdisk\)\. Check/,
  );
});

test('if the daemon serves no DHCP, the message says to check what the DHCP server tells the machine to boot', async (t) => {
  const { daemon, services, uuid, said } = await switchedOn(t, '');
  await daemon.createPort(uuid, A);
  services.networkBoots.set(uuid, boot);
  assert.match(
    said() ?? '',
    /Missing: a request for a boot file of any of its ports .*, what the DHCP server of that network tells it to boot\./,
  );
});

test('nothing is said of a boot that the daemon does not serve', async (t) => {
  const { daemon, uuid, said } = await switchedOn(t);
  assert.equal(said(), undefined);
  await daemon.createPort(uuid, A);
  assert.equal(said(), undefined);
});

test('the message says that the machine is in a boot loop, which does not end the work by itself', async (t) => {
  const { daemon, clock, services, uuid, said } = await switchedOn(t);
  await daemon.createPort(uuid, A);
  services.networkBoots.set(uuid, boot);
  const client = { mac: A, stage: 'bios', firmware: 'bios', architecture: 'x86_64' } as const;
  for (let count = 0; count < 5; count += 1) {
    services.bootLoops.countReply({ client, file: 'undionly.kpxe' });
    await clock.advance(20_000);
  }
  assert.match(
    said() ?? '',
    /^The machine was told to boot undionly\.kpxe \(stage bios\) 5 times in 2 min, and no ramdisk reported: .*\. Last seen: /,
  );
});
