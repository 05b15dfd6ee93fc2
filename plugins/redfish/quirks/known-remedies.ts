// The remedies for a BMC: those that the site defines take precedence over the known ones.
import { readFile } from 'node:fs/promises';
import { type JsonObject, reasonOf, type Task } from '#plugin-api';
import { textIn } from '../bmc/fields.ts';
import { redfishOptions } from '../options.ts';
import { knownQuirks } from './known-quirks.ts';
import { concerns, type Identity, type Quirk, quirksIn } from './quirks.ts';
import { type Remedies, usual } from './remedies.ts';

/** What identifies a BMC. */
interface Identifiable {
  root(): Promise<JsonObject>;
  knownSystem(): Promise<JsonObject>;
  manager(): Promise<JsonObject | undefined>;
}

/** Throws an Error that names the site's file when that file cannot be used. */
export async function remediesFor(bmc: Identifiable, task: Task): Promise<Remedies> {
  const identity = await identityOf(bmc, task);
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

async function identityOf(bmc: Identifiable, { node }: Task): Promise<Identity> {
  const [root, system, manager = {}] = [await bmc.root(), await bmc.knownSystem(), await bmc.manager()];
  return {
    vendor: textIn(root['Vendor']),
    product: textIn(root['Product']),
    oem: Object.keys((root['Oem'] ?? {}) as JsonObject).join(' '),
    manufacturer: textIn(system['Manufacturer']),
    model: textIn(system['Model']),
    managerModel: textIn(manager['Model']),
    firmware: textIn(manager['FirmwareVersion']),
    recorded: textIn(node.properties['vendor']),
  };
}
