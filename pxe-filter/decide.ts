// Which machines dnsmasq may answer: those in inspection and, when unknown ones are welcome, those no port is known of.
import type { KnownMachines } from '../daemon/db/tables/inspected-machines.ts';
import { parseMac } from '../daemon/lib/mac.ts';

export type Verdict = 'allow' | 'deny';

/** The file whose record stands for every machine that has no file of its own. */
export const UNKNOWN_HOSTS_FILE = 'unknown_hosts_filter';

/**
 * The verdict of each host file. `files` are the MACs that have one: a machine whose port is gone keeps it and is
 * treated as unknown. The order is safe to write in: nobody in inspection is denied on the way.
 */
export function decide(
  { inspecting, ports }: KnownMachines,
  { discovery, files }: { readonly discovery: boolean; readonly files: Iterable<string> },
): ReadonlyMap<string, Verdict> {
  const unknown = discovery || inspecting ? 'allow' : 'deny';
  const { allow = [], deny = [] } = Object.groupBy(ports, ({ inspected }) => (inspected ? 'allow' : 'deny'));
  const known = new Set(ports.map(({ address }) => address));
  const gone = [...files].filter((file) => file !== UNKNOWN_HOSTS_FILE && !known.has(file));
  return new Map<string, Verdict>([
    ...verdicts(allow.map(({ address }) => address), 'allow'),
    [UNKNOWN_HOSTS_FILE, unknown],
    ...verdicts(deny.map(({ address }) => address), 'deny'),
    ...verdicts(gone, unknown),
  ]);
}

// an address becomes the name of a file: nothing but a MAC may
const verdicts = (addresses: readonly string[], verdict: Verdict) =>
  addresses.filter((address) => parseMac(address) === address).map((address) => [address, verdict] as const);

/** What dnsmasq reads in a host file. */
export function hostRecord(file: string, verdict: Verdict): string {
  const host = file === UNKNOWN_HOSTS_FILE ? '*:*:*:*:*:*' : file;
  return verdict === 'allow' ? `${host}\n` : `${host},ignore\n`;
}
