// What a person types on an attached console: bytes for the machine, and commands that begin with ~ at the start of a line.

export type Typed =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'detach' }
  | { readonly kind: 'help' };

const TILDE = 0x7e;
const DOT = 0x2e;
const QUESTION_MARK = 0x3f;
/** A ~ is at the start of a line if it follows one of these bytes, or if nothing was typed before it. */
const LINE_ENDS: ReadonlySet<number | undefined> = new Set([0x0d, 0x0a, undefined]);

/** Returns a function that takes what is typed, piece by piece. */
export function consoleKeys(): (piece: Uint8Array) => readonly Typed[] {
  let last: number | undefined;
  let isCommand = false;
  const typed = (byte: number): Typed | undefined => {
    const wasCommand = isCommand;
    isCommand = !wasCommand && byte === TILDE && LINE_ENDS.has(last);
    if (isCommand) return undefined;
    if (wasCommand && byte === DOT) return { kind: 'detach' };
    if (wasCommand && byte === QUESTION_MARK) return { kind: 'help' };
    last = byte;
    const isOther = wasCommand && byte !== TILDE;
    return { kind: 'bytes', bytes: Buffer.from(isOther ? [TILDE, byte] : [byte]) };
  };
  return (piece) => joined([...piece].flatMap((byte) => typed(byte) ?? []));
}

/** Joins bytes that follow each other into one buffer. */
function joined(all: readonly Typed[]): readonly Typed[] {
  const result: Typed[] = [];
  let run: Buffer[] = [];
  const endRun = () => {
    if (run.length > 0) result.push({ kind: 'bytes', bytes: Buffer.concat(run) });
    run = [];
  };
  for (const each of all) {
    if (each.kind === 'bytes') {
      run.push(each.bytes);
    } else {
      endRun();
      result.push(each);
    }
  }
  endRun();
  return result;
}
