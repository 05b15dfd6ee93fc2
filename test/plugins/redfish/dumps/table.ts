// usage: daemon/cli/node test/plugins/redfish/dumps/table.ts [FOLDER]
// Shows what the driver gets from BMCs whose resources were saved: one FOLDER/NAME.json.gz each, a JSON object with the resources
// by path. Without a folder, writes the table of the fixtures into redfish.md.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { markdownTable } from '../../../../daemon/docs/markdown-table.ts';
import { reasonOf } from '../../../../daemon/plugin-api/index.ts';
import { readDump } from '../../../fakes/machines/dumped-bmc.ts';
import { dumpLab } from './dump-lab.ts';
import { operations } from './operations.ts';

const ROOT = path.join(import.meta.dirname, '../../../..');
export const FIXTURES = path.join(ROOT, 'test/fixtures/redfish/dumps');
export const PAGE = path.join(ROOT, 'daemon/docs/redfish.md');
const [BEGIN, END] = ['<!-- dumps -->\n', '<!-- /dumps -->'];

export const dumpFiles = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json.gz'))
    .toSorted()
    .map((name) => path.join(folder, name));

export const nameOf = (file: string): string => path.basename(file, '.json.gz').replaceAll('-', ' ');

async function rowOf(file: string): Promise<readonly string[]> {
  const ends: (() => Promise<void>)[] = [];
  const dump = readDump(file);
  const cells: string[] = [];
  try {
    for (const operation of Object.values(operations)) {
      const lab = await dumpLab({ after: (end) => void ends.push(end) }, dump);
      cells.push(await operation(lab.task, dump).catch((error: unknown) => `fails: ${reasonOf(error)}`));
    }
  } finally {
    for (const end of ends) await end();
  }
  return [nameOf(file), ...cells];
}

export async function tableOf(folder: string): Promise<string> {
  const rows: (readonly string[])[] = [];
  for (const file of dumpFiles(folder)) rows.push(await rowOf(file));
  return markdownTable(['BMC', ...Object.keys(operations)], rows);
}

/** The page with `table` in its place. */
function pageWith(table: string): string {
  const page = readFileSync(PAGE, 'utf8');
  return `${page.slice(0, page.indexOf(BEGIN) + BEGIN.length)}\n${table}\n\n${page.slice(page.indexOf(END))}`;
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) writeFileSync(PAGE, pageWith(await tableOf(FIXTURES)));
  else console.log(await tableOf(folder));
}
