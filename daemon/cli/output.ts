// Where commands write. Texts that come from machines, clients and other servers cannot control the terminal.
import { visibleText } from '../lib/plain-text.ts';

export interface Output {
  /** Characters that a terminal could obey appear as escapes such as `\u001b`. */
  write(text: string): unknown;
  /** Set for a terminal. */
  readonly terminal?: Terminal;
}

interface Terminal {
  readonly columns: number;
  readonly rows: number;
  /** Writes text with control sequences. Texts from elsewhere must have gone through `visibleLine`. */
  draw(text: string): unknown;
}

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'> & { write(text: string): unknown };

// a terminal that does not know its size reports 0
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

export const outputTo = (stream: Stream): Output => ({
  write: (text) => stream.write(visibleText(text)),
  ...(stream.isTTY && {
    terminal: {
      get columns() {
        return stream.columns || DEFAULT_COLUMNS;
      },
      get rows() {
        return stream.rows || DEFAULT_ROWS;
      },
      draw: (text) => stream.write(text),
    },
  }),
});
