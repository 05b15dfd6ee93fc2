// Shows how far the work on nodes has come: on a terminal a bar for each node, elsewhere a line for each change.
import { styleText } from 'node:util';
import { visibleLine } from '../../../../lib/plain-text.ts';
import type { Output } from '../../../output.ts';
import type { NodeProgress } from './progress-of.ts';

export interface ProgressScreen {
  show(label: string, progress: NodeProgress): void;
  /** Prints a sentence; on a terminal, above the bars. */
  say(sentence: string): void;
}

const BAR = 20;
const COLOURS = { works: 'yellow', done: 'green', failed: 'red' } as const;

export function progressScreen(
  screen: Output,
  labels: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ProgressScreen {
  const shown = new Map<string, NodeProgress | undefined>(labels.map((label) => [label, undefined]));
  const { terminal } = screen;
  if (terminal === undefined || environment['TERM'] === 'dumb') return linesOn(screen, shown);
  const hasColour = (environment['NO_COLOR'] ?? '') === '';
  let height = 0;
  const draw = () => {
    const lines = barLines([...shown], terminal);
    const text = lines.map(({ text: line, kind }) =>
      hasColour && kind !== undefined ? styleText(COLOURS[kind], line, { validateStream: false }) : line,
    );
    terminal.draw(`${erased(height)}${text.map((line) => `${line}\n`).join('')}`);
    height = lines.length;
  };
  return {
    show(label, progress) {
      shown.set(label, progress);
      draw();
    },
    say(sentence) {
      terminal.draw(`${erased(height)}${visibleLine(sentence)}\n`);
      height = 0;
      draw();
    },
  };
}

/** The control sequences that move the cursor up by `lines`, and clear the screen from there. */
const erased = (lines: number): string => (lines === 0 ? '' : `\u001B[${lines}A\u001B[J`);

function linesOn(screen: Output, shown: Map<string, NodeProgress | undefined>): ProgressScreen {
  return {
    show(label, progress) {
      if (shown.get(label)?.text !== progress.text)
        screen.write(`${visibleLine(`${label}: ${progress.text}`)}\n`);
      shown.set(label, progress);
    },
    say: (sentence) => screen.write(`${visibleLine(sentence)}\n`),
  };
}

interface Line {
  readonly text: string;
  readonly kind?: NodeProgress['kind'] | undefined;
}

/**
 * One line for each node. If the terminal has too few rows for that, only nodes whose work goes on get lines, as many as fit, and
 * the last line counts the nodes whose work has ended.
 */
function barLines(
  nodes: readonly (readonly [string, NodeProgress | undefined])[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): readonly Line[] {
  const most = Math.max(1, rows - 2);
  const open = nodes.filter(([, progress]) => progress === undefined || progress.kind === 'works');
  const listed = (nodes.length <= most ? nodes : open)
    .slice(0, most)
    .map(([label, progress]) => [visibleLine(label), progress] as const);
  const width = Math.max(0, ...listed.map(([label]) => label.length));
  const lines = listed.map(([label, progress]) => ({
    text: `${label.padEnd(width)} ${bar(progress?.share ?? 0)} ${visibleLine(progress?.text ?? '')}`.slice(
      0,
      columns - 1,
    ),
    kind: progress?.kind,
  }));
  const summary = `work has ended on ${nodes.length - open.length} of ${nodes.length} nodes`.slice(
    0,
    columns - 1,
  );
  return nodes.length <= most ? lines : [...lines, { text: summary }];
}

function bar(share: number): string {
  const filled = Math.round(share * BAR);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}]`;
}
