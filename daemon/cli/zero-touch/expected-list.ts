// Reads lists of expected machines. What they say is checked by the daemon; here it only gets the form of the API.
import { statSync } from 'node:fs';
import type { JsonObject } from '../../model/json.ts';
import { isJsonObject } from '../../model/json.ts';
import { storageOf } from '../../model/records/fields.ts';
import { expectedMachineFields } from '../../model/zero-touch/expected-machine.ts';
import { csvRows } from '../../lib/files/csv-rows.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { givenValue, readGivenFile } from '../given-file.ts';

const fields = Object.entries(expectedMachineFields).filter(
  ([, field]) => field.create === true && field.update === true,
);

export const fieldNames: readonly string[] = fields.map(([name]) => name);
const lists = new Set(fields.flatMap(([name, field]) => (storageOf(field) === 'json' ? [name] : [])));

const failure = (sentence: string) => new CommandFailure(sentence, exitCodes.failed);

/** Returns the machines as the API takes them. `columns`: the fields of columns whose titles are no fields. */
export function machinesIn(file: string, columns: ReadonlyMap<string, string>): readonly JsonObject[] {
  refuseReadable(file);
  const text = readGivenFile('FILE', file).toString();
  if (/\.csv$/i.test(file)) return fromCsv(file, text, columns);
  const given = givenValue(file, text);
  if (Array.isArray(given) && given.every(isJsonObject)) return given;
  throw failure(
    `${file}: expected a list of mappings, such as "- serial_number: S1"; a file with columns must have a name that ends in .csv`,
  );
}

function refuseReadable(file: string): void {
  const mode = file === '-' ? 0 : (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if ((mode & 0o077) !== 0)
    throw failure(
      `${file} is open to other users of this host (mode ${mode.toString(8)}), and holds passwords: run chmod 600 ${file}`,
    );
}

function fromCsv(file: string, text: string, columns: ReadonlyMap<string, string>): readonly JsonObject[] {
  const [head, ...rows] = csvRows(file, text);
  const titles = head?.fields ?? [];
  const unknown = columns.keys().find((title) => !titles.includes(title));
  if (unknown !== undefined)
    throw failure(`${file} has no column ${JSON.stringify(unknown)}: its columns are ${titles.join(', ')}`);
  const named = titles.map((title) => columns.get(title) ?? title.toLowerCase());
  if (!named.some((name) => fieldNames.includes(name)))
    throw failure(
      `${file}: no column is a field. Name columns with --column TITLE=FIELD; its columns are ${titles.join(', ')}`,
    );
  return rows.map(({ fields: cells, line }) => {
    if (cells.length > titles.length)
      throw failure(
        `${file}, line ${line}: ${cells.length} values, but the first line has ${titles.length} titles`,
      );
    const given = cells.map((cell, at) => [named[at] ?? '', cell] as const);
    return Object.fromEntries(
      given.flatMap(([name, cell]) =>
        cell !== '' && fieldNames.includes(name) ? [[name, valueOf(name, cell)]] : [],
      ),
    );
  });
}

function valueOf(name: string, cell: string): JsonObject[string] {
  if (lists.has(name)) return cell.split(/[\s;]+/).filter((part) => part !== '');
  return name === 'unit' && /^\d+$/.test(cell) ? Number(cell) : cell;
}
