// The remedies for a BMC: those that the site defines take precedence over the known ones.
import { readFile } from 'node:fs/promises';
import { reasonOf, type Task } from '#plugin-api';
import { redfishOptions } from '../options.ts';
import { knownQuirks } from './known-quirks.ts';
import { concerns, type Identity, type Quirk, quirksIn } from './quirks.ts';
import { type Remedies, usual } from './remedies.ts';

/** Throws an Error that names the site's file when that file cannot be used. */
export async function remediesFor(identity: Identity, task: Task): Promise<Remedies> {
  const quirks = [...(await siteQuirks(task)), ...knownQuirks].filter((quirk) => concerns(quirk, identity));
  for (const { reason, set } of quirks) task.log.debug({ reason, set }, 'quirk of the BMC');
  // a later object overrides an earlier one, so the list is reversed and the first quirk counts
  return Object.assign({}, usual, ...quirks.map(({ set }) => set).toReversed()) as Remedies;
}

async function siteQuirks(task: Task): Promise<readonly Quirk[]> {
  const { quirks_file: file } = redfishOptions(task);
  if (file === null) return [];
  try {
    return quirksIn(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new Error(`[redfish] quirks_file ${file}: ${reasonOf(error)}`, { cause: error });
  }
}
