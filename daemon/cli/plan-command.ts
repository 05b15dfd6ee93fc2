// `ironic-edge plan NODE TARGET`: shows the steps a provision request would run, without making it.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP } from './api-client.ts';
import type { CommandContext } from './command.ts';
import { cellText, textTable } from './text-table.ts';

const USAGE = `usage: ironic-edge plan NODE TARGET [--steps FILE] [--runbook RUNBOOK] [--disable-ramdisk] [--json]

Shows the steps a provision request would run on a node (name or UUID), in order, with the source of each and what it
destroys, and the problems that would prevent the request. Changes nothing and does not touch the machine.

  TARGET             clean, service, provide, active, rebuild, deleted or manage, as in a provision request
  --steps FILE       the request's clean_steps, service_steps or deploy_steps: a JSON file, - for standard input, or the
                     JSON itself
  --runbook RUNBOOK  the runbook (name or UUID) of a request to clean or service
  --disable-ramdisk  the request's disable_ramdisk
  --json             print the plan as the API returns it

The exit code is 1 when the plan has problems.

${ENVIRONMENT_HELP}`;

/** Returns the exit code: 0, 1 when the plan has problems, 2 for wrong arguments. */
export async function planCommand(
  args: readonly string[],
  { environment, stdout, stderr }: CommandContext,
): Promise<number> {
  const asked = parseRequest(args);
  if (asked === undefined) {
    stderr.write(USAGE);
    return 2;
  }
  const path = `/v1/nodes/${encodeURIComponent(asked.node)}/steps/plan`;
  const { body } = await createApiClient(environment).request('POST', path, asked.request);
  if (!isJsonObject(body)) throw new Error(`Unexpected reply to POST ${path}: ${JSON.stringify(body)}`);
  stdout.write(asked.json ? `${JSON.stringify(body, null, 2)}\n` : shown(body));
  return listIn(body['problems']).length === 0 ? 0 : 1;
}

function parseRequest(args: readonly string[]) {
  const parsed = parsedArguments(args);
  const [node, target, ...more] = parsed?.positionals ?? [];
  if (parsed === undefined || node === undefined || target === undefined || more.length > 0) return undefined;
  const { values } = parsed;
  const request: JsonObject = {
    target,
    ...(values.steps !== undefined && { [stepsArgument(target)]: stepsFrom(values.steps) }),
    ...(values.runbook !== undefined && { runbook: values.runbook }),
    ...(values['disable-ramdisk'] && { disable_ramdisk: true }),
  };
  return { node, request, json: values.json };
}

function parsedArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        steps: { type: 'string' },
        runbook: { type: 'string' },
        'disable-ramdisk': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch {
    return undefined;
  }
}

const stepsArgument = (target: string) =>
  target === 'clean' || target === 'service' ? `${target}_steps` : 'deploy_steps';

function stepsFrom(source: string): Json {
  const text = source.trimStart().startsWith('[')
    ? source
    : readFileSync(source === '-' ? 0 : source, 'utf8');
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new Error(`--steps ${source} is not JSON: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
}

const listIn = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

function shown(plan: JsonObject): string {
  const steps = listIn(plan['steps']).filter(isJsonObject);
  const notes = [
    ...(steps.length === 0 ? ['No steps run.'] : []),
    ...(plan['boots_ramdisk'] === true ? ['The machine is booted into its ramdisk.'] : []),
    ...(plan['agent_steps_known'] === false
      ? ["The steps that the ramdisk's agent adds are not known until an agent has run on this node."]
      : []),
    ...listIn(plan['problems']).map((problem) => `Problem: ${cellText(problem)}`),
  ];
  return (steps.length === 0 ? '' : table(steps)) + notes.map((note) => `${note}\n`).join('');
}

const table = (steps: readonly JsonObject[]) =>
  textTable(
    ['step', 'priority', 'source', 'chosen by', 'arguments', 'destroys'],
    steps.map((step) => [
      `${cellText(step['interface'])}.${cellText(step['step'])}`,
      cellText(step['priority']),
      cellText(step['source']),
      cellText(step['chosen_by']),
      isJsonObject(step['args']) && Object.keys(step['args']).length > 0 ? JSON.stringify(step['args']) : '-',
      cellText(step['destroys']),
    ]),
  );
