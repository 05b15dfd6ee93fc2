// Reads the secrets of nodes from the database of an Ironic, because Ironic's API masks them.
import { parseIni } from '../../../config/ini.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import { readGivenFile } from '../../given-file.ts';
import type { Secrets } from './ironic-source.ts';

const SQLITE = 'SQLite format 3\0';
/**
 * `file`: Ironic's SQLite database, or its ironic.conf, whose option [database] connection is the URL of a database. Rejects
 * with an Error that says what is wrong.
 */
export async function readSecrets(file: string): Promise<Secrets> {
  const rows = await rowsOf(file);
  return new Map(
    rows.map(({ uuid, driver_info, instance_info }) => [
      uuid,
      {
        driver_info: jsonIn(driver_info, `driver_info of node ${uuid}`),
        instance_info: jsonIn(instance_info, `instance_info of node ${uuid}`),
      },
    ]),
  );
}

/** A row of Ironic's table of nodes; driver_info and instance_info are JSON texts. */
type IronicRow = Awaited<ReturnType<typeof fromSqlite>>[number];

async function rowsOf(file: string): Promise<readonly IronicRow[]> {
  const bytes = readGivenFile('--database', file);
  if (bytes.subarray(0, SQLITE.length).toString('latin1') === SQLITE) return fromSqlite(file);
  const connection = parseIni(bytes.toString()).entries.findLast(
    ({ section, option }) => section === 'database' && option === 'connection',
  )?.value;
  const url = connection === undefined ? null : URL.parse(connection);
  if (url === null)
    throw new Error(
      `--database ${file}: expected Ironic's SQLite database, or its ironic.conf with a URL in [database] connection`,
    );
  if (url.protocol.startsWith('sqlite'))
    return fromSqlite(decodeURIComponent(url.pathname).replace(/^\/+/, '/'));
  if (/^(?:mysql|mariadb)(?:\+\w+)?:$/.test(url.protocol))
    return (await import('../../../db/ironic-mariadb.ts')).mariadbRows(url);
  throw new Error(
    `--database ${file}: [database] connection is for ${url.protocol.slice(0, -1)}; expected sqlite, mysql or mariadb. Give the secrets with --credentials.`,
  );
}

const fromSqlite = async (file: string) => (await import('../../../db/ironic-sqlite.ts')).sqliteRows(file);

function jsonIn(text: string | null, what: string): JsonObject {
  if (text === null || text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (value === null) return {};
    if (isJsonObject(value)) return value;
  } catch {
    // the Error below gives the reason
  }
  throw new Error(
    `Ironic's database has no JSON object as ${what}: correct it there, or give the secrets with --credentials`,
  );
}
