// Which images something else than their link names: the configuration, a node, or what the machine of a node boots now.
import { existsSync } from 'node:fs';
import type { readConfigWithPlugins } from '../../plugin-host/configured-plugins.ts';

type Loaded = Pick<ReturnType<typeof readConfigWithPlugins>, 'config' | 'values'>;

/** Throws when the database cannot be read. */
export async function namedImages({ config, values }: Loaded): Promise<(name: string) => boolean> {
  const texts = [JSON.stringify(values), ...(await recordsIn(config.database.path))];
  return (name) => texts.some((text) => text.includes(name));
}

async function recordsIn(database: string): Promise<readonly string[]> {
  if (!existsSync(database)) return [];
  const { readTables } = await import('../../db/read-only.ts');
  return readTables(database, ({ nodes, networkBoots }) => [
    ...networkBoots.all().map(({ boot }) => JSON.stringify(boot)),
    ...nodes
      .where({ sql: 'TRUE', values: [] })
      .map(({ driver_info, instance_info }) => JSON.stringify([driver_info, instance_info])),
  ]);
}
