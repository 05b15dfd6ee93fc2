// The reference of #plugin-api: what a plugin implements and what it may use, as its source declares it.
import { readFileSync } from 'node:fs';
import { interfaceTypes } from '../model/interface-types.ts';
import { PLUGIN_API_VERSION } from '../plugin-api/index.ts';
import { commonMembers, contract } from '../plugin-host/contract.ts';
import { anything } from '../plugin-host/shapes.ts';
import { markdownTable } from './markdown-table.ts';

/** Chapters, with the files of daemon/plugin-api that they are drawn from. */
const chapters: readonly (readonly [title: string, files: readonly string[]])[] = [
  ['What all interfaces have', ['interfaces', 'driver-info']],
  ['Task', ['task', 'agent', 'dhcp']],
  ['Management', ['management']],
  ['BIOS, firmware, RAID', ['machine-parts']],
  ['Deploy, boot, rescue', ['deployment']],
  ['Vendor methods', ['vendor']],
  ['Steps', ['steps']],
  ['Periodic work', ['periodic']],
  ['Inspection hooks', ['hooks']],
  ['Classic drivers', ['classic-driver']],
  ['Tests of a plugin', ['rehearsal']],
];

export function pluginApiPage(): string {
  return `# The plugin API, version ${PLUGIN_API_VERSION}

What \`#plugin-api\` and \`#plugin-api/rehearsal\` export, and no more, is the API: it follows semantic versioning. A plugin that says
\`"pluginApi": "^1.0"\` works with every daemon whose API is 1.0 or a later 1.x. A minor version adds (optional members,
functions, interface types); what a plugin must have, may call or may give back changes with a major version alone, which
the changelog of the daemon announces one minor version before, with what to do. Everything else in the daemon may change
at any time. [Writing a plugin](writing-a-plugin.md) begins at the beginning.

## What every operation may rely on, and must keep to

- Interfaces are singletons without state of their own: what must be remembered belongs into the node, through
  \`task.update\`, which has stored it when it returns.
- An operation that fails throws. A fault (\`throw fault('BmcFailure', ...)\`, all of them in [faults](faults.md)) is shown
  to the operator as it stands; anything else is logged with its stack and shown as \`PluginFailed\`, which names plugin,
  interface and operation.
- An operation ends soon after \`task.signal\` aborts, and within \`[plugins] operation_timeout\` seconds. After that the
  daemon goes on without it, and it cannot change the node any more.
- What an operation gives is checked against the tables below before it is used.
- Everything said to a BMC goes through \`task.withBmc\`. \`exchange\` is one HTTP(S) request to whomever, bounded in time
  and size: \`{ url, method, body, trust, timeoutSeconds, clock: task, signal: task.signal }\`.
- Interfaces run in the daemon's own thread: what computes for long belongs into a worker thread. Hooks are in one.

## Operations by interface type

${interfaceTypes.map(membersOf).join('\n\n')}

${chapters.map(chapter).join('\n\n')}

Drawn from \`daemon/plugin-api\` by \`npm run docs\`.
`;
}

function membersOf(type: (typeof interfaceTypes)[number]): string {
  const members = Object.entries(contract[type]).filter(([name]) => !Object.hasOwn(commonMembers, name));
  const rows = members.map(([name, { kind, required, shape }]) => [
    `\`${name}\``,
    kind === 'operation' ? 'waited for' : kind === 'function' ? 'answers at once' : 'value',
    required ? 'yes' : '',
    shape === anything ? '' : shape.expected,
  ]);
  const title = `### ${type}`;
  if (rows.length === 0) return `${title}\n\nNothing beyond what all interfaces have.`;
  return `${title}\n\n${markdownTable(['member', 'is', 'required', 'gives'], rows)}`;
}

function chapter([title, files]: (typeof chapters)[number]): string {
  const declared = files.flatMap((file) => {
    const source = readFileSync(new URL(`../plugin-api/${file}.ts`, import.meta.url), 'utf8');
    return exportsOf(source);
  });
  return `## ${title}\n\n\`\`\`ts\n${declared.join('\n\n')}\n\`\`\``;
}

/** Exported types with their comments, and functions without their bodies. */
export function exportsOf(source: string): readonly string[] {
  return source.split(/\n\n+/).flatMap((block) => {
    const declaration = block.trim().replaceAll('export ', '');
    const bare = declaration.replace(/^\/\*\*[^]*?\*\/\s*/, '');
    if (!block.includes('export ')) return [];
    if (/^(?:interface|type|class|const \w+ = \[)/.test(bare)) return [declaration];
    return bare.startsWith('function ') ? [`${declaration.slice(0, declaration.indexOf(' {\n'))};`] : [];
  });
}
