// The work_times table: how long work on nodes has taken, by node and by model.
import type { Connection } from '../open.ts';

/** The duration of work that ended successfully. */
export interface WorkTime {
  /**
   * The state that the work began in, such as `deploying`; phase and name of a step, such as `clean deploy.erase_devices`; or a hop
   * of a boot, such as `boot dhcp`.
   */
  readonly work: string;
  /** A time in ISO 8601, in UTC. */
  readonly ended_at: string;
  readonly seconds: number;
}

export interface WorkOfNode {
  readonly node: string;
  readonly work: string;
}

/** The durations of the last runs of some work, in seconds, the newest first. */
export interface WorkSamples extends WorkOfNode {
  readonly seconds: readonly number[];
}

/** How many durations of the same work are kept for each node. At most as many are read for a node or for a model. */
const KEPT = 15;

// the product is unknown before an inspection
const MODEL = `(SELECT driver || coalesce(' ' || json_extract(inventory, '$.system_vendor.product_name'), '')
  FROM nodes LEFT JOIN node_inventory ON node_inventory.node_uuid = nodes.uuid WHERE nodes.uuid = $node)`;

export type WorkTimesTable = ReturnType<typeof createWorkTimesTable>;

export function createWorkTimesTable(connection: Connection) {
  const insert = connection.prepare(
    `INSERT INTO work_times (node_uuid, model, work, ended_at, seconds)
     SELECT uuid, ${MODEL}, $work, $ended_at, $seconds FROM nodes WHERE uuid = $node`,
  );
  const trim = connection.prepare(
    `DELETE FROM work_times WHERE node_uuid = $node AND work = $work AND id <=
       (SELECT id FROM work_times WHERE node_uuid = $node AND work = $work ORDER BY id DESC LIMIT 1 OFFSET ${KEPT})`,
  );
  const newest = connection.prepare(
    'SELECT work, ended_at, seconds FROM work_times WHERE node_uuid = ? ORDER BY id DESC LIMIT ?',
  );
  const samples = (where: string) =>
    connection.prepare(
      `SELECT wanted.value ->> 'node' AS node, wanted.value ->> 'work' AS work,
         (SELECT json_group_array(seconds) FROM
           (SELECT seconds FROM work_times WHERE ${where} ORDER BY id DESC LIMIT ${KEPT})) AS seconds
       FROM json_each(?) AS wanted`,
    );
  const ofNode = samples(`node_uuid = wanted.value ->> 'node' AND work = wanted.value ->> 'work'`);
  const ofModel = samples(
    `model = ${MODEL.replace('$node', `wanted.value ->> 'node'`)} AND work = wanted.value ->> 'work'`,
  );
  return {
    add(node: string, time: WorkTime): void {
      insert.run({ node, ...time });
      trim.run({ node, work: time.work });
    },
    newest: (node: string, limit: number) => newest.all(node, limit) as readonly WorkTime[],
    ofNode: (wanted: readonly WorkOfNode[]) => ofNode.all(JSON.stringify(wanted)).map(decoded),
    ofModel: (wanted: readonly WorkOfNode[]) => ofModel.all(JSON.stringify(wanted)).map(decoded),
  };
}

function decoded(row: unknown): WorkSamples {
  const { node, work, seconds } = row as WorkOfNode & { readonly seconds: string };
  return { node, work, seconds: JSON.parse(seconds) as readonly number[] };
}
