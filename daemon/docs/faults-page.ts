// The page of every failure that a caller of the API may see.
import { faultTable } from '../model/faults.ts';
import { markdownTable } from './markdown-table.ts';

export function faultsPage(): string {
  const rows = faultTable.map(({ code, status, sentence }) => [code, String(status), sentence]);
  return `# Faults

Every failure that the API answers with, by status. Words in braces are filled in. Anything else is a bug in the
daemon: it is answered with a plain 500, and the log has its stack.

${markdownTable(['code', 'status', 'sentence'], rows)}

Drawn from \`daemon/model/faults.ts\` by \`npm run docs\`.
`;
}
