// Attaches this terminal to a serial console over a web socket.
import { spawnSync } from 'node:child_process';
import type { WebSocket } from 'ws';
import type { Output } from '../../output.ts';
import { consoleKeys, type Typed } from './console-keys.ts';

interface Terminal {
  /** Standard input. */
  readonly input: NodeJS.ReadStream;
  readonly output: { write(bytes: Uint8Array): unknown };
  /** Where the session writes its own messages. */
  readonly notes: Output;
}

const HELP = '~.  detach\r\n~?  this help\r\n~~  type a ~\r\nEach works at the start of a line.';
/** How long this side, when it closes the connection, waits for the daemon to close it too. */
const FAREWELL_MILLISECONDS = 1000;

/** Resolves to the exit code when the session has ended: 0 if this side ended it, otherwise 1. */
export async function holdSession(socket: WebSocket, terminal: Terminal, isTyping: boolean): Promise<number> {
  const { input, output, notes } = terminal;
  const say = (text: string) => void notes.write(`\r\n${text}\r\n`);
  let hasDetached = false;
  const detach = () => {
    hasDetached = true;
    socket.close();
    setTimeout(() => socket.terminate(), FAREWELL_MILLISECONDS).unref();
  };
  socket.on('message', (message: Buffer, isBinary) => {
    if (isBinary) output.write(message);
    else say(noteOf(message.toString()));
  });
  const ended = new Promise<string>((resolve) => {
    socket.on('error', (error) => resolve(error.message));
    socket.on('close', (_, reason) => resolve(reason.toString() || 'The connection to the API has ended.'));
  });
  const release = isTyping ? typeFrom(input, { socket, say, detach }) : () => {};
  try {
    const reason = await ended;
    if (!hasDetached) say(reason);
    return hasDetached ? 0 : 1;
  } finally {
    release();
  }
}

interface Typing {
  readonly socket: WebSocket;
  readonly say: (text: string) => void;
  readonly detach: () => void;
}

/**
 * Sends what is typed until the returned function is called. On a terminal, ~ at the start of a line begins a command, and
 * everything else is sent at once.
 */
function typeFrom(input: NodeJS.ReadStream, { socket, say, detach }: Typing): () => void {
  const keys = input.isTTY ? consoleKeys() : (bytes: Buffer): readonly Typed[] => [{ kind: 'bytes', bytes }];
  const take = (piece: Buffer) => {
    for (const typed of keys(piece)) {
      if (typed.kind === 'bytes') socket.send(typed.bytes);
      else if (typed.kind === 'help') say(HELP);
      else return detach();
    }
  };
  if (input.isTTY) passEverything(input);
  input.on('data', take);
  input.on('end', detach);
  return () => {
    if (input.isTTY) input.setRawMode(false);
    input.off('data', take).off('end', detach).pause();
  };
}

/** Puts the terminal into raw mode: every key is passed on at once, and what the machine sends is shown unchanged. */
function passEverything(terminal: NodeJS.ReadStream): void {
  terminal.setRawMode(true);
  // in raw mode, Node.js still makes each line feed return to the first column, which breaks the display of full-screen programs
  spawnSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] });
}

/** Returns what the daemon reports about the serial line, as a sentence. */
function noteOf(text: string): string {
  const note = JSON.parse(text) as { readonly line: 'lost' | 'connected'; readonly reason?: string };
  return note.line === 'lost'
    ? `The console has lost its connection and is being connected again. Reason: ${note.reason}`
    : 'The console is connected again.';
}
