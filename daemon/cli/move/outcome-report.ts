// The report of an import or an export as text: a line for each machine or record, and how many had each outcome.
import { textTable } from '../text-table.ts';

interface Outcome {
  readonly name: string;
  readonly outcome: string;
  readonly note: string;
}

/** `total`: what was counted, such as `20 machines`. */
export function outcomeReport(report: readonly Outcome[], total: string, isDryRun: boolean): string {
  const counts = Object.entries(Object.groupBy(report, ({ outcome }) => outcome));
  const summary = counts.map(([outcome, group = []]) => `${group.length} ${outcome}`).join(', ');
  const table = textTable(
    ['machine', 'outcome', 'note'],
    report.map(({ name, outcome, note }) => [name, outcome, note]),
  );
  const end = isDryRun ? ' (dry run: nothing was changed)' : '';
  return `${table}\n${total}${summary === '' ? '' : `: ${summary}`}${end}\n`;
}
