// Serves a web socket that is attached to a serial line. Binary messages carry the bytes of the line, in both directions. Text
// messages of the daemon report, as JSON, that the line was lost or is connected again; to a client with a screen, also who types.
import type { ClientSocket, SocketService } from '../../lib/socket-service.ts';
import { fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import type { Caller } from '../../model/caller.ts';
import { consoleLimits } from '../limits.ts';
import { PLACES } from './serial-consoles.ts';
import { INPUT_REFUSED, type SerialLine, type Writer } from './serial-line.ts';
import type { ConsoleServices } from './services.ts';
import type { Call } from '../tasks/services.ts';

export interface Attachment {
  readonly readOnly: boolean;
  /** Whether the client takes over from the client that types now. */
  readonly takeOver: boolean;
  /** Whether the client has a screen: it first gets the end of what the machine showed before, and it is told who types. */
  readonly screen: boolean;
}

/** Throws ConsoleNotOpen, ConsoleTaken or TooManyStreams. */
export function attachToConsole(
  { services: { consoles }, caller }: Call<ConsoleServices>,
  node: Node,
  attachment: Attachment,
): SocketService {
  const line = consoles.lineOf(node.uuid);
  if (line === undefined) throw fault('ConsoleNotOpen', { node: node.uuid, reason: whyClosed(node) });
  const { readOnly, takeOver } = attachment;
  if (line.typist !== undefined && !readOnly && !takeOver)
    throw fault('ConsoleTaken', { node: node.uuid, typist: line.typist });
  const leave = consoles.places.take(caller?.user ?? caller?.address ?? 'socket');
  if (leave === undefined) {
    const { most: limit, mostOfOne: own } = PLACES;
    throw fault('TooManyStreams', { what: 'console sockets', limit, own });
  }
  const shown = () => endOf(consoles.logOf(node.uuid));
  return serviceOf(line, { ...attachment, name: nameOf(caller), shown, leave });
}

/** Returns the last bytes, from the beginning of a line on. */
function endOf(log: Buffer): Buffer {
  if (log.length <= consoleLimits.repeatedBytes) return log;
  const end = log.subarray(-consoleLimits.repeatedBytes);
  return end.subarray(end.indexOf(LINE_FEED) + 1);
}

const LINE_FEED = 0x0a;

const whyClosed = ({ console_enabled: isEnabled, console_interface: name }: Node): string =>
  isEnabled
    ? `its console is being connected, or console interface ${name} has no serial line. In the first case, try again later`
    : 'its console is disabled. Enable it with "baremetal node console enable"';

function nameOf(caller: Caller | null): string {
  const { user = null, address = null } = caller ?? {};
  if (address === null) return user ?? 'a program on this host';
  return user === null ? address : `${user} at ${address}`;
}

interface Attached extends Attachment {
  readonly name: string;
  /** Returns the end of what the machine has shown. */
  readonly shown: () => Buffer;
  readonly leave: () => void;
}

function serviceOf(line: SerialLine, { shown, leave, ...attached }: Attached): SocketService {
  const { readOnly, takeOver, screen, name } = attached;
  let socket: ClientSocket | undefined;
  let writer: Writer | undefined;
  let stopReading: (() => void) | undefined;
  const dismiss = (reason: string) => socket?.close(1008, reason);
  const startWriting = () => {
    writer = line.write({ name, displaced: (by) => dismiss(`${by} has taken over.`) }, takeOver);
    // another client has begun to type since `attachToConsole` checked the request
    if (writer === undefined) dismiss(`${line.typist} types on this console.`);
  };
  return {
    opened(connected) {
      socket = connected;
      const tell = (message: object) => connected.send(JSON.stringify(message));
      const typing = () => tell({ line: 'typist', name: line.typist ?? null });
      if (screen) connected.send(shown());
      stopReading = line.read({
        shown: (bytes) => connected.send(bytes),
        lost: (reason) => tell({ line: 'lost', reason }),
        connected: () => tell({ line: 'connected' }),
        ...(screen && { typing }),
        ended: (reason) => connected.close(1001, reason),
      });
      if (!readOnly) startWriting();
      else if (screen) typing();
    },
    received(bytes) {
      if (readOnly) dismiss('This client is connected read-only.');
      else if (writer?.write(bytes) === false) dismiss(INPUT_REFUSED);
    },
    closed() {
      stopReading?.();
      writer?.end();
      leave();
    },
  };
}
