// The reference of #plugin-api, generated from its source: what a plugin implements and what it may use.
import { readFileSync } from 'node:fs';
import { interfaceTypes } from '../model/machine/interface-types.ts';
import { PLUGIN_API_VERSION } from '../plugin-api/index.ts';
import { commonMembers, contract } from '../plugin-host/contract/contract.ts';
import { anything } from '../plugin-host/contract/shapes.ts';
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

export function pluginApiPage(): string {
  return `# The plugin API, version ${PLUGIN_API_VERSION}

The API is exactly what \`#plugin-api\` and \`#plugin-api/rehearsal\` export, and follows semantic versioning.
\`#plugin-api/fake-redfish\`, a model BMC for tests, is described in [Redfish](redfish.md). A plugin with
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
    return exportsOf(source);
  });
  return `\`\`\`ts\n${declared.join('\n\n')}\n\`\`\``;
}

/** Returns exported types with their comments, and functions without their bodies. */
export function exportsOf(source: string): readonly string[] {
  return source.split(/\n\n+/).flatMap((block) => {
    const declaration = block.trim().replaceAll('export ', '');
    const bare = declaration.replace(/^\/\*\*[^]*?\*\/\s*/, '');
    if (!block.includes('export ')) return [];
    if (/^(?:interface|type|class|const \w+ = \[)/.test(bare)) return [declaration];
    return bare.startsWith('function ') ? [`${declaration.slice(0, declaration.indexOf(' {\n'))};`] : [];
  });
}
