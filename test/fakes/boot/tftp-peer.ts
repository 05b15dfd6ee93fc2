// A TFTP client that sends what a test tells it to, well-formed or not.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

export interface Received {
  readonly bytes: Buffer;
  readonly from: RemoteInfo;
}

const withTexts = (operation: number, texts: readonly string[]) =>
  Buffer.concat([Buffer.from([0, operation]), Buffer.from(texts.map((text) => `${text}\0`).join(''))]);
const withNumbers = (operation: number, number: number) =>
  Buffer.from([0, operation, (number >> 8) & 255, number & 255]);

/** Names and values alternate in `options`. */
export const readRequest = (name: string, options: readonly (string | number)[] = [], mode = 'octet') =>
  withTexts(1, [name, mode, ...options.map(String)]);
export const writeRequest = (name: string) => withTexts(2, [name, 'octet']);
export const acknowledgement = (block: number) => withNumbers(4, block);
export const errorPacket = (code: number, text: string) =>
  Buffer.concat([withNumbers(5, code), Buffer.from(`${text}\0`)]);

/** Describes a packet: `data 7 (512)`, `oack blksize=1468`, `error 1`. */
export function described(bytes: Buffer): string {
  const [operation, number] = [bytes.readUInt16BE(0), bytes.readUInt16BE(2)];
  if (operation === 3) return `data ${number} (${bytes.length - 4})`;
  if (operation === 5) return `error ${number}`;
  if (operation !== 6) return `operation ${operation}`;
  const texts = bytes.toString('latin1', 2, bytes.length - 1).split('\0');
  return `oack ${texts.join('=').replaceAll(/(=[^=]*)=/g, '$1 ')}`;
}

interface Endpoint {
  readonly address: string;
  readonly port: number;
}

export class TftpPeer implements Disposable {
  readonly #socket: Socket;
  readonly #received: Received[] = [];
  readonly #server: Endpoint;

  private constructor(socket: Socket, server: Endpoint) {
    this.#socket = socket;
    this.#server = server;
    socket.on('message', (bytes, from) => {
      this.#received.push({ bytes, from });
      socket.emit('kept');
    });
  }

  /** `server`: address and port, such as `127.0.0.1:6969`. */
  static async open(server: string, port = 0): Promise<TftpPeer> {
    const [address = '', serverPort] = server.split(':');
    const socket = createSocket({ type: 'udp4', recvBufferSize: 1_048_576 });
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return new TftpPeer(socket, { address, port: Number(serverPort) });
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Sends to the port of the server, or to that of a transfer. */
  send(bytes: Buffer, { address, port } = this.#server): void {
    this.#socket.send(bytes, port, address);
  }

  async next(): Promise<Received> {
    while (this.#received.length === 0) await once(this.#socket, 'kept');
    return this.#received.shift() as Received;
  }

  /** Sends to the server and returns the next packet: the answer, unless an earlier packet was waiting. */
  ask(bytes: Buffer): Promise<Received> {
    this.send(bytes);
    return this.next();
  }

  /** Descriptions of the packets that have arrived and that `next` has not returned. */
  get waiting(): readonly string[] {
    return this.#received.map(({ bytes }) => described(bytes));
  }

  [Symbol.dispose](): void {
    // a packet that was just sent may still wait in Node.js, and would be lost if the socket were closed at once
    setImmediate(() => this.#socket.close());
  }
}

/** Reads a whole file as a well-behaved client does; rejects with the text of an error of the server. */
export async function readByTftp(
  server: string,
  name: string,
  options: readonly (string | number)[] = [],
): Promise<Buffer> {
  using peer = await TftpPeer.open(server);
  const parts: Buffer[] = [];
  let granted = { blockBytes: 512, windowBlocks: 1 };
  for (let packet = await peer.ask(readRequest(name, options)); ; packet = await peer.next()) {
    const { bytes, from } = packet;
    const [operation, number] = [bytes.readUInt16BE(0), bytes.readUInt16BE(2)];
    if (operation === 5) throw new Error(bytes.toString('utf8', 4, bytes.length - 1));
    if (operation === 6) {
      granted = grantedIn(bytes);
      peer.send(acknowledgement(0), from);
    } else if (number === ((parts.length + 1) & 0xffff)) {
      parts.push(bytes.subarray(4));
      const isLast = bytes.length < granted.blockBytes + 4;
      if (isLast || parts.length % granted.windowBlocks === 0) peer.send(acknowledgement(parts.length), from);
      if (isLast) return Buffer.concat(parts);
    }
  }
}

function grantedIn(answer: Buffer) {
  const texts = answer.toString('latin1', 2).split('\0');
  const value = (option: string, otherwise: number) => {
    const at = texts.indexOf(option);
    return at === -1 ? otherwise : Number(texts[at + 1]);
  };
  return { blockBytes: value('blksize', 512), windowBlocks: value('windowsize', 1) };
}
