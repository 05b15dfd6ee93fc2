// The baseline for the daemon: an HTTP server that does only the same reads and the same durable write, with the same libraries.
// Its argument is the path of a database; it prints its port as JSON.
import { createAdaptorServer } from '@hono/node-server';
import Database from 'better-sqlite3';
import { Hono } from 'hono';
import { columnsOf } from '../../../daemon/db/tables/rows.ts';
import { type NodeField, nodeFields, nodeSummary } from '../../../daemon/model/records/node.ts';
import { storageOf } from '../../../daemon/model/records/fields.ts';

const database = new Database(process.argv[2]);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.pragma('foreign_keys = ON');

const all = columnsOf(nodeFields).names.join(', ');
const byUuid = database.prepare(`SELECT ${all} FROM nodes WHERE uuid = ?`);
const details = database.prepare(`SELECT ${all} FROM nodes ORDER BY id LIMIT ?`);
const summaries = database.prepare(`SELECT ${nodeSummary.join(', ')} FROM nodes ORDER BY id LIMIT ?`);
const setExtra = database.prepare('UPDATE nodes SET extra = ?, updated_at = ? WHERE uuid = ?');

type Row = Record<string, unknown>;
const jsonFields = Object.keys(nodeFields).filter(
  (name) => storageOf(nodeFields[name as NodeField]) === 'json',
);

function parsed(row: unknown): Row {
  const node = row as Row;
  for (const name of jsonFields) {
    if (name in node) node[name] = JSON.parse(String(node[name]));
  }
  return node;
}

const app = new Hono();
app.get('/v1/nodes', (context) => {
  const { limit, detail } = context.req.query();
  const rows = (detail === 'true' ? details : summaries).all(Number(limit));
  return context.json({ nodes: rows.map(parsed) });
});
app.get('/v1/nodes/:node', (context) => context.json(parsed(byUuid.get(context.req.param('node')))));
app.patch('/v1/nodes/:node', async (context) => {
  const uuid = context.req.param('node');
  const [{ value }] = await context.req.json<[{ value: number }]>();
  const node = parsed(byUuid.get(uuid));
  const changes = {
    extra: { ...(node['extra'] as Row), number: value },
    updated_at: new Date().toISOString(),
  };
  setExtra.run(JSON.stringify(changes.extra), changes.updated_at, uuid);
  return context.json({ ...node, ...changes });
});

const server = createAdaptorServer({ fetch: app.fetch });
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === 'object' ? address?.port : undefined }));
});
