// The WebSockets of a listener: limits their messages and unread data, sends pings, and ends them.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../lib/clock.ts';
import type { ClientSocket, CloseCode, SocketService } from '../lib/socket-service.ts';

/** The largest message of a client: more than a person types or pastes at a time. */
export const LARGEST_MESSAGE_BYTES = 65_536;
export const MOST_UNREAD_BYTES = 1_048_576;
/** The time between pings. A client that has not answered a ping when the next one is due is disconnected. */
export const PING_MILLISECONDS = 20_000;
/** The longest reason that RFC 6455 allows. */
const LONGEST_REASON_BYTES = 123;

/** A request whose connection becomes a WebSocket. */
export interface Handshake {
  readonly request: IncomingMessage;
  readonly connection: Duplex;
  /** What the client has sent after its request. */
  readonly head: Buffer;
}

export class WebSockets {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: LARGEST_MESSAGE_BYTES });
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Answers the handshake, and calls `service` for the events of the WebSocket. A malformed handshake gets an error. */
  accept({ request, connection, head }: Handshake, service: SocketService): void {
    const end = once(() => service.closed());
    if (connection.destroyed) return end();
    connection.once('close', end);
    this.#server.handleUpgrade(request, connection, head, (socket) => {
      const stopPings = keepAlive(socket, this.#clock);
      socket.on('close', () => {
        stopPings();
        end();
      });
      // ws closes the connection after an error, such as a message that is too large
      socket.on('error', () => {});
      socket.on('message', (message: Buffer) => {
        if (socket.readyState === socket.OPEN) service.received(message);
      });
      service.opened(clientSocket(socket, end));
    });
  }

  /** Sends a close frame to every client. A connection ends when its client has answered, or after 30 s, the limit of ws. */
  close(): void {
    for (const socket of this.#server.clients) socket.close(1001, 'The service is stopping.');
  }
}

function clientSocket(socket: WebSocket, end: () => void): ClientSocket {
  const close = (code: CloseCode, reason: string) => {
    socket.close(code, shortened(reason));
    end();
  };
  return {
    send(message) {
      if (socket.readyState !== socket.OPEN) return;
      socket.send(message);
      if (socket.bufferedAmount > MOST_UNREAD_BYTES)
        close(1008, `This client does not read: more than ${MOST_UNREAD_BYTES} bytes wait for it.`);
    },
    close,
  };
}

/** Starts the pings; returns a function that stops them. */
function keepAlive(socket: WebSocket, clock: Clock): () => void {
  let isAnswered = true;
  let cancel: () => void;
  socket.on('pong', () => {
    isAnswered = true;
  });
  const ping = () => {
    if (!isAnswered) return socket.terminate();
    isAnswered = false;
    socket.ping();
    cancel = clock.after(PING_MILLISECONDS, ping);
  };
  cancel = clock.after(PING_MILLISECONDS, ping);
  return () => cancel();
}

/** Returns the reason. If it is too long, cuts it between two characters. */
function shortened(reason: string): string {
  const bytes = Buffer.from(reason).subarray(0, LONGEST_REASON_BYTES);
  return new TextDecoder().decode(bytes, { stream: true });
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}
