// A daemon and real DHCP clients in a network space.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { fakeNode } from '../task.ts';
import { DhcpServerProcess, WITH_SOCKETS } from './dhcp-server-process.ts';
import { fakePort } from './dhcp-site.ts';
import { NetworkSpace } from './network-space.ts';

export const SUBNET =
  '10.99.0.0/24 range=10.99.0.50-10.99.0.99 router=10.99.0.1 dns=10.99.0.1 interface=server';
export const PRINT_LEASE = join(import.meta.dirname, 'print-lease.sh');

export async function space(t: TestContext): Promise<NetworkSpace> {
  const made = await NetworkSpace.start();
  t.after(() => made[Symbol.asyncDispose]());
  return made;
}

/** A daemon, not yet started, that knows machines with these MAC addresses and boots them with iPXE. */
export function server(
  t: TestContext,
  on: NetworkSpace,
  macs: readonly string[] = [],
  launcher: readonly string[] = [WITH_SOCKETS, 'dhcp-server', '--'],
): DhcpServerProcess {
  const daemon = new DhcpServerProcess(on, launcher);
  t.after(() => daemon[Symbol.asyncDispose]());
  const db = daemon.database();
  for (const address of macs) {
    const node = fakeNode({ uuid: randomUUID(), name: null, boot_interface: 'ipxe' });
    db.nodes.insert(node);
    db.ports.insert(fakePort(node.uuid, address));
    const boot = { protocol: 'ipxe', title: 'test', kernel: '/kernel', ramdisk: null, commandLine: '' };
    db.networkBoots.put(node.uuid, boot);
  }
  db.close();
  return daemon;
}

/** The values that udhcpc is given, by udhcpc's names for them; undefined when it gives up. */
export async function udhcpc(on: NetworkSpace, client: string, words: readonly string[] = []) {
  const fixed = [
    '--foreground',
    '--quit',
    '--now',
    '--retries',
    '3',
    '--timeout',
    '1',
    '-O',
    '67',
    '-O',
    '60',
  ];
  const child = on.spawn(
    'udhcpc',
    ...fixed,
    '--script',
    PRINT_LEASE,
    '--interface',
    on.interfaceOf(client),
    ...words,
  );
  child.stderr.resume();
  const lines = (await text(child.stdout)).split('\n').map((line) => line.split(/=(.*)/s, 2));
  const lease = Object.fromEntries(lines) as Readonly<Record<string, string>>;
  return lease['ip'] === undefined ? undefined : lease;
}
