// `ironic-edge profile`: what `node deploy --profile NAME` says of an instance.
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf, OUTPUT, TEXT } from '../command.ts';
import { type InstanceValues, instanceIn } from '../nodes/act/instance-options.ts';
import { describingOptions } from '../nodes/act/node-verbs.ts';
import { optionsOf, optionTexts } from '../nodes/act/verb-options.ts';
import { cellText, formatted, OUTPUT_HELP, type OutputValues } from '../text-table.ts';
import { recordCommand } from './record-commands.ts';

const { brief, lines } = optionTexts(describingOptions);

const create = commandOf({
  usage: `usage: ironic-edge profile create NAME [--description TEXT]${brief} [--format FORMAT]

Stores what is the same for many instances, for "ironic-edge node deploy NODE... --profile NAME". Prints the name.

${lines}${OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
  options: { ...optionsOf({ options: describingOptions }), description: TEXT, ...OUTPUT },
  positionals: ['NAME'],
  async run({ values, positionals: [name] }, { environment, stdout }) {
    const given = values as InstanceValues & OutputValues & { readonly description?: string };
    const { description } = given;
    const created = await createApiClient(environment).post('/v1/profiles', {
      name,
      ...(description !== undefined && { description }),
      ...instanceIn(given),
    });
    stdout.write(formatted(given, created, () => `${cellText(created['name'])}\n`));
    return 0;
  },
});

export const profileCommand = recordCommand('profile', {
  create: { about: 'create one', load: async () => create },
});
