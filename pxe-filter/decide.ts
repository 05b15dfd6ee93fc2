// Which machines dnsmasq may answer: those in inspection and, when unknown ones are welcome, those no port is known of.
import type { KnownMachines } from '../daemon/db/tables/inspected-machines.ts';
import { parseMac } from '../daemon/lib/mac.ts';

export type Verdict = 'allow' | 'deny';

/** The file whose record stands for every machine that has no file of its own. */
export const UNKNOWN_HOSTS_FILE = 'unknown_hosts_filter';

/**
 * The verdict of each host file. `files` are those that exist: a machine whose port is gone keeps its file and is treated
 * as unknown. Written in this order, no known machine passes for an unknown one on the way.
 */
export function decide(
  { inspecting, ports }: KnownMachines,
  { discovery, files }: { readonly discovery: boolean; readonly files: readonly string[] },
): ReadonlyMap<string, Verdict> {
  const verdicts = new Map<string, Verdict>();
  for (const { address, inspected } of ports) {
    // it becomes the name of a file
    if (parseMac(address) === address) verdicts.set(address, inspected ? 'allow' : 'deny');
  }
  const unknown = discovery || inspecting ? 'allow' : 'deny';
  for (const file of [UNKNOWN_HOSTS_FILE, ...files]) {
    if (!verdicts.has(file)) verdicts.set(file, unknown);
  }
  return verdicts;
}

/** What dnsmasq reads in a host file. */
export function hostRecord(file: string, verdict: Verdict): string {
  const host = file === UNKNOWN_HOSTS_FILE ? '*:*:*:*:*:*' : file;
  return verdict === 'allow' ? `${host}\n` : `${host},ignore\n`;
}
