// The database as the rest of the daemon uses it: its tables, and transactions over them.
import { type Connection, openDatabase } from './open.ts';
import { type ConductorsTable, createConductorsTable } from './tables/conductors.ts';
import { createNodeHistoryTable, type NodeHistoryTable } from './tables/node-history.ts';
import { createNodeInventoryTable, type NodeInventoryTable } from './tables/node-inventory.ts';
import { createNodesTable, type NodesTable } from './tables/nodes.ts';
import { createPortsTable, type PortsTable } from './tables/ports.ts';

export interface Database {
  readonly nodes: NodesTable;
  readonly ports: PortsTable;
  readonly history: NodeHistoryTable;
  readonly inventory: NodeInventoryTable;
  readonly conductors: ConductorsTable;
  /** All of `work` or nothing of it; durable when it returns. */
  transaction<T>(work: () => T): T;
  close(): void;
}

export function createDatabase(path: string): Database {
  const { connection, close } = openDatabase(path);
  return { ...tablesOf(connection), transaction: (work) => connection.transaction(work).immediate(), close };
}

function tablesOf(connection: Connection) {
  return {
    nodes: createNodesTable(connection),
    ports: createPortsTable(connection),
    history: createNodeHistoryTable(connection),
    inventory: createNodeInventoryTable(connection),
    conductors: createConductorsTable(connection),
  };
}
