// `ironic-edge node create`: enrols a machine; with --provide it also brings the machine to where it can be deployed.
import { nodeFields } from '../../../model/records/node.ts';
import { createApiClient, ENVIRONMENT_HELP } from '../../api-client.ts';
import { type CommandContext, commandOf, FLAG, OUTPUT } from '../../command.ts';
import { exitCodes } from '../../exit-codes.ts';
import { assignedBody, assignmentIn, ASSIGNMENTS_HELP, offeredFields } from '../../records/assignments.ts';
import { cellText, formatted, OUTPUT_HELP } from '../../text-table.ts';
import { nodeVerbs } from './node-verbs.ts';
import { verbCommand } from './verb-command.ts';

const USAGE = `usage: ironic-edge node create FIELD=VALUE... [--provide] [--format FORMAT]

Creates a node, and prints the UUID of the new record.

${ASSIGNMENTS_HELP}
  --provide        then runs "node manage", "node inspect" and "node provide", and waits for each: the machine boots the ramdisk,
                   its disks are erased unless automated_clean:=false is given, and it is available
${OUTPUT_HELP}
${ENVIRONMENT_HELP}`;

export const nodeCreateCommand = commandOf({
  usage: USAGE,
  options: { provide: FLAG, ...OUTPUT },
  positionals: [],
  rest: 'FIELD=VALUE',
  offers: offeredFields(nodeFields, 'create'),
  async run({ values, rest }, context) {
    const body = assignedBody(rest.map(assignmentIn));
    const created = await createApiClient(context.environment).post('/v1/nodes', body);
    context.stdout.write(formatted(values, created, ({ uuid }) => `${cellText(uuid)}\n`));
    return values.provide ? provide(cellText(created['name'] ?? created['uuid']), context) : exitCodes.done;
  },
});

const WAY = ['manage', 'inspect', 'provide'] as const;

/** Resolves with the exit code of the first verb that fails; what is left is then named. */
async function provide(node: string, { environment, stderr }: CommandContext): Promise<number> {
  const commandFor = (word: (typeof WAY)[number]) => `ironic-edge node ${word} ${node} --wait`;
  for (const [index, word] of WAY.entries()) {
    stderr.write(`${commandFor(word)}\n`);
    const told = () =>
      stderr.write(
        `The node ${node} exists. What is left: ${WAY.slice(index).map(commandFor).join(' && ')}\n`,
      );
    try {
      // standard output has only what --format promises
      const code = await verbCommand(word, nodeVerbs[word])([node, '--wait'], {
        environment,
        stdout: stderr,
        stderr,
      });
      if (code === exitCodes.done) continue;
      told();
      return code;
    } catch (error) {
      told();
      throw error;
    }
  }
  return exitCodes.done;
}
