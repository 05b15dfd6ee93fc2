// Brings the host files in line with the daemon's records.
import { wantsUnknownMachines } from '../daemon/model/zero-touch/unknown-machines.ts';
import type { Config } from '../daemon/config/sections/core-sections.ts';
import type { DatabaseReader } from '../daemon/db/read-only.ts';
import type { Logger } from '../daemon/lib/logger.ts';
import { statesOfWork } from '../daemon/model/states/provision-states.ts';
import { decideFilter, hostNames, UNKNOWN_HOSTS_FILE, type Verdict } from './decide.ts';
import type { HostsDirectory } from './hosts-directory.ts';

export interface FilterParts {
  readonly config: Config;
  readonly hosts: HostsDirectory;
  readonly log: Logger;
}

/** Writes host files but deletes none, so dnsmasq may be running. Throws if it cannot read the records or write a file. */
export function synchronise(parts: FilterParts, reader: DatabaseReader): void {
  write(parts, decisionsFor(parts, reader, parts.hosts.files));
}

/** Like `synchronise`, but also deletes the files of removed machines; dnsmasq must not be running. */
export function purge(parts: FilterParts, reader: DatabaseReader): void {
  const decisions = decisionsFor(parts, reader, []);
  const deleted = parts.hosts.keepOnly(decisions.verdicts);
  if (deleted.length > 0) parts.log.info({ files: deleted.length }, 'host files deleted');
  write(parts, decisions);
}

interface Decisions {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly names: ReadonlyMap<string, string>;
}

function decisionsFor({ config }: FilterParts, reader: DatabaseReader, files: readonly string[]): Decisions {
  const machines = reader.machines(
    statesOfWork('inspect'),
    config.pxe_filter.supported_inspect_interfaces,
    config.dhcp.dhcp_provider === 'dnsmasq',
  );
  const verdicts = decideFilter(machines, { discovery: wantsUnknownMachines(config), files });
  return { verdicts, names: hostNames(machines) };
}

function write({ hosts, log }: FilterParts, { verdicts, names }: Decisions): void {
  const written = hosts.write(verdicts, names);
  if (written.length === 0) return;
  for (const file of written) log.debug({ file, verdict: verdicts.get(file) }, 'host file written');
  log.info({ files: written.length, unknown: verdicts.get(UNKNOWN_HOSTS_FILE) }, 'host files written');
}
