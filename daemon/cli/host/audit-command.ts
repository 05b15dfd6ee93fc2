// `ironic-edge audit`: lists who changed what through the API, from the audit file.
import { existsSync } from 'node:fs';
import { type AuditRecord, readAuditFile } from '../../lib/files/audit-file.ts';
import { readConfigWithPlugins } from '../../plugin-host/configured-plugins.ts';
import { commandOf, OUTPUT, TEXT, WrongArguments } from '../command.ts';
import { formattedItems, textTable } from '../text-table.ts';

const USAGE = `usage: ironic-edge audit [--node NODE] [--since TIME] [--format FORMAT] [--config-file FILE]

Lists the API requests to change something, refused ones too, oldest first. The columns are time, user, role, client address,
request, change and answer (the HTTP status).

  --node NODE        only requests about this node (name or UUID)
  --since TIME       only requests since TIME: 30m, 12h or 7d (ago), or a time such as 2027-01-31T22:00:00Z
  --format FORMAT    table (the default), json (one object per line, with every recorded field) or yaml; --json is --format json
  --config-file FILE as for serve
`;

const COLUMNS = ['time', 'user', 'role', 'client', 'request', 'change', 'answer'] as const;
const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const auditCommand = commandOf({
  usage: USAGE,
  options: { node: TEXT, since: TEXT, ...OUTPUT, 'config-file': TEXT },
  positionals: [],
  run({ values: { node, since, 'config-file': configFile, ...output } }, { environment, stdout }) {
    const earliest = since === undefined ? -Infinity : momentOf(since);
    const { file } = readConfigWithPlugins({ configFile, environment }).config.audit;
    if (!existsSync(file))
      throw new Error(
        `there is no audit file ${file} ([audit] file). Use the configuration that the daemon runs with: --config-file, IRONIC_CONFIG_FILE or IRONIC_DEFAULT__STATE_PATH.`,
      );
    const records = readAuditFile(file).filter(
      (record) => Date.parse(record.time) >= earliest && (node === undefined || isAbout(record, node)),
    );
    stdout.write(formattedItems(output, records, (all) => textTable(COLUMNS, all.map(rowOf))));
    return 0;
  },
});

function momentOf(text: string): number {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(text) ?? [];
  // without the check, Date.parse would read "5" as a month
  const given = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  const moment = unit === undefined ? given : Date.now() - Number(count) * UNITS[unit as keyof typeof UNITS];
  if (!Number.isNaN(moment)) return moment;
  throw new WrongArguments(
    `--since ${JSON.stringify(text)}: expected 30m, 12h or 7d, or a time such as 2027-01-31T22:00:00Z`,
  );
}

const isAbout = ({ node, node_name: name, created, path }: AuditRecord, wanted: string): boolean =>
  [node, name, created, ...path.split('/')].includes(wanted);

function rowOf(record: AuditRecord): readonly string[] {
  const { time, user, role, client, method, path, target, fields, created, status } = record;
  const wanted = target ?? fields?.join(' ') ?? created ?? '-';
  return [time, user ?? '-', role ?? '-', client ?? 'socket', `${method} ${path}`, wanted, String(status)];
}
