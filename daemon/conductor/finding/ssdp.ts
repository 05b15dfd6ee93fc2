// Looks for Redfish services by SSDP (DSP0266, "Discovery"): asks all hosts on the links of this host, and believes only where an
// answer comes from.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { canonicalIp, isInSubnet } from '../../lib/network/ip.ts';
import { reasonOf } from '../../model/faults.ts';
import { findingLimits } from '../limits.ts';

const GROUP = '239.255.255.250';
const PORT = 1900;
const HOPS = 2;
const REDFISH = 'urn:dmtf-org:service:redfish-rest:1';
/** Hosts answer at any moment of this time, so that not all answer at once. */
const ANSWER_SECONDS = 2;
const LATE_MILLISECONDS = 500;

const SEARCH = Buffer.from(
  `M-SEARCH * HTTP/1.1\r\nHOST: ${GROUP}:${PORT}\r\nMAN: "ssdp:discover"\r\nMX: ${ANSWER_SECONDS}\r\nST: ${REDFISH}\r\n\r\n`,
);

interface SsdpSearch {
  /** Where BMCs may be. */
  readonly networks: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly stopping: AbortSignal;
}

/** Searches from each IPv4 address of this host in the networks. Resolves to the addresses of the BMCs that answered. */
export async function searchBySsdp(search: SsdpSearch): Promise<readonly string[]> {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ family, address }) => family === 'IPv4' && isInOne(address, search.networks));
  const found = await Promise.all(own.map(({ address }) => searchFrom(address, search)));
  return [...new Set(found.flat())];
}

const isInOne = (address: string, networks: readonly string[]) =>
  networks.some((network) => isInSubnet(address, network));

async function searchFrom(own: string, { networks, clock, log, stopping }: SsdpSearch): Promise<string[]> {
  const found = new Set<string>();
  const socket = createSocket('udp4');
  // an interface may go away at any moment
  socket.on('error', (error) => log.warn({ address: own, reason: reasonOf(error) }, 'SSDP: no search'));
  socket.on('message', (datagram, { address }) => {
    if (found.size < findingLimits.ssdpAnswers && isServiceAt(address, datagram, networks))
      found.add(address);
  });
  try {
    socket.bind({ address: own });
    await once(socket, 'listening', { signal: stopping });
    socket.setMulticastTTL(HOPS);
    socket.setMulticastInterface(own);
    socket.send(SEARCH, PORT, GROUP);
    await sleep(clock, ANSWER_SECONDS * 1000 + LATE_MILLISECONDS, stopping);
  } catch (error) {
    stopping.throwIfAborted();
    log.warn({ address: own, reason: reasonOf(error) }, 'SSDP: no search');
  } finally {
    socket.close();
  }
  return [...found];
}

/** An answer counts only if it names a Redfish service at the host that sent it. */
export function isServiceAt(sender: string, datagram: Buffer, networks: readonly string[]): boolean {
  if (!isInOne(sender, networks)) return false;
  const [status = '', ...lines] = datagram.toString('latin1', 0, 2048).split('\r\n');
  if (!/^HTTP\/1\.1 200\b/.test(status)) return false;
  const headers = new Map(lines.map(headerIn));
  return headers.get('st')?.startsWith(REDFISH) === true && hostOfUrl(headers.get('al') ?? '') === sender;
}

function headerIn(line: string): readonly [name: string, value: string] {
  const [name = '', value = ''] = line.split(/:(.*)/s);
  return [name.trim().toLowerCase(), value.trim()];
}

function hostOfUrl(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? canonicalIp(url.hostname) : undefined;
}
