// `ironic-edge clean-steps NODE`: lists a node's clean steps.
import { parseArgs } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP } from './api-client.ts';
import { type CommandContext, commandOf } from './command.ts';
import { cellText, textTable } from './text-table.ts';

const USAGE = `usage: ironic-edge clean-steps NODE [--min-priority PRIORITY] [--json]

Lists the clean steps of a node (name or UUID) in the order in which automated cleaning runs them. Steps with priority 0
run only in manual cleaning that names them.

  --min-priority PRIORITY  only steps of this priority or higher; 1 lists the steps of automated cleaning. Also
                           accepted as --min_priority
  --json                   print the steps as the API returns them

${ENVIRONMENT_HELP}`;

/** Returns the exit code: 0, 1 when the steps are not known yet, 2 for wrong arguments. */
export const cleanStepsCommand = commandOf(USAGE, parseRequest, run);

type Request = NonNullable<ReturnType<typeof parseRequest>>;

async function run(request: Request, { environment, stdout, stderr }: CommandContext): Promise<number> {
  const path = `/v1/nodes/${encodeURIComponent(request.node)}/cleaning/steps?min_priority=${encodeURIComponent(request.minimum)}`;
  const { status, headers, body } = await createApiClient(environment).request('GET', path);
  if (status === 202) {
    stderr.write(`${messageIn(body)} ${retryHint(Number(headers['retry-request-after']?.[0]))}\n`);
    return 1;
  }
  const steps = Array.isArray(body) ? body.filter(isJsonObject) : [];
  stdout.write(request.json ? `${JSON.stringify(steps, null, 2)}\n` : table(steps));
  return 0;
}

function parseRequest(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: args.map((arg) => arg.replace(/^--min_priority(?==|$)/, '--min-priority')),
    options: {
      'min-priority': { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [node, ...more] = positionals;
  if (node === undefined || more.length > 0) return undefined;
  return { node, minimum: values['min-priority'], json: values.json };
}

const messageIn = (body: Json) => (isJsonObject(body) ? cellText(body['message']) : '');

const retryHint = (seconds: number) => (seconds > 0 ? `Try again in ${seconds} s.` : 'Try again after that.');

const table = (steps: readonly JsonObject[]) =>
  textTable(
    ['step', 'priority', 'abortable', 'arguments'],
    steps.map(({ interface: type, step, priority, abortable, args }) => [
      `${cellText(type)}.${cellText(step)}`,
      cellText(priority),
      abortable === true ? 'yes' : 'no',
      Array.isArray(args) ? args.filter(isJsonObject).map(argumentText).join(', ') : '',
    ]),
  );

const argumentText = ({ name, required }: JsonObject) =>
  `${cellText(name)}${required === true ? ' (required)' : ''}`;
