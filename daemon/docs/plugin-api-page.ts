// The reference of #plugin-api, generated from its source: what a plugin implements and what it may use.
import path from 'node:path';
import { interfaceTypes, type InterfaceType } from '../model/machine/interface-types.ts';
import { PLUGIN_API_VERSION } from '../plugin-api/index.ts';
import { commonMembers, contract } from '../plugin-api/contract/interfaces.ts';
import { anything } from '../plugin-api/contract/shapes.ts';
import { manifestSchema } from '../plugin-host/manifests/manifest-schema.ts';
import {
  compiled,
  type Declaration,
  type DeclarationFiles,
  declarationsIn,
  namedTypes,
  passedOn,
} from './declarations.ts';
import { markdownTable } from './markdown-table.ts';

/** Chapters, with the files of daemon/plugin-api that they are generated from. */
const chapters: readonly (readonly [title: string, files: readonly string[]])[] = [
  ['Common to all interfaces', ['interfaces/driver-interface', 'driver-info']],
  ['Task', ['task', 'agent', 'boot/dhcp', 'images']],
  ['Boot', ['boot/boot-disk', 'boot/boot-mode', 'boot/ramdisk-images', 'boot/appended-parameters']],
  ['Conversations with BMCs', ['bmc']],
  ['Options and faults', ['options', 'own-faults']],
  ['Steps', ['steps']],
  ['Periodic work', ['periodic']],
  ['Inspection hooks', ['hooks']],
  ['Drivers', ['driver']],
  ['Tests of a plugin', ['../plugin-kit/rehearsal']],
];

/** Types that the page does not explain, because plugins neither write them nor read their members. */
const unexplained: readonly string[] = [
  'Conversation',
  'FaultCode',
  'FaultKind',
  'FaultParameters',
  'Field',
  'Learnt',
  'ParametersOf',
  'Patience',
  'Remedies',
];

const fileOf = (name: string): string => path.join('daemon/plugin-api', `${name}.ts`);
const redfish = 'plugins/redfish/client.ts';
const ipmi = 'plugins/ipmi/client.ts';

