// `ironic-edge inspect reprocess|replay`: runs inspection hooks and rules again, without booting the machine.
import { visibleLine } from '../../lib/plain-text.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP, objectsIn, pathOfNode } from '../api-client.ts';
import { type CommandContext, commandOf, FLAG, groupOf, OUTPUT, TEXT } from '../command.ts';
import { readGivenFile } from '../given-file.ts';
import { cellText, formatted, OUTPUT_HELP, type OutputValues, textTable } from '../text-table.ts';

const USAGE = `usage: ironic-edge inspect reprocess NODE [--dry-run] [--format FORMAT]
       ironic-edge inspect replay FILE [--node NODE] [--rules FILE] [--config-file FILE] [--format FORMAT]

Runs inspection hooks and rules again, without booting the machine, and shows the values they change.

  reprocess          make a running daemon process the stored data of a node's last inspection again
  --dry-run          show the changes without making them

  replay             process a file without a running daemon, with the hooks, rules and options of the configuration,
                     and store nothing: for developing hooks and rules. FILE holds what a ramdisk posted, or an
                     inventory as the API returns it; - reads standard input
  --node NODE        the node (name or UUID) to process the report for; its record, its ports and the rules that were
                     created through the API are read from the database. Without --node, the node is new and has no
                     ports, and these rules do not apply
  --rules FILE       a YAML file with additional rules to try
  --config-file FILE as for serve

${OUTPUT_HELP}
When hooks or rules reject the data, the exit code of replay is 1, and that of reprocess is 4.

${ENVIRONMENT_HELP}`;

const reprocessCommand = commandOf({
  usage: USAGE,
  options: { 'dry-run': FLAG, ...OUTPUT },
  positionals: ['NODE'],
  async run({ values, positionals: [node] }, context) {
    const { changes, log } = await createApiClient(context.environment).post(
      `${pathOfNode(node)}/inventory/reprocess`,
      { dry_run: values['dry-run'] },
    );
    show({ changes: objectsIn(changes), log: objectsIn(log) }, values, context);
    return 0;
  },
});

/** Resolves to exit code 1 when hooks or rules reject the data. */
const replayCommand = commandOf({
  usage: USAGE,
  options: { node: TEXT, rules: TEXT, 'config-file': TEXT, ...OUTPUT },
  positionals: ['FILE'],
  async run({ values, positionals: [file] }, context) {
    const { replay } = await import('../../../ramdisk-callback/hooks/replay.ts');
    const outcome = await replay({
      report: readGivenFile('FILE', file),
      node: values.node,
      rules: values.rules,
      configFile: values['config-file'],
      environment: context.environment,
      log: context.stderr,
    });
    const changes = outcome.kind === 'changed' ? outcome.differences : [];
    show(
      { changes: changes.map((change) => ({ ...change })), log: outcome.lines.map((line) => ({ ...line })) },
      values,
      context,
    );
    if (outcome.kind === 'changed') return 0;
    context.stderr.write(`The inspection fails: ${visibleLine(outcome.reason)}\n`);
    return 1;
  },
});

export const inspectCommand = groupOf(USAGE, {
  reprocess: reprocessCommand,
  replay: replayCommand,
});

interface Changed extends JsonObject {
  readonly changes: readonly JsonObject[];
  readonly log: readonly JsonObject[];
}

function show(changed: Changed, output: OutputValues, { stdout, stderr }: CommandContext): void {
  if (!output.json && output.format === undefined)
    for (const { level, message } of changed.log)
      stderr.write(`${visibleLine(`${cellText(level)}: ${cellText(message)}`)}\n`);
  stdout.write(formatted(output, changed, ({ changes }) => table(changes)));
}

const LONGEST_VALUE = 60;

const table = (changes: readonly JsonObject[]) =>
  changes.length === 0
    ? 'Nothing changes.\n'
    : textTable(
        ['value', 'before', 'after'],
        changes.map(({ path, before, after }) => [cellText(path), shortened(before), shortened(after)]),
      );

function shortened(value: Json | undefined): string {
  const text = cellText(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 3)}...`;
}
