// The page that lists every failure that a caller of the API may see, except those that plugins define.
import { faultTable } from '../model/faults.ts';
import { markdownTable } from './markdown-table.ts';

export function faultsPage(): string {
  const rows = faultTable.map(({ code, status, sentence }) => [code, String(status), sentence]);
  return `# Faults

Every failure in answers of the API, by status, except the faults that plugins add. Words in braces are placeholders. Any
other failure is a bug in the daemon: the answer is a plain 500, and the log has the stack.

${markdownTable(['code', 'status', 'sentence'], rows)}

Generated from \`daemon/model/fault-tables\` by \`npm run docs\`.
`;
}
