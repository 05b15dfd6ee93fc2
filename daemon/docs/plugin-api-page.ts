// The reference of #plugin-api, generated from its source: what a plugin implements and what it may use.
import { readFileSync } from 'node:fs';
import { interfaceTypes } from '../model/machine/interface-types.ts';
import { PLUGIN_API_VERSION } from '../plugin-api/index.ts';
import { commonMembers, contract } from '../plugin-host/contract/contract.ts';
import { anything } from '../plugin-host/contract/shapes.ts';
import { manifestSchema } from '../plugin-host/manifests/manifest-schema.ts';
import { writtenOut } from './declared-types.ts';
import { markdownTable } from './markdown-table.ts';

/** Chapters, with the files of daemon/plugin-api that they are generated from. */
const chapters: readonly (readonly [title: string, files: readonly string[]])[] = [
  ['Common to all interfaces', ['interfaces/driver-interface', 'driver-info']],
  ['Task', ['task', 'agent', 'dhcp', 'images']],
  ['Boot', ['boot-mode', 'ramdisk-images', 'appended-parameters']],
  ['Conversations with BMCs', ['bmc']],
  ['Options and faults', ['options', 'own-faults']],
  ['Steps', ['steps']],
  ['Periodic work', ['periodic']],
  ['Inspection hooks', ['hooks']],
  ['Drivers', ['driver']],
  ['Tests of a plugin', ['rehearsal']],
];

/** Types that exported ones name, which cannot be imported themselves, with their files. */
const namedOnly: readonly (readonly [file: string, names: readonly string[]])[] = [
  ['lib/clock', ['Clock']],
  ['lib/http-client/connection', ['ConnectionSettings', 'Route', 'GuardedRoute']],
  ['lib/http-client/http-client', ['Login']],
  ['lib/http-client/send-request', ['ReplyHead', 'Sink']],
  ['model/machine/image-checksum', ['HashAlgorithm']],
  ['model/machine/indicators', ['IndicatorComponent']],
  ['model/machine/interface-types', ['InterfaceType']],
  ['model/machine/sensors', ['SensorHealth', 'SensorUnit']],
  ['model/records/bios-setting', ['BiosRegistryEntry']],
  ['model/records/inspected-fields', ['InspectedNodeField']],
  ['model/steps/step-lists', ['NamedStep']],
];

const namedByRedfish: typeof namedOnly = [
  ['../plugins/redfish/bmc/converse', ['ConversationOptions']],
  ['../plugins/redfish/bmc/error-body', ['Refusal']],
  ['../plugins/redfish/bmc/redfish-client', ['Answer', 'RedfishClient']],
  ['../plugins/redfish/bmc/bmc-session', ['Upload']],
  ['../plugins/redfish/steps/redfish-task', ['TaskProgress']],
  ['../plugins/redfish/steps/stored-state', ['StoredState']],
];

export function pluginApiPage(): string {
  return `# The plugin API, version ${PLUGIN_API_VERSION}

The API is exactly what \`#plugin-api\` and \`#plugin-api/rehearsal\` export, and follows semantic versioning.
\`#plugin-api/redfish\`, \`#plugin-api/ipmi\` and the model BMCs \`#plugin-api/fake-redfish\` and \`#plugin-api/fake-ipmi\` are described
here too, but may change with a minor version. A plugin with
\`"pluginApi": "^1.0"\` works with every daemon whose API is 1.0 or a later 1.x. A minor version only adds optional members,
functions and interface types. What a plugin must provide, may call or may return changes only with a major version; the
daemon's changelog announces that one minor version earlier, with instructions. Everything else in the daemon may change
at any time. For an introduction, see [writing a plugin](writing-a-plugin.md).

## Rules for operations

- An interface is one object for all nodes and must hold no state. Store state in the node with \`await task.update(...)\`; it is in the database when
  the promise resolves.
- An operation that fails throws. A fault (\`throw fault('BmcFailure', ...)\`, see the list of [faults](faults.md)) is shown
  to the operator unchanged, also one of the plugin's own (\`defineFault\`); any other error is logged with its stack and shown as \`PluginFailed\`, which names plugin,
  interface and operation.
- An operation must end soon after \`task.signal\` aborts, and within \`[plugins] operation_timeout\` seconds. After that,
  the daemon continues without it, and it can no longer change the node.
- The result of an operation is checked against the tables below before it is used.
- Every request to a BMC must go through \`task.bmc\`. \`new HttpClient({ url, clock: task.clock, ... })\` speaks HTTP(S)
  with one server: \`send({ method, url, headers, body, timeoutSeconds, signal: task.signal })\`. With \`idleSeconds\` it keeps
  its connection; \`close()\` ends it. Redirects are followed on the same server only, when asked.
- All code of a plugin runs in one process: move computations longer than a few seconds to a worker thread.

## Operations by interface type

${interfaceTypes.map(membersOf).join('\n\n')}

${chapters.map(chapter).join('\n\n')}

## BMCs that speak Redfish: \`#plugin-api/redfish\`

[Redfish](redfish.md#for-authors-of-plugins) describes \`#plugin-api/fake-redfish\`, a model BMC for tests.

${exportsThrough('../../plugins/redfish/client.ts', namedByRedfish)}

## BMCs that speak IPMI: \`#plugin-api/ipmi\`

\`#plugin-api/fake-ipmi\` has a model BMC for tests: \`const { address, port, username, password, stop } = await startIpmiSim()\`. It
runs the program \`ipmi_sim\` (Debian: openipmi); \`await missingPrograms()\` returns what is not installed, or false.

${exportsThrough('../../plugins/ipmi/client.ts', [])}

## Other exports and types

${exportsThrough('../plugin-api/index.ts', namedOnly)}

## plugin.json

${manifestKeys()}

The conditions and actions of inspection rules are described in [Inspection rules](inspection-rules.md). \`ironic-edge plugin show
TYPE\` prints the interfaces of a hardware type, such as those of \`generic\` that \`...\` stands for.

Generated from \`daemon/plugin-api\` by \`npm run docs\`.
`;
}

