// The secrets of nodes from the database of an Ironic: its API masks them.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parseIni } from '../../../config/ini.ts';
import { reasonOf } from '../../../model/faults.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import { readGivenFile } from '../../given-file.ts';
import type { Secrets } from './ironic-source.ts';

const SQLITE = 'SQLite format 3\0';
/** Hexadecimal, because the client's own format leaves line ends and tabs in values ambiguous. */
const QUERY = 'SELECT uuid, HEX(driver_info), HEX(instance_info) FROM nodes';
const LARGEST_OUTPUT_BYTES = 268_435_456;

/**
 * `file`: Ironic's SQLite database, or its ironic.conf, whose option [database] connection leads to a database. Rejects with a
 * one-sentence Error.
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

/** The fields are JSON texts. */
type IronicRow = Awaited<ReturnType<typeof sqliteRows>>[number];

async function rowsOf(file: string): Promise<readonly IronicRow[]> {
  const bytes = readGivenFile('--database', file);
  if (bytes.subarray(0, SQLITE.length).toString('latin1') === SQLITE) return sqliteRows(file);
  const connection = parseIni(bytes.toString()).entries.findLast(
    ({ section, option }) => section === 'database' && option === 'connection',
  )?.value;
  const url = connection === undefined ? null : URL.parse(connection);
  if (url === null)
    throw new Error(
      `--database ${file}: expected Ironic's SQLite database, or its ironic.conf with a URL in [database] connection`,
    );
  if (url.protocol.startsWith('sqlite'))
    return sqliteRows(decodeURIComponent(url.pathname).replace(/^\/+/, '/'));
  if (/^(?:mysql|mariadb)(?:\+\w+)?:$/.test(url.protocol)) return mariadbRows(url);
  throw new Error(
    `--database ${file}: [database] connection is for ${url.protocol.slice(0, -1)}; expected sqlite, mysql or mariadb. Give the secrets with --credentials.`,
  );
}

const sqliteRows = async (file: string) =>
  (await import('../../../db/ironic-tables.ts')).readIronicRows(file);

/** Asks by the client program; the password is in a file that only this user can read, for the time of the request. */
async function mariadbRows(url: URL): Promise<readonly IronicRow[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'ironic-edge-import-'));
  try {
    const options = path.join(folder, 'client.cnf');
    writeFileSync(options, clientOptions(url), { mode: 0o600 });
    const database = decodeURIComponent(url.pathname.slice(1));
    const output = await asked([
      `--defaults-file=${options}`,
      '--batch',
      '--skip-column-names',
      `--execute=${QUERY}`,
      '--',
      database,
    ]);
    return output
      .split('\n')
      .filter((line) => line !== '')
      .map(rowIn);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An option file of the client programs of MariaDB and MySQL. */
function clientOptions({ username, password, hostname, port, searchParams }: URL): string {
  const socket = searchParams.get('unix_socket');
  const given = {
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    ...(socket === null
      ? { host: hostname.replace(/^\[(.*)\]$/, '$1'), ...(port !== '' && { port }), protocol: 'tcp' }
      : { socket }),
  };
  const lines = Object.entries(given).map(
    ([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`)}"`,
  );
  return `[client]\n${lines.join('\n')}\n`;
}

async function asked(args: readonly string[]): Promise<string> {
  const run = promisify(execFile);
  for (const program of ['mariadb', 'mysql'])
    try {
      return (await run(program, [...args], { maxBuffer: LARGEST_OUTPUT_BYTES })).stdout;
    } catch (error) {
      const { code, stderr } = error as { readonly code?: unknown; readonly stderr?: string };
      if (code !== 'ENOENT')
        throw new Error(`Ironic's database cannot be read: ${stderr?.trim() || reasonOf(error)}`, {
          cause: error,
        });
    }
  throw new Error(
    "Ironic's database is read with the program mariadb or mysql, which this host does not have: apt-get install mariadb-client, or give the secrets with --credentials",
  );
}

function rowIn(line: string): IronicRow {
  const [uuid = '', driver, instance] = line.split('\t');
  return { uuid, driver_info: textOf(driver), instance_info: textOf(instance) };
}

const textOf = (hex = 'NULL') => (hex === 'NULL' ? null : Buffer.from(hex, 'hex').toString());

function jsonIn(text: string | null, what: string): JsonObject {
  if (text === null || text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (value === null) return {};
    if (isJsonObject(value)) return value;
  } catch {
    // said below
  }
  throw new Error(
    `Ironic's database has no JSON object as ${what}: correct it there, or give the secrets with --credentials`,
  );
}
