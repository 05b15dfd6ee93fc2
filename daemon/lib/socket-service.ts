// The interface between the listener, which speaks the WebSocket protocol, and the service that a client reaches through it.

export interface ClientSocket {
  /** Sends bytes as a binary message, text as a text message. Closes the socket when the client does not read. */
  send(message: Uint8Array | string): void;
  /** `reason` is a text for people; its first 123 bytes are sent. Calls the service's `closed` before it returns. */
  close(code: CloseCode, reason: string): void;
}

/** Codes of RFC 6455. 1001: what the client was attached to is gone. 1008: the client breaks a rule of the service. */
export type CloseCode = 1001 | 1008;

export interface SocketService {
  /** Called when the client is connected. */
  readonly opened: (socket: ClientSocket) => void;
  /** Called after `opened` with each message; a text message is passed as its UTF-8 bytes. */
  readonly received: (bytes: Buffer) => void;
  /** Called once, after all other calls; also when the client could not be connected. */
  readonly closed: () => void;
}