function membersOf(type: (typeof interfaceTypes)[number]): string {
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
  return `${title}\n\n${table}\n\n${declarationsIn([`interfaces/${type}`])}`;
}

const chapter = ([title, files]: (typeof chapters)[number]): string =>
  `## ${title}\n\n${declarationsIn(files)}`;

function declarationsIn(files: readonly string[]): string {
  const declared = files.flatMap((file) => {
    const source = readFileSync(new URL(`../plugin-api/${file}.ts`, import.meta.url), 'utf8');
    return exportsOf(source).map((text) => writtenOut(declaredName(text), text, source));
  });
  return `\`\`\`ts\n${declared.join('\n\n')}\n\`\`\``;
}

/** What a file exports from others, in the order of its source, and further types that these name. */
function exportsThrough(file: string, further: typeof namedOnly): string {
  const named = further.map(([path, names]) => ({ file: new URL(`../${path}.ts`, import.meta.url), names }));
  const declared = [...passedOn(new URL(file, import.meta.url)), ...named].flatMap((each) =>
    declarationsOf(each.file, each.names),
  );
  return `\`\`\`ts\n${declared.join('\n\n')}\n\`\`\``;
}

interface PassedOn {
  readonly file: URL;
  readonly names: readonly string[];
}

/** Each `export { NAMES } from FILE` of a source. */
function passedOn(of: URL): readonly PassedOn[] {
  const [, ...parts] = readFileSync(of, 'utf8').split('export ');
  return parts.flatMap((part) => {
    const [, names, path] = /^(?:type )?\{([^}]*)\} from '([^']+)';/.exec(part) ?? [];
    if (names === undefined || path === undefined) return [];
    const bare = names.split(',').map((name) => name.replace('type ', '').trim());
    return [{ file: new URL(path, of), names: bare }];
  });
}

function declarationsOf(file: URL, names: readonly string[]): readonly string[] {
  const source = readFileSync(file, 'utf8');
  const own = exportsOf(source)
    .filter((text) => names.includes(declaredName(text)))
    .map((text) => writtenOut(declaredName(text), text, source));
  const elsewhere = passedOn(file).flatMap((further) =>
    declarationsOf(
      further.file,
      further.names.filter((name) => names.includes(name)),
    ),
  );
  return [...own, ...elsewhere];
}

/** The name that a declaration declares. */
export const declaredName = (declaration: string): string => {
  const bare = declaration.replace(COMMENT, '').replace('async ', '');
  return /^(?:interface|type|class|const|function) (\w+)/.exec(bare)?.[1] ?? '';
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

const COMMENT = /^\/\*\*[^]*?\*\/\s*/;

/** Returns exported types and classes with their comments, and functions and constants without their bodies. */
export function exportsOf(source: string): readonly string[] {
  return source.split(/\n\n+(?! )|(?<=[;}])\n(?=export |\/\*\*)/).flatMap((block) => {
    const text = block.trim().replaceAll('export ', '');
    if (!/^export /m.test(block)) return [];
    const bare = text.replace(COMMENT, '');
    const comment = text.slice(0, text.length - bare.length);
    if (/^(?:interface|type|const \w+ = \[)/.test(bare)) return [text];
    if (bare.startsWith('class ')) return [`${comment}${publicMembers(bare)}`];
    const end = signatureEnd(bare);
    return end === undefined ? [] : [`${comment}${bare.slice(0, end)};`];
  });
}

/** Where the signature of a function, or the name of a constant, ends; undefined for other texts. */
function signatureEnd(declaration: string): number | undefined {
  if (/^(?:async )?function /.test(declaration)) return declaration.indexOf(' {\n');
  if (!declaration.startsWith('const ')) return undefined;
  const arrow = declaration.search(/ =>(?: |\n)(?!.*\)(?:: [^=]*)? =>)/);
  const value = declaration.indexOf(' =');
  return /^const \w+ =\s+(?:async )?[<(]/.test(declaration) && arrow !== -1 ? arrow : value;
}

/** The head of a class, with its members that are not private and the comments before them. */
function publicMembers(declaration: string): string {
  const lines = declaration.split('\n');
  const kept: string[] = [];
  let comment: string[] = [];
  for (const line of lines.slice(1)) {
    if (/^ {2}(?:\/\*\*| \*)/.test(line)) comment.push(line);
    else {
      if (
        /^ {2}(?!(?:async |readonly |static )?#|private )(?:async |readonly |override |static |get )?\w.*[{;]$/.test(
          line,
        )
      )
        kept.push(...comment, line.replace(/ \{$/, ';').replace('async ', ''));
      comment = [];
    }
  }
  return [lines[0], ...kept, '}'].join('\n');
}
