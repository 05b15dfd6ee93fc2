// `ironic-edge inspect reprocess|replay`: runs inspection hooks and rules again, without booting the machine.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP } from './api-client.ts';
import { type CommandContext, commandOf } from './command.ts';
import { cellText, textTable } from './text-table.ts';

const USAGE = `usage: ironic-edge inspect reprocess NODE [--dry-run] [--json]
       ironic-edge inspect replay FILE [--node NODE] [--rules FILE] [--config-file FILE] [--json]

Runs inspection hooks and rules again, without booting the machine, and shows the values they change.

  reprocess          makes a running daemon process the stored data of a node's last inspection again
  --dry-run          shows the changes without making them

  replay             processes a file without a running daemon, with the hooks, rules and options of the configuration,
                     and stores nothing: for developing hooks and rules. FILE holds what a ramdisk posted, or an
                     inventory as the API returns it; - reads standard input
  --node NODE        the node (name or UUID) to process the report for; its records, ports and rules are read from
                     the database. Without it, the node is a new one without ports, and rules of the API do not apply
  --rules FILE       a YAML file with additional rules to try
  --config-file FILE as for serve

  --json             prints changes and log as JSON

The exit code is 1 when hooks or rules reject the data.

${ENVIRONMENT_HELP}`;

/** Returns the exit code: 0, 1 when hooks or rules reject the data, 2 for wrong arguments. */
export const inspectCommand = commandOf(USAGE, parseRequest, (request, context) =>
  request.action === 'replay' ? replayFile(request, context) : reprocess(request, context),
);

const options = {
  json: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean' },
  node: { type: 'string' },
  rules: { type: 'string' },
  'config-file': { type: 'string' },
} as const;

/** The options of each action, in addition to --json. */
const taken = { reprocess: ['dry-run'], replay: ['node', 'rules', 'config-file'] } as const;

type Request = NonNullable<ReturnType<typeof parseRequest>>;

function parseRequest(args: readonly string[]) {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [action, subject, ...more] = positionals;
  if ((action !== 'reprocess' && action !== 'replay') || subject === undefined || more.length > 0)
    return undefined;
  const known = new Set<string>(['json', ...taken[action]]);
  return Object.keys(values).every((name) => known.has(name)) ? { action, subject, values } : undefined;
}

async function reprocess(
  { subject, values }: Request,
  { environment, ...output }: CommandContext,
): Promise<number> {
  const path = `/v1/nodes/${encodeURIComponent(subject)}/inventory/reprocess`;
  const { body } = await createApiClient(environment).request('POST', path, {
    dry_run: values['dry-run'] === true,
  });
  if (!isJsonObject(body)) throw new Error(`Unexpected reply to POST ${path}: ${JSON.stringify(body)}`);
  show({ changes: listIn(body['changes']), log: listIn(body['log']) }, values.json, output);
  return 0;
}

async function replayFile({ subject, values }: Request, context: CommandContext): Promise<number> {
  const { replay } = await import('../../ramdisk-callback/hooks/replay.ts');
  const outcome = await replay({
    report: readFileSync(subject === '-' ? 0 : subject),
    node: values.node,
    rules: values.rules,
    configFile: values['config-file'],
    environment: context.environment,
  });
  const changes = outcome.kind === 'changed' ? outcome.differences : [];
  show(
    { changes: changes.map((change) => ({ ...change })), log: outcome.lines.map((line) => ({ ...line })) },
    values.json,
    context,
  );
  if (outcome.kind === 'changed') return 0;
  context.stderr.write(`The inspection fails: ${outcome.reason}\n`);
  return 1;
}

const listIn = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

interface Shown {
  readonly changes: readonly JsonObject[];
  readonly log: readonly JsonObject[];
}

function show(shown: Shown, asJson: boolean, { stdout, stderr }: Omit<CommandContext, 'environment'>): void {
  if (asJson) {
    stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    return;
  }
  for (const { level, message } of shown.log) stderr.write(`${cellText(level)}: ${cellText(message)}\n`);
  stdout.write(shown.changes.length === 0 ? 'Nothing changes.\n' : table(shown.changes));
}

const LONGEST_VALUE = 60;

const table = (changes: readonly JsonObject[]) =>
  textTable(
    ['value', 'before', 'after'],
    changes.map(({ path, before, after }) => [cellText(path), shortened(before), shortened(after)]),
  );

function shortened(value: Json | undefined): string {
  const text = cellText(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 3)}...`;
}
