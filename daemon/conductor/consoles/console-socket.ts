// Serves a web socket that is attached to a serial line. Binary messages carry the bytes of the line, in both directions. Text
// messages of the daemon report, as JSON, that the line was lost or is connected again.
import type { ClientSocket, SocketService } from '../../lib/socket-service.ts';
import { fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import type { Call, Caller } from '../services.ts';
import { PLACES } from './serial-consoles.ts';
import { INPUT_REFUSED, type SerialLine, type Writer } from './serial-line.ts';

export interface Attachment {
  readonly readOnly: boolean;
  /** Whether the client takes over from the client that types now. */
  readonly takeOver: boolean;
}

/** Throws ConsoleNotOpen, ConsoleTaken or TooManyStreams. */
export function attachToConsole(
  { services: { consoles }, caller }: Call,
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
  return serviceOf(line, { ...attachment, name: nameOf(caller), leave });
}

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
  readonly leave: () => void;
}

function serviceOf(line: SerialLine, { readOnly, takeOver, name, leave }: Attached): SocketService {
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
      stopReading = line.read({
        shown: (bytes) => connected.send(bytes),
        lost: (reason) => connected.send(JSON.stringify({ line: 'lost', reason })),
        connected: () => connected.send(JSON.stringify({ line: 'connected' })),
        ended: (reason) => connected.close(1001, reason),
      });
      if (!readOnly) startWriting();
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
