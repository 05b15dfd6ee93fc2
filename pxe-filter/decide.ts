// Decides which machines dnsmasq may answer: machines that the daemon boots, machines in inspection and, when discovery
// is on or an inspection is running, machines without a port.
import type { InspectedMachines } from '../daemon/db/tables/boot/inspected-machines.ts';
import { parseMac } from '../daemon/lib/network/mac.ts';
import { parseUuid } from '../daemon/lib/uuid.ts';
import { hostName, ignoredHost, taggedHost } from '../daemon/boot/dnsmasq/watched-directory.ts';
import { clientIdOf } from '../daemon/model/records/port.ts';

/** `managed`: the daemon boots the machine, and dnsmasq sends the machine the options with this tag. */
export type Verdict = 'allow' | 'deny' | { readonly managed: string };

/** The host file that applies to every machine without its own host file. */
export const UNKNOWN_HOSTS_FILE = 'unknown_hosts_filter';

/**
 * Returns the verdict for each host file. `files`: the existing host files. A machine whose port was deleted keeps its file and
 * is treated like an unknown machine. If the files are written in the order of the returned map, a known machine is never treated
 * like an unknown one.
 */
export function decideFilter(
  { inspecting, ports }: InspectedMachines,
  { discovery, files }: { readonly discovery: boolean; readonly files: readonly string[] },
): ReadonlyMap<string, Verdict> {
  const verdicts = new Map<string, Verdict>();
  for (const { address, inspected, tag } of ports) {
    // the address becomes a file name, so only the canonical spelling is accepted
    if (parseMac(address) !== address) continue;
    const managed = tag === null ? undefined : parseUuid(tag);
    verdicts.set(address, managed === undefined ? verdictOn(inspected) : { managed });
  }
  const unknown = verdictOn(discovery || inspecting);
  for (const file of [UNKNOWN_HOSTS_FILE, ...files]) {
    if (!verdicts.has(file)) verdicts.set(file, unknown);
  }
  return verdicts;
}

const verdictOn = (isWelcome: boolean): Verdict => (isWelcome ? 'allow' : 'deny');

/** Returns how the host file of each port names the machine: InfiniBand cards are known by a client identifier. */
export const hostNames = ({ ports }: InspectedMachines): ReadonlyMap<string, string> =>
  new Map(
    ports.map(({ address, clientId }) => [
      address,
      hostName(address, clientIdOf({ extra: { 'client-id': clientId } })),
    ]),
  );

/** Returns the content of a host file, as dnsmasq reads it. `name`: how it names the machine. */
export function hostRecord(file: string, verdict: Verdict, name = file): string {
  const host = file === UNKNOWN_HOSTS_FILE ? '*:*:*:*:*:*' : name;
  if (typeof verdict === 'object') return taggedHost(host, verdict.managed);
  return verdict === 'allow' ? `${host}\n` : ignoredHost(host);
}
