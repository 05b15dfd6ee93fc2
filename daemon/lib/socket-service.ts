// A WebSocket between the listener, which speaks the protocol, and what serves the client.

export interface ClientSocket {
  /** Sends bytes as a binary message, text as a text message. Closes the socket when the client does not read. */
  send(message: Uint8Array | string): void;
  /** `reason` is a text for people; its first 123 bytes are sent. The service's `closed` is called before this returns. */
  close(code: CloseCode, reason: string): void;
}

/** Codes of RFC 6455. 1001: what the client was attached to is gone. 1008: the client breaks a rule of the service. */
export type CloseCode = 1001 | 1008;

export interface SocketService {
  /** Called when the client is connected. */
  readonly opened: (socket: ClientSocket) => void;
  /** Called with each message, text as its bytes, after `opened`. */
  readonly received: (bytes: Buffer) => void;
  /** Called once, after all other calls; also when the client never got connected. */
  readonly closed: () => void;
}
