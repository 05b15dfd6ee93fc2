// The node_hardware table: what each source of inspections last saw of each machine.
import type { MachineHardware, HardwarePart } from '../../model/hardware/hardware.ts';
import type { Connection } from '../open.ts';

export interface NodeHardware {
  readonly node_uuid: string;
  /** `agent`, or the inspect interface that asked the BMC: reports are compared with earlier ones of the same source. */
  readonly source: string;
  readonly inspected_at: string;
  /** When the source saw the machine before; null at its first inspection. */
  readonly compared_with: string | null;
  readonly hardware: MachineHardware;
  readonly compared: readonly HardwarePart[];
  readonly changes: readonly string[];
}

/** What a list of machines shows of each. */
export interface HardwareAmounts extends Pick<MachineHardware, 'cores' | 'threads' | 'memory_mib'> {
  readonly node: string;
  readonly disks: NonNullable<MachineHardware['disks']>;
  readonly accelerators: number | null;
}

type AmountsRow = Omit<HardwareAmounts, 'disks'> & { readonly disks: string | null };

export type NodeHardwareTable = ReturnType<typeof createNodeHardwareTable>;

type Row = Readonly<Record<keyof NodeHardware, string>> & Pick<NodeHardware, 'compared_with'>;

export function createNodeHardwareTable(connection: Connection) {
  const put = connection.prepare(
    `INSERT OR REPLACE INTO node_hardware (node_uuid, source, inspected_at, compared_with, hardware, compared, changes)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const columns =
    'SELECT node_uuid, source, inspected_at, compared_with, hardware, compared, changes FROM node_hardware';
  const get = connection.prepare(`${columns} WHERE node_uuid = ? AND source = ?`);
  const newest = connection.prepare(`${columns} WHERE node_uuid = ? ORDER BY rowid DESC LIMIT 1`);
  const amounts = connection.prepare(
    `SELECT node_uuid AS node, hardware ->> '$.cores' AS cores, hardware ->> '$.threads' AS threads,
       hardware ->> '$.memory_mib' AS memory_mib, hardware -> '$.disks' AS disks,
       json_array_length(hardware, '$.accelerators') AS accelerators
     FROM node_hardware WHERE rowid IN (SELECT max(rowid) FROM node_hardware GROUP BY node_uuid)`,
  );
  return {
    /** Returns the amounts of all machines that were inspected, from the last inspection of each. */
    amounts: (): readonly HardwareAmounts[] =>
      (amounts.all() as readonly AmountsRow[]).map(({ disks, ...rest }) => ({
        ...rest,
        disks: (JSON.parse(disks ?? 'null') as MachineHardware['disks']) ?? [],
      })),
    put: ({
      node_uuid: node,
      source,
      inspected_at: at,
      compared_with: since,
      ...rest
    }: NodeHardware): void => {
      const { hardware, compared, changes } = rest;
      put.run(node, source, at, since, ...[hardware, compared, changes].map((part) => JSON.stringify(part)));
    },
    get: (node: string, source: string): NodeHardware | undefined => read(get.get(node, source)),
    /** Returns what the last inspection stored, whatever its source. */
    newest: (node: string): NodeHardware | undefined => read(newest.get(node)),
  };
}

function read(found: unknown): NodeHardware | undefined {
  if (found === undefined) return undefined;
  const row = found as Row;
  return {
    ...row,
    hardware: JSON.parse(row.hardware) as MachineHardware,
    compared: JSON.parse(row.compared) as NodeHardware['compared'],
    changes: JSON.parse(row.changes) as NodeHardware['changes'],
  };
}
