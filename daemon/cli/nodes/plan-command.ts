// `ironic-edge plan NODE TARGET`: shows the steps that a provision request would run, without sending the request.
import { visibleLine } from '../../lib/plain-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP, objectsIn, pathOfNode } from '../api-client.ts';
import { commandOf, FLAG, OUTPUT, TEXT } from '../command.ts';
import { cellText, formatted, OUTPUT_HELP, textTable } from '../text-table.ts';
import { stepsArgument, stepsFrom } from './given-steps.ts';

const USAGE = `usage: ironic-edge plan NODE TARGET [--steps FILE] [--runbook RUNBOOK] [--disable-ramdisk] [--format FORMAT]

Shows the steps a provision request would run on a node (name or UUID), in order, with the source of each and what it
destroys, and the problems that would prevent the request. Changes nothing and does not touch the machine.

  TARGET             clean, service, provide, active, rebuild, deleted or manage, as in a provision request
  --steps FILE       the request's clean_steps, service_steps or deploy_steps: a JSON file, - for standard input, or the
                     JSON itself
  --runbook RUNBOOK  the runbook (name or UUID) of a request to clean or service
  --disable-ramdisk  the request's disable_ramdisk
${OUTPUT_HELP}
The exit code is 1 when the plan has problems.

${ENVIRONMENT_HELP}`;

/** Resolves to exit code 1 when the plan has problems. */
export const planCommand = commandOf({
  usage: USAGE,
  options: { steps: TEXT, runbook: TEXT, 'disable-ramdisk': FLAG, ...OUTPUT },
  positionals: ['NODE', 'TARGET'],
  async run({ values, positionals: [node, target] }, { environment, stdout }) {
    const { steps, runbook, 'disable-ramdisk': disablesRamdisk } = values;
    const plan = await createApiClient(environment).post(`${pathOfNode(node)}/steps/plan`, {
      target,
      ...(steps !== undefined && { [stepsArgument(target)]: stepsFrom('--steps', steps) }),
      ...(runbook !== undefined && { runbook }),
      ...(disablesRamdisk && { disable_ramdisk: true }),
    });
    stdout.write(formatted(values, plan, planText));
    return problemsIn(plan).length === 0 ? 0 : 1;
  },
});

/** Targets that begin automated cleaning. */
const AUTOMATED = new Set(['provide', 'deleted', 'undeploy']);

const problemsIn = ({ problems }: JsonObject): readonly Json[] => (Array.isArray(problems) ? problems : []);

function planText(plan: JsonObject): string {
  const steps = objectsIn(plan['steps']);
  const notes = [
    ...(steps.length === 0 ? ['No steps would run.'] : []),
    ...(plan['boots_ramdisk'] === true ? ['The machine would be booted into its ramdisk.'] : []),
    ...(plan['agent_steps_known'] === false
      ? [
          "The steps that the ramdisk's agent adds are not known until an agent has run on the machine.",
          ...(AUTOMATED.has(cellText(plan['target']))
            ? ['Automated cleaning usually erases disks with them.']
            : []),
        ]
      : []),
    ...problemsIn(plan).map((problem) => `Problem: ${cellText(problem)}`),
  ];
  return (steps.length === 0 ? '' : table(steps)) + notes.map((note) => `${visibleLine(note)}\n`).join('');
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
