// `ironic-edge clean-steps NODE`: lists a node's clean steps.
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP, objectsIn, pathOfNode } from '../api-client.ts';
import { commandOf, OUTPUT, TEXT } from '../command.ts';
import { cellText, formatted, OUTPUT_HELP, textTable } from '../text-table.ts';

const USAGE = `usage: ironic-edge clean-steps NODE [--min-priority PRIORITY] [--format FORMAT]

Lists the clean steps of a node (name or UUID) in the order in which automated cleaning runs them. Steps with priority 0
run only in manual cleaning that names them.

  --min-priority PRIORITY  only steps of this priority or higher; 1 lists the steps of automated cleaning.
                           --min_priority is the same option
${OUTPUT_HELP}
${ENVIRONMENT_HELP}`;

/** Resolves to exit code 1 when the steps are not known yet. */
export const cleanStepsCommand = commandOf({
  usage: USAGE,
  options: { 'min-priority': TEXT, min_priority: TEXT, ...OUTPUT },
  positionals: ['NODE'],
  async run({ values, positionals: [node] }, { environment, stdout, stderr }) {
    const minimum = values['min-priority'] ?? values.min_priority ?? '0';
    const path = `${pathOfNode(node)}/cleaning/steps?min_priority=${encodeURIComponent(minimum)}`;
    const { status, headers, body } = await createApiClient(environment).request('GET', path);
    if (status === 202) {
      stderr.write(`${messageIn(body)} ${retryHint(Number(headers['retry-request-after']?.[0]))}\n`);
      return 1;
    }
    stdout.write(formatted(values, objectsIn(body), table));
    return 0;
  },
});

const messageIn = (body: Json) => (isJsonObject(body) ? cellText(body['message']) : '');

const retryHint = (seconds: number) =>
  seconds > 0 ? `Try again in ${seconds} s.` : 'Try again when they are known.';

const table = (steps: readonly JsonObject[]) =>
  textTable(
    ['step', 'priority', 'abortable', 'arguments'],
    steps.map(({ interface: type, step, priority, abortable, args }) => [
      `${cellText(type)}.${cellText(step)}`,
      cellText(priority),
      abortable === true ? 'yes' : 'no',
      objectsIn(args).map(argumentText).join(', '),
    ]),
  );

const argumentText = ({ name, required }: JsonObject) =>
  `${cellText(name)}${required === true ? ' (required)' : ''}`;
