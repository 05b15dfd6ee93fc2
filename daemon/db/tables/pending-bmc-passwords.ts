// The pending_bmc_passwords table: the passwords that BMCs are being given, until it is known which login each takes.
import type { Connection } from '../open.ts';

export type PendingBmcPasswordsTable = ReturnType<typeof createPendingBmcPasswordsTable>;

export interface PendingBmcPassword {
  /** null: the user as whom the daemon logs in. */
  readonly username: string | null;
  readonly password: string;
  /** The login that was tried last, whose answer may have been lost; null: none was. */
  readonly tried: 'pending' | 'current' | null;
}

export function createPendingBmcPasswordsTable(connection: Connection) {
  const get = connection.prepare(
    'SELECT username, password, tried FROM pending_bmc_passwords WHERE node_uuid = ?',
  );
  const put = connection.prepare(
    'INSERT INTO pending_bmc_passwords (node_uuid, username, password) VALUES (?, ?, ?)',
  );
  const mark = connection.prepare('UPDATE pending_bmc_passwords SET tried = ? WHERE node_uuid = ?');
  const remove = connection.prepare('DELETE FROM pending_bmc_passwords WHERE node_uuid = ?');
  const nodes = connection.prepare('SELECT node_uuid FROM pending_bmc_passwords').pluck();
  return {
    of: (node: string) => get.get(node) as PendingBmcPassword | undefined,
    /** The node must have none. */
    insert: (node: string, { username, password }: Omit<PendingBmcPassword, 'tried'>): void =>
      void put.run(node, username, password),
    markTried: (node: string, login: 'pending' | 'current'): void => void mark.run(login, node),
    remove: (node: string): void => void remove.run(node),
    nodes: () => nodes.all() as readonly string[],
  };
}