export function pluginApiPage(): string {
  const all = compiled([fileOf('index'), fileOf('../plugin-kit/rehearsal'), redfish, ipmi]);
  const files = [
    ...interfaceTypes.map((type) => `interfaces/${type}`),
    ...chapters.flatMap(([, own]) => own),
  ];
  const own = ownIn(files, all);
  const others = passedOn(fileOf('index'), all);
  const named = namedTypes([...own, ...others], unexplained, all);
  const known = [...unexplained, ...[...own, ...others, ...named].map(({ name }) => name)];
  const withTypes = (client: string) => {
    const declared = passedOn(client, all);
    return shown([...declared, ...namedTypes(declared, known, all)]);
  };
  return `# The plugin API, version ${PLUGIN_API_VERSION}

The API is exactly what \`#plugin-api\` and \`#plugin-api/rehearsal\` export, and follows semantic versioning.
\`#plugin-api/redfish\`, \`#plugin-api/ipmi\` and the simulated BMCs \`#plugin-api/fake-redfish\` and \`#plugin-api/fake-ipmi\` are described
here too, but may change with a minor version. A plugin with
\`"pluginApi": "^1.0"\` works with every daemon whose API is 1.0 or a later 1.x. A minor version only adds optional members,
functions and interface types. Only a major version changes what a plugin must provide, may call or may return; the daemon's
changelog announces such a change one minor version earlier, with instructions. Everything else in the daemon may
change at any time. For an introduction, see [writing a plugin](writing-a-plugin.md).

## Rules for operations

- An interface is one object for all nodes and must hold no state. Store state in the node with \`await task.update(...)\`; it is in the database when
  the promise resolves.
- An operation that fails throws. The operator sees a fault unchanged: one of the daemon's [faults](faults.md) (\`throw
  fault('BmcFailure', ...)\`) or one that the plugin defines (\`defineFault\`). Any other error is logged with its stack and
  shown as \`PluginFailed\`, which names plugin, interface and operation.
- An operation must end soon after \`task.signal\` aborts, and within \`[plugins] operation_timeout\` seconds. After that,
  the daemon does not wait for the operation any longer, and the operation can no longer change the node.
- The result of an operation is checked against the tables below before it is used.
- Every request to a BMC must go through \`task.bmc\`. \`new HttpClient({ url, clock: task.clock, ... })\` speaks HTTP(S)
  with one server: \`send({ method, url, headers, body, timeoutSeconds, signal: task.signal })\`. With \`idleSeconds\` it keeps
  its connection; \`close()\` ends it. A request with \`isFresh\` gets a new connection: send those so that must not be repeated. With \`redirects\`, a request follows that many redirects, on the same server only.
- All code of a plugin runs in one process: move computations longer than a few seconds to a worker thread.

## Operations by interface type

${interfaceTypes.map((type) => membersOf(type, all)).join('\n\n')}

${chapters.map(([title, each]) => `## ${title}\n\n${shown(ownIn(each, all))}`).join('\n\n')}

## BMCs that speak Redfish: \`#plugin-api/redfish\`

[Redfish](redfish.md#for-authors-of-plugins) describes \`#plugin-api/fake-redfish\`, a simulated BMC for tests.

${withTypes(redfish)}

## BMCs that speak IPMI: \`#plugin-api/ipmi\`

\`#plugin-api/fake-ipmi\` has a simulated BMC for tests: \`const { address, port, username, password, stop } = await startIpmiSim()\`. It
runs the program \`ipmi_sim\` (Debian: openipmi). \`await missingPrograms()\` returns a sentence that says what is not installed;
false if nothing is missing.

${withTypes(ipmi)}

## Other exports and types

${shown([...others, ...named])}

## plugin.json

${manifestKeys()}

The conditions and actions of inspection rules are described in [Inspection rules](inspection-rules.md). \`ironic-edge plugin show
TYPE\` prints the interfaces of a hardware type. In a hardware type that extends \`generic\`, \`...\` stands for those that
\`ironic-edge plugin show generic\` prints.

Generated from \`daemon/plugin-api\` by \`npm run docs\`.
`;
}

function membersOf(type: InterfaceType, all: DeclarationFiles): string {
  const members = Object.entries(contract[type]).filter(([name]) => !Object.hasOwn(commonMembers, name));
  const rows = members.map(([name, { kind, required, shape }]) => [
    `\`${name}\``,
    kind === 'operation' ? 'async function' : 'value',
    required ? 'yes' : '',
    shape === anything ? '' : shape.expected,
  ]);
  const title = `### ${type}`;
  if (rows.length === 0) return `${title}\n\nNo members beyond the common ones.`;
  const table = markdownTable(['member', 'kind', 'required', 'value or result'], rows);
  return `${title}\n\n${table}\n\n${shown(ownIn([`interfaces/${type}`], all))}`;
}

/** The declarations in files of the plugin API. */
const ownIn = (files: readonly string[], all: DeclarationFiles): readonly Declaration[] =>
  files.flatMap((file) => declarationsIn(fileOf(file), all));

const shown = (declarations: readonly Declaration[]): string => {
  const texts = declarations.map(({ text }) => text.replaceAll(/import\("[^"]*"\)\./g, ''));
  return `\`\`\`ts\n${texts.join('\n\n')}\n\`\`\``;
};

/** The keys of the manifest, with those of its parts. */
function manifestKeys(): string {
  const rows = keysOf(manifestSchema as DescribedSchema, '');
  return markdownTable(['key', 'meaning'], rows);
}

interface DescribedSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
  readonly additionalProperties?: DescribedSchema | boolean;
}

function keysOf({ properties = {}, additionalProperties }: DescribedSchema, prefix: string): string[][] {
  const own = Object.entries(properties).flatMap(([name, schema]) => [
    ...(schema.description === undefined ? [] : [[`\`${prefix}${name}\``, schema.description]]),
    ...keysOf(schema, `${prefix}${name}.`),
  ]);
  const named =
    typeof additionalProperties === 'object' ? keysOf(additionalProperties, `${prefix}NAME.`) : [];
  return [...own, ...named];
}
