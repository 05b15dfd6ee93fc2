// The network_boots table: what the machine of each node boots from the network.
import type { Json } from '../../../model/json.ts';
import type { Connection } from '../../open.ts';

export type NetworkBootsTable = ReturnType<typeof createNetworkBootsTable>;

export function createNetworkBootsTable(connection: Connection) {
  const all = connection.prepare('SELECT node_uuid, boot FROM network_boots');
  const put = connection.prepare(
    'INSERT INTO network_boots (node_uuid, boot) VALUES (?, ?) ON CONFLICT (node_uuid) DO UPDATE SET boot = excluded.boot',
  );
  const remove = connection.prepare('DELETE FROM network_boots WHERE node_uuid = ?');
  return {
    all: (): readonly { readonly node: string; readonly boot: Json }[] =>
      (all.all() as { node_uuid: string; boot: string }[]).map(({ node_uuid: node, boot }) => ({
        node,
        boot: JSON.parse(boot) as Json,
      })),
    put: (node: string, boot: object): void => {
      put.run(node, JSON.stringify(boot));
    },
    remove: (node: string): void => {
      remove.run(node);
    },
  };
}
