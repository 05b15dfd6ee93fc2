// Rehearses the migration that a start of this program would make. It uses a copy of the database, so a failed migration loses
// nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { checkDatabase } from '../check.ts';
import { openDatabase } from '../open.ts';
import { copy, reading } from './back-up.ts';

interface Rehearsal {
  /** The version of the schema before the migration. */
  readonly from: number;
  readonly to: number;
  readonly milliseconds: number;
  /** The number of rows of each table after the migration. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Throws an Error with a message for the operator when the migration fails, loses rows of a table, or damages the database. */
export function rehearseWith(source: string): Rehearsal {
  reading(source).close();
  const directory = mkdtempSync(path.join(path.dirname(source), 'rehearsal-'));
  try {
    const file = path.join(directory, 'copy.sqlite');
    copy(source, file);
    const before = look(file);
    const started = performance.now();
    openDatabase(file).close();
    const milliseconds = Math.round(performance.now() - started);
    const after = look(file);
    const lost = Object.entries(before.rows).filter(([table, count]) => (after.rows[table] ?? count) < count);
    const problems = [
      ...lost.map(([table, count]) => `${count} rows of ${table} became ${after.rows[table]}`),
      ...checkDatabase(file),
    ];
    if (problems.length > 0)
      throw new Error(`The rehearsal on a copy of ${source} failed: ${problems.join('; ')}.`);
    return { from: before.version, to: after.version, milliseconds, rows: after.rows };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function look(file: string): { readonly version: number; readonly rows: Readonly<Record<string, number>> } {
  const connection = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const tables = connection
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
      )
      .pluck()
      .all() as string[];
    const rows = tables.map((table) => [
      table,
      Number(connection.prepare(`SELECT count(*) FROM "${table}"`).pluck().get()),
    ]);
    return {
      version: connection.pragma('user_version', { simple: true }) as number,
      rows: Object.fromEntries(rows) as Record<string, number>,
    };
  } finally {
    connection.close();
  }
}
