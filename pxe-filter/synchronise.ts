// Brings the host files in line with the daemon's records.
import type { Config } from '../daemon/config/sections/core-sections.ts';
import type { DatabaseReader } from '../daemon/db/read-only.ts';
import type { Logger } from '../daemon/lib/logger.ts';
import { statesThat } from '../daemon/model/states/provision-states.ts';
import { decide, UNKNOWN_HOSTS_FILE, type Verdict } from './decide.ts';
import type { HostsDirectory } from './hosts-directory.ts';

export interface FilterParts {
  readonly config: Config;
  readonly hosts: HostsDirectory;
  readonly log: Logger;
}

/** Writes host files but deletes none, so dnsmasq may be running. Throws if it cannot read the records or write a file. */
export function synchronise(parts: FilterParts, reader: DatabaseReader): void {
  write(parts, verdictsFor(parts, reader, parts.hosts.files));
}

/** Like `synchronise`, but also deletes the files of removed machines; dnsmasq must not be running. */
export function purge(parts: FilterParts, reader: DatabaseReader): void {
  const verdicts = verdictsFor(parts, reader, []);
  const deleted = parts.hosts.keepOnly(verdicts);
  if (deleted.length > 0) parts.log.info({ files: deleted.length }, 'host files deleted');
  write(parts, verdicts);
}

function verdictsFor(
  { config }: FilterParts,
  reader: DatabaseReader,
  files: readonly string[],
): ReadonlyMap<string, Verdict> {
  const machines = reader.machines(
    statesThat('inspectionBoot'),
    config.pxe_filter.supported_inspect_interfaces,
    config.dhcp.dhcp_provider === 'dnsmasq',
  );
  return decide(machines, { discovery: config.auto_discovery.enabled, files });
}

function write({ hosts, log }: FilterParts, verdicts: ReadonlyMap<string, Verdict>): void {
  const written = hosts.write(verdicts);
  if (written.length === 0) return;
  for (const file of written) log.debug({ file, verdict: verdicts.get(file) }, 'host file written');
  log.info({ files: written.length, unknown: verdicts.get(UNKNOWN_HOSTS_FILE) }, 'host files written');
}
