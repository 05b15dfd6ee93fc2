// Router advertisements that offer no router. iPXE looks for an IPv6 router at each boot, for 16 s when no router
// answers; any advertisement ends the wait, and says whether iPXE is to ask for an address by DHCPv6. Node.js cannot open raw sockets: daemon/cli/with-sockets opens the socket and
// passes it to the daemon, and daemon/cli/bind-socket connects it.
import { write } from 'node:fs';
import type { Dhcp6Subnet } from '../config/dhcp-subnet.ts';
import type { Logger } from '../lib/logger.ts';
import { ipv6Bytes } from '../lib/network/ipv6.ts';
import { passedSockets } from '../lib/passed-sockets.ts';
import { reasonOf } from '../model/faults.ts';
import { bindDescriptor } from './dhcp/bound-socket.ts';

/** RFC 4861, 4.2: type 134, a router lifetime of 0. The kernel fills in the checksum. */
const [TYPE, HEADER_BYTES, FLAGS_AT] = [134, 16, 5];
/** Addresses come from DHCPv6, or only other settings do. */
const [MANAGED, OTHER] = [0x80, 0x40];
/** Option 3: a network whose hosts reach each other directly; they make no addresses of their own in it. */
const [PREFIX, PREFIX_WORDS, ON_LINK] = [3, 4, 0x80];
const PREFIX_SECONDS = 3600;

/** The bytes that tell hosts where addresses come from. `subnet`: the IPv6 subnet that DHCPv6 serves on the interface, if any. */
export function advertisementFor(subnet: Dhcp6Subnet | undefined): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  header[0] = TYPE;
  if (subnet === undefined) return header;
  header[FLAGS_AT] = OTHER | (subnet.ranges.length > 0 ? MANAGED : 0);
  const bits = Number(subnet.cidr.split('/')[1]);
  const prefix = Buffer.alloc(PREFIX_WORDS * 8);
  prefix.set([PREFIX, PREFIX_WORDS, bits, ON_LINK]);
  prefix.writeUInt32BE(PREFIX_SECONDS, 4);
  prefix.writeUInt32BE(PREFIX_SECONDS, 8);
  prefix.set(ipv6Bytes(subnet.network), 16);
  return Buffer.concat([header, prefix]);
}

interface Advertised {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** The IPv6 subnet that DHCPv6 serves on the interface, if any. */
  readonly subnet: Dhcp6Subnet | undefined;
}

/**
 * Returns a function that sends an advertisement to all hosts on the interface, which must have a link; undefined when no socket
 * was passed for it.
 */
export function advertiserOn(
  name: string,
  { environment, log, subnet }: Advertised,
): (() => void) | undefined {
  const [descriptor] = passedSockets(`ra-${name}`, environment);
  if (descriptor === undefined) return undefined;
  bindDescriptor(descriptor, name).catch((error: unknown) =>
    log.warn(
      { interface: name, reason: reasonOf(error) },
      'no router advertisements can be sent: iPXE waits 16 s for an IPv6 router at each boot',
    ),
  );
  const bytes = advertisementFor(subnet);
  return () => {
    write(descriptor, bytes, (error) => {
      if (error !== null) log.debug({ error, interface: name }, 'DHCP: no router advertisement was sent');
    });
  };
}
