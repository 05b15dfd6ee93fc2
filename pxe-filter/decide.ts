// Which machines dnsmasq may answer: those that the daemon has boot, those in inspection and, when unknown ones are
// welcome, those no port is known of.
import type { KnownMachines } from '../daemon/db/tables/inspected-machines.ts';
import { parseMac } from '../daemon/lib/mac.ts';
import { parseUuid } from '../daemon/lib/uuid.ts';
import { ignoredHost, taggedHost } from '../daemon/lib/watched-directory.ts';

/** `managed`: the daemon has the machine boot; it gets what has this tag. */
export type Verdict = 'allow' | 'deny' | { readonly managed: string };

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
  for (const { address, inspected, tag } of ports) {
    // it becomes the name of a file
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

/** What dnsmasq reads in a host file. */
export function hostRecord(file: string, verdict: Verdict): string {
  const host = file === UNKNOWN_HOSTS_FILE ? '*:*:*:*:*:*' : file;
  if (typeof verdict === 'object') return taggedHost(host, verdict.managed);
  return verdict === 'allow' ? `${host}\n` : ignoredHost(host);
}
