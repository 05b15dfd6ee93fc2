// The site and quarantined_nodes tables: where this database was last used, which nodes have been in quarantine since a restore
// or since a copy of the database was used, and which nodes were handed over to another service.
import type { Connection } from '../open.ts';

export interface SiteRecord {
  readonly uuid: string;
  /** 1 at first; each restore and each first use of a copy begins a higher generation. */
  readonly generation: number;
  /** The host and the path at which the database was last used. */
  readonly host: string;
}

export interface QuarantinedNode {
  readonly node_uuid: string;
  readonly since: string;
  readonly reason: string;
  readonly maintenance: boolean;
  readonly maintenance_reason: string | null;
  readonly fault: string | null;
  /** The service to which the node was handed over; null when a restore or a copy of the database began the quarantine. */
  readonly handed_to: string | null;
}

interface HandOver {
  readonly since: string;
  readonly reason: string;
  readonly to: string;
}

export type QuarantineTable = ReturnType<typeof createQuarantineTable>;

export function createQuarantineTable(connection: Connection) {
  const site = connection.prepare('SELECT uuid, generation, host FROM site');
  const putSite = connection.prepare(
    'INSERT OR REPLACE INTO site (id, uuid, generation, host) VALUES (1, $uuid, $generation, $host)',
  );
  const get = connection.prepare('SELECT * FROM quarantined_nodes WHERE node_uuid = ?');
  const all = connection.prepare('SELECT * FROM quarantined_nodes ORDER BY since, node_uuid');
  const add = connection.prepare(
    `INSERT OR IGNORE INTO quarantined_nodes
     SELECT uuid, $since, $reason, maintenance, maintenance_reason, fault, NULL FROM nodes`,
  );
  const addOne = connection.prepare(
    `INSERT INTO quarantined_nodes
     SELECT uuid, $since, $reason, maintenance, maintenance_reason, fault, $to FROM nodes WHERE uuid = $node`,
  );
  // clients that do not know quarantine see maintenance; the URL, token and certificate of the agent are removed
  const mark = connection.prepare(
    `UPDATE nodes SET maintenance = 1, fault = NULL, maintenance_reason = $reason,
       driver_internal_info = json_remove(driver_internal_info, '$.agent_url', '$.agent_secret_token', '$.agent_verify_ca')
     WHERE uuid = $node OR $node IS NULL AND uuid IN (SELECT node_uuid FROM quarantined_nodes WHERE handed_to IS NULL)`,
  );
  const forgetBoots = connection.prepare('DELETE FROM network_boots');
  const remove = connection.prepare('DELETE FROM quarantined_nodes WHERE node_uuid = ?');
  return {
    site: () => site.get() as SiteRecord | undefined,
    putSite: (record: SiteRecord): void => {
      putSite.run(record);
    },
    of: (node: string): QuarantinedNode | undefined => decoded(get.get(node)),
    list: (): readonly QuarantinedNode[] => all.all().flatMap((row) => decoded(row) ?? []),
    /** Puts all nodes into quarantine. A node that was handed over keeps the reason that names the other service. */
    addAll(since: string, reason: string): void {
      add.run({ since, reason });
      mark.run({ reason, node: null });
      forgetBoots.run();
    },
    /** Puts the node into quarantine because another service manages it from now on. */
    handOver(node: string, { since, reason, to }: HandOver): void {
      addOne.run({ node, since, reason, to });
      mark.run({ reason, node });
    },
    remove: (node: string): void => {
      remove.run(node);
    },
  };
}

type Row = Omit<QuarantinedNode, 'maintenance'> & { readonly maintenance: number };

function decoded(row: unknown): QuarantinedNode | undefined {
  if (row === undefined) return undefined;
  const read = row as Row;
  return { ...read, maintenance: read.maintenance === 1 };
}
