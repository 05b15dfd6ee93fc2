// Shows how far the build of an image has come: a line when a step begins and one when it ends. On a terminal, what the step does
// now stands below them.
import { visibleLine } from '../../lib/plain-text.ts';
import type { Output } from '../output.ts';
import type { BuildProgress } from './build/build-agent-image.ts';

const CLEARED = '\r\u001B[K';

export function buildProgress(output: Output): BuildProgress {
  const { terminal } = output;
  return {
    say: (line) => {
      terminal?.draw(CLEARED);
      output.write(`${line}\n`);
    },
    doing: (line) => terminal?.draw(CLEARED + `  ${visibleLine(line)}`.slice(0, terminal.columns - 1)),
  };
}
