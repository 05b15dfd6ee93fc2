// Reads a MariaDB or MySQL database of an OpenStack Ironic with the client program, without changing it.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { reasonOf } from '../model/faults.ts';
import type { IronicRow } from './ironic-sqlite.ts';

/** Hexadecimal, so that no value has a line end or a tab, and NULL differs from the text `NULL`. */
const QUERY = 'SELECT uuid, HEX(driver_info), HEX(instance_info) FROM nodes';
const LARGEST_OUTPUT_BYTES = 268_435_456;

/**
 * `url`: a URL as SQLAlchemy writes it, mysql+pymysql://USER:PASSWORD@HOST/DATABASE. During the query the password is in a file
 * that only the user of this process can read. Rejects with an Error that ends with the client's message, or that says how to
 * install a client.
 */
export async function mariadbRows(url: URL): Promise<readonly IronicRow[]> {
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
    "Ironic's database is read with the program mariadb or mysql, and this host has neither: run apt-get install mariadb-client, or give the secrets with --credentials",
  );
}

function rowIn(line: string): IronicRow {
  const [uuid = '', driver, instance] = line.split('\t');
  return { uuid, driver_info: textOf(driver), instance_info: textOf(instance) };
}

const textOf = (hex = 'NULL') => (hex === 'NULL' ? null : Buffer.from(hex, 'hex').toString());
