// Router advertisements that offer no router. iPXE looks for an IPv6 router at each boot, for 16 s when no router
// answers; any advertisement ends the wait. Node.js cannot open raw sockets: daemon/cli/with-sockets opens and connects
// the socket, and passes it to the daemon.
import { write } from 'node:fs';
import type { Logger } from '../lib/logger.ts';
import { passedSockets } from '../lib/passed-sockets.ts';

/** RFC 4861, 4.2: type 134, no addresses by DHCPv6, a router lifetime of 0, no options. The kernel fills in the checksum. */
const ADVERTISEMENT = Uint8Array.from([134, 0, ...Array<number>(14).fill(0)]);

/** Returns a function that sends an advertisement to all hosts on the interface; undefined when no socket was passed for it. */
export function advertiserOn(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  log: Logger,
): (() => void) | undefined {
  const [descriptor] = passedSockets(`ra-${name}`, environment);
  if (descriptor === undefined) return undefined;
  return () => {
    write(descriptor, ADVERTISEMENT, (error) => {
      if (error !== null) log.debug({ error, interface: name }, 'DHCP: no router advertisement was sent');
    });
  };
}
