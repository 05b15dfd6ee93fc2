// The page of the keys in `driver_internal_info`.
import { endings, type InternalInfoKey, internalInfoKeys } from '../model/internal-info.ts';
import { isSecretKey } from '../model/secrets.ts';
import { markdownTable } from './markdown-table.ts';

export function internalInfoPage(): string {
  const columns = ['key', 'meaning', 'removed by', 'continues work at', 'in the API'];
  return `# driver_internal_info

The field \`driver_internal_info\` of a node holds what the daemon must remember of its work on the node. A key is stored
before the change that it describes takes effect, so that the daemon knows of the change even after a crash. Plugins keep further
keys beside these.

${markdownTable(
  columns,
  Object.keys(internalInfoKeys).map((name) => keyRow(name as InternalInfoKey)),
)}

Generated from \`daemon/model/internal-info.ts\` by \`npm run docs\`.
`;
}

function keyRow(name: InternalInfoKey): readonly string[] {
  const { about, until, readers } = internalInfoKeys[name];
  return [`\`${name}\``, about, endings[until], readers.join(', '), isSecretKey(name) ? 'masked' : 'shown'];
}
