// `ironic-edge oneview migrate`: moves nodes to dynamic allocation. An older Ironic gave the servers of these nodes permanent
// server profiles.
import { reasonOf } from '../../model/faults.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { type ApiClient, createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../api-client.ts';
import { commandOf, FLAG, groupOf, OUTPUT, WrongArguments } from '../command.ts';
import { cellText, formatted, OUTPUT_HELP, textTable } from '../text-table.ts';

const USAGE = `usage: ironic-edge oneview migrate (--all | --node NODE...) [--dry-run] [--power-off] [--to-hardware-type] [--format FORMAT]

Moves nodes to dynamic allocation: the daemon then applies a server profile only while it needs the server. If a node has an
instance, or the daemon itself applied the profile of its server, the profile stays and is recorded. Otherwise the profile is
removed from the server. The command can be repeated: a node that has dynamic allocation already is not migrated again.

  --all               every OneView node whose driver_info has dynamic_allocation, true or false
  --node NODE         this node (name or UUID), even if its driver_info has no dynamic_allocation; can be repeated
  --dry-run           only show what would be done
  --power-off         switch servers off to remove their profiles
  --to-hardware-type  also change the drivers agent_pxe_oneview and iscsi_pxe_oneview to oneview, and set the matching interfaces
${OUTPUT_HELP}
The exit code is 1 when the migration of a node was refused or failed.

${ENVIRONMENT_HELP}`;

interface Options {
  readonly 'dry-run': boolean;
  readonly 'power-off': boolean;
  readonly 'to-hardware-type': boolean;
}

const migrateCommand = commandOf({
  usage: USAGE,
  options: {
    all: FLAG,
    node: { type: 'string', multiple: true },
    'dry-run': FLAG,
    'power-off': FLAG,
    'to-hardware-type': FLAG,
    ...OUTPUT,
  },
  positionals: [],
  async run({ values }, { environment, stdout }) {
    const named = values.node ?? [];
    if (values.all === named.length > 0) throw new WrongArguments('expected either --all or --node NODE');
    const api = createApiClient(environment);
    const report: JsonObject[] = [];
    for (const node of values.all ? await declaredNodes(api) : named)
      report.push(await migrated(api, node, values));
    stdout.write(formatted(values, { nodes: report }, () => table(report)));
    return report.some(({ kind }) => kind === 'refuse' || kind === 'failed') ? 1 : 0;
  },
});

export const oneviewCommand = groupOf(USAGE, { migrate: migrateCommand });

const classicDrivers: Readonly<Record<string, string>> = {
  agent_pxe_oneview: 'oneview-direct',
  iscsi_pxe_oneview: 'oneview-iscsi',
};
const isOneview = ({ driver }: JsonObject): boolean =>
  driver === 'oneview' || (typeof driver === 'string' && Object.hasOwn(classicDrivers, driver));

/**
 * Returns the UUIDs of the OneView nodes whose driver_info has dynamic_allocation. Other nodes are left out: the profile on the
 * server of such a node may belong to a OneView user.
 */
async function declaredNodes(api: ApiClient): Promise<readonly string[]> {
  const nodes = await api.list('/v1/nodes?fields=uuid,driver,driver_info', 'nodes');
  return nodes
    .filter((node) => isOneview(node) && isJsonObject(node['driver_info']))
    .filter(
      ({ driver_info: info }) =>
        isJsonObject(info) && !['', undefined, null].includes(info['dynamic_allocation'] as never),
    )
    .map(({ uuid }) => cellText(uuid ?? ''));
}

async function migrated(api: ApiClient, node: string, options: Options): Promise<JsonObject> {
  const path = `${pathOfNode(node)}/vendor_passthru/migrate_to_dynamic_allocation`;
  try {
    const report = await api.post(path, { dry_run: options['dry-run'], power_off: options['power-off'] });
    const converts = options['to-hardware-type'] && report['kind'] !== 'refuse';
    return converts ? { ...report, ...(await converted(api, node, options['dry-run'])) } : report;
  } catch (error) {
    return { node, kind: 'failed', reason: reasonOf(error) };
  }
}

/** Changes a node of a classic driver to the hardware type, with the interfaces of the classic driver. */
async function converted(api: ApiClient, node: string, isDryRun: boolean): Promise<JsonObject> {
  const { body } = await api.request('GET', pathOfNode(node));
  const driver = isJsonObject(body) ? cellText(body['driver'] ?? '') : '';
  const deploy = classicDrivers[driver];
  if (deploy === undefined) return {};
  const fields = {
    driver: 'oneview',
    boot_interface: 'pxe',
    deploy_interface: deploy,
    inspect_interface: 'oneview',
    management_interface: 'oneview',
    power_interface: 'oneview',
  };
  const patch = Object.entries(fields).map(([field, value]) => ({ op: 'replace', path: `/${field}`, value }));
  if (!isDryRun) await api.request('PATCH', pathOfNode(node), patch);
  return { driver: `${driver} -> oneview, ${deploy}` };
}

const outcomes: Readonly<Record<string, string>> = {
  adopt: 'its profile is recorded',
  free: 'its server is free',
  nothing: 'nothing to migrate',
  refuse: 'refused',
  failed: 'failed',
};
const plans: Readonly<Record<string, string>> = {
  adopt: 'its profile would be recorded',
  free: 'its server would be freed',
};

const outcomeOf = ({ kind, done }: JsonObject): string => {
  const word = cellText(kind ?? '');
  return (done === false ? plans[word] : undefined) ?? outcomes[word] ?? '';
};

const table = (report: readonly JsonObject[]): string =>
  report.length === 0
    ? 'No node has to be migrated.\n'
    : textTable(
        ['node', 'name', 'outcome', 'profile', 'reason', 'driver'],
        report.map((entry) => [
          cellText(entry['node']),
          cellText(entry['name'] ?? ''),
          outcomeOf(entry),
          cellText(entry['profile'] ?? ''),
          cellText(entry['reason'] ?? ''),
          cellText(entry['driver'] ?? ''),
        ]),
      );
