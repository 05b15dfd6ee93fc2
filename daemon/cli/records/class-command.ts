// `ironic-edge class`: hardware classes. `make` writes one from a good machine, `add` stores a file, `check` compares a node.
import { yamlText } from '../../lib/files/yaml-text.ts';
import { visibleLine } from '../../lib/plain-text.ts';
import { classLike } from '../../model/hardware/compare-class.ts';
import type { MachineHardware } from '../../model/hardware/hardware.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../api-client.ts';
import { commandOf, OUTPUT, TEXT, WrongArguments } from '../command.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { givenValue, readGivenFile } from '../given-file.ts';
import { cellText, formatted, OUTPUT_HELP } from '../text-table.ts';
import { recordCommand } from './record-commands.ts';

type Environment = Parameters<typeof createApiClient>[0];

const seenHardware = async (environment: Environment, node: string): Promise<JsonObject> => {
  const { body } = await createApiClient(environment).request('GET', `${pathOfNode(node)}/hardware`);
  return body as JsonObject;
};

const make = commandOf({
  usage: `usage: ironic-edge class make NODE [--name NAME]

Prints a hardware class, as YAML, that describes machines like this one, as its last inspection saw it. Take away what may be
different, and store it with "ironic-edge class add FILE".

  --name NAME  the class; the default is the resource class of the node
${ENVIRONMENT_HELP}`,
  options: { name: TEXT },
  positionals: ['NODE'],
  async run({ values: { name }, positionals: [node] }, { environment, stdout }) {
    const { hardware } = await seenHardware(environment, node);
    const named = name ?? (await resourceClassOf(environment, node));
    stdout.write(yamlText(classLike(named, hardware as unknown as MachineHardware)));
    return 0;
  },
});

async function resourceClassOf(environment: Environment, node: string): Promise<string> {
  const { body } = await createApiClient(environment).request(
    'GET',
    `${pathOfNode(node)}?fields=resource_class`,
  );
  const named = (body as JsonObject)['resource_class'];
  if (typeof named === 'string') return named;
  throw new WrongArguments(`node ${node} has no resource_class to name the class by: give --name NAME`);
}

const add = commandOf({
  usage: `usage: ironic-edge class add FILE [--format FORMAT]

Stores the hardware class that a file describes, and prints its name. The file is YAML or JSON, as "ironic-edge class make" writes
it; - is the standard input. Nodes whose resource_class is this name are compared with it.

${OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
  options: OUTPUT,
  positionals: ['FILE'],
  async run({ values, positionals: [file] }, { environment, stdout }) {
    const created = await createApiClient(environment).post('/v1/hardware_classes', classIn(file));
    stdout.write(formatted(values, created, ({ name }) => `${cellText(name)}\n`));
    return 0;
  },
});

function classIn(file: string): JsonObject {
  const content = givenValue(file, readGivenFile('FILE', file).toString());
  if (isJsonObject(content)) return content;
  throw new CommandFailure(
    `${file} describes no hardware class: expected a mapping such as "name: web", as "ironic-edge class make NODE" prints it`,
    exitCodes.failed,
  );
}

const check = commandOf({
  usage: `usage: ironic-edge class check NODE [--format FORMAT]

Compares what the last inspection of a node saw with the hardware class that has the name of its resource_class. Prints a line for
each difference. Exits with code 1 if there is one.

${OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
  options: OUTPUT,
  positionals: ['NODE'],
  async run({ values, positionals: [node] }, { environment, stdout }) {
    const found = await seenHardware(environment, node);
    const named = found['class'];
    if (typeof named !== 'string')
      throw new CommandFailure(
        `node ${node} has no hardware class: "ironic-edge class list" lists them; the resource_class of the node names its class`,
        exitCodes.failed,
      );
    const differences = textsIn(found, 'class_differences');
    stdout.write(
      formatted(values, found, () => checkText(named, differences, textsIn(found, 'class_unchecked'))),
    );
    return differences.length === 0 ? 0 : exitCodes.failed;
  },
});

const textsIn = (found: JsonObject, name: string) => (found[name] as readonly string[]).map(visibleLine);

function checkText(name: string, differences: readonly string[], unchecked: readonly string[]): string {
  const lines = [
    ...(differences.length === 0 ? [`nothing differs from class ${name}`] : differences),
    ...(unchecked.length === 0 ? [] : [`not checked, as no report lists it: ${unchecked.join(', ')}`]),
  ];
  return `${lines.join('\n')}\n`;
}

export const classCommand = recordCommand('class', {
  make: { about: 'print a class that describes machines like a node', load: async () => make },
  add: { about: 'store the class that a file describes', load: async () => add },
  check: { about: 'compare a node with its class', load: async () => check },
});
