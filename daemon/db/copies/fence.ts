// Detects that a database may be a copy: it was last used on another host or at another path. The daemon then does nothing with
// a machine until its node is released from quarantine: another daemon may still manage the machine with the original database.
import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Database } from '../database.ts';

type Quarantine = Pick<Database, 'quarantine' | 'transaction'>;

/** Returns the host and path at which a database is used: they distinguish the database from its copies. */
export function hostOf(path: string): string {
  return `${machineId()}:${realpathSync(dirname(path))}/${basename(path)}`;
}

function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim();
  } catch {
    // containers often lack the file; only the path distinguishes databases there
    return 'unknown';
  }
}

/**
 * If the database may be a copy, puts its nodes into quarantine and returns a warning for the operator. Returns undefined when
 * the database is used where it was last used, or for the first time. `time`: ISO 8601.
 */
export function fenceCopy(
  { quarantine, transaction }: Quarantine,
  host: string,
  time: string,
): string | undefined {
  const site = quarantine.site();
  if (site?.host === host) return undefined;
  if (site === undefined) {
    quarantine.putSite({ uuid: randomUUID(), generation: 1, host });
    return undefined;
  }
  const reason = `This database was used at ${site.host} before, and may be a copy of one that is still in use.`;
  const count = transaction(() => raise({ quarantine }, { host, time, reason: advised(reason) }));
  return `${reason} Nodes in quarantine: ${count}. See ironic-edge quarantine list.`;
}

interface Raise {
  readonly host: string;
  readonly time: string;
  readonly reason: string;
  /**
   * Set when a backup is restored: the generation of the database that the backup replaces. The new generation must be higher than
   * this one too, or another host of the site could outrank this host.
   */
  readonly replaced?: number;
}

/** Begins a new generation of the database and puts all nodes into quarantine. Returns the number of nodes in quarantine. */
export function raise(
  { quarantine }: Pick<Quarantine, 'quarantine'>,
  { host, time, reason, replaced = 0 }: Raise,
): number {
  const site = quarantine.site();
  const generation = Math.max(site?.generation ?? 0, replaced) + 1;
  quarantine.putSite({ uuid: site?.uuid ?? randomUUID(), generation, host });
  quarantine.addAll(time, reason);
  return quarantine.list().length;
}

/** Returns the sentence together with what to do; clients see both in maintenance_reason. */
export const advised = (reason: string): string =>
  `quarantine: ${reason} Release the node with: ironic-edge quarantine release NODE`;
