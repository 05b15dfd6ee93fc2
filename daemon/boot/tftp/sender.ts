// Sends one content to one client, from a socket of its own that accepts packets of this client only.
import { createSocket, type Socket, type SocketType } from 'node:dgram';
import type { Clock } from '../../lib/clock.ts';
import type { TftpContent } from './content.ts';
import { ReadAhead } from './read-ahead.ts';
import type { Terms } from './terms.ts';
import {
  afterAcknowledgement,
  afterSilence,
  atStart,
  isAnswered,
  lastToSend,
  type TransferProgress,
  waits,
} from './transfer.ts';
import { decode, encodeError, errorCodes, type Packet } from './wire.ts';

interface Client {
  readonly address: string;
  readonly port: number;
}

/** How a transfer ended. */
export type Ending =
  | { readonly kind: 'sent'; readonly bytes: number; readonly isConfirmed: boolean }
  /** The client ended the transfer; many clients do so once the answer to their options has told them the size. */
  | { readonly kind: 'declined'; readonly text: string; readonly afterBytes: number }
  | { readonly kind: 'silent'; readonly tries: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'stopped' };

export class BlockSender {
  /** Never rejects. */
  readonly ended: Promise<Ending>;
  readonly #terms: Terms;
  readonly #clock: Clock;
  readonly #blocks: ReadAhead;
  readonly #socket: Socket;
  readonly #end = Promise.withResolvers<Ending>();
  #progress: TransferProgress;
  #isOver = false;
  #isAside = false;
  #tries = 0;
  #heardAt: number;
  #cancelWait: () => void = () => {};

  /** `type`: the family of the client's address. */
  constructor(content: TftpContent, terms: Terms, clock: Clock, type: SocketType = 'udp4') {
    this.#terms = terms;
    this.#clock = clock;
    this.#progress = atStart(terms.answer !== undefined);
    this.#heardAt = clock.monotonic();
    this.#blocks = new ReadAhead(content, terms.blockBytes, (error) => {
      if (error === undefined) this.#advance();
      else this.#fail(error);
    });
    this.#socket = createSocket(type, (datagram) => this.#receive(datagram));
    // ECONNREFUSED: the client has closed its port; EMFILE: there is no descriptor left
    this.#socket.on('error', (error) => this.#unreachable({ kind: 'failed', error }));
    this.ended = this.#end.promise;
  }

  /** Whether the client has answered. If it has, another request from its port is a new one, not a repetition. */
  get isAnswered(): boolean {
    return isAnswered(this.#progress, this.#terms.answer !== undefined);
  }

  /** Sends from `address` of this host. */
  start(address: string, client: Client): void {
    this.#socket.once('listening', () => {
      if (!this.#isOver) this.#socket.connect(client.port, client.address);
    });
    this.#socket.once('connect', () => {
      if (this.#isOver) return;
      this.#wait();
      this.#advance();
    });
    this.#socket.bind({ address, port: 0 });
  }

  stop(): void {
    this.#over({ kind: 'stopped' });
  }

  /** Sends nothing more until the client acknowledges another block, and ends as stopped if it does not. */
  standAside(): void {
    this.#isAside = true;
  }

  #receive(datagram: Buffer): void {
    const packet = decode(datagram);
    if (packet?.kind === 'acknowledgement') this.#acknowledged(packet.block);
    else if (packet?.kind === 'error') this.#declined(packet);
  }

  #acknowledged(block: number): void {
    const progress = afterAcknowledgement(this.#progress, block, this.#terms.windowBlocks);
    if (progress === this.#progress) return;
    const isProgress = progress.acknowledged > this.#progress.acknowledged;
    this.#progress = progress;
    if (isProgress) this.#heard();
    if (progress.acknowledged === this.#blocks.lastBlock)
      this.#over({ kind: 'sent', bytes: this.#blocks.sizeBytes, isConfirmed: true });
    else this.#advance();
  }

  /** Sends the packets that may be sent now. Has further blocks read if there is room for them. */
  #advance(): void {
    if (this.#isOver) return;
    this.#blocks.advance(this.#progress.acknowledged);
    const { acknowledged, sentTwice } = this.#progress;
    const end = Math.min(
      lastToSend(this.#progress, this.#terms.windowBlocks),
      this.#blocks.lastBlock ?? Infinity,
    );
    let { sent } = this.#progress;
    while (sent < end) {
      const packet = sent === -1 ? this.#terms.answer : this.#blocks.packet(sent + 1);
      if (packet === undefined) break;
      // Without a callback, an error of `send` goes unnoticed, as a lost packet does. A callback makes a packet more expensive,
      // so only packets that are sent again get one.
      if (this.#tries === 0) this.#socket.send(packet);
      else
        this.#socket.send(packet, (error) => error !== null && this.#unreachable({ kind: 'failed', error }));
      sent += 1;
    }
    this.#progress = { acknowledged, sent, sentTwice };
  }

  #declined({ text, code }: Extract<Packet, { kind: 'error' }>): void {
    const afterBytes = Math.max(0, this.#progress.acknowledged) * this.#terms.blockBytes;
    this.#over({ kind: 'declined', text: text || `error ${code}`, afterBytes });
  }

  #heard(): void {
    this.#heardAt = this.#clock.monotonic();
    this.#isAside = false;
    if (this.#tries === 0) return;
    this.#tries = 0;
    this.#cancelWait();
    this.#wait();
  }

  // One timer runs for as long as the transfer, rather than one for each block
  #wait(): void {
    this.#cancelWait = this.#clock.after(Math.max(1, this.#waitLeft()), () => {
      if (this.#waitLeft() <= 0) this.#unanswered();
      if (!this.#isOver) this.#wait();
    });
  }

  #waitLeft(): number {
    return (this.#waits[this.#tries] ?? 0) - (this.#clock.monotonic() - this.#heardAt);
  }

  get #waits(): readonly number[] {
    return waits(this.isAnswered, this.#terms.timeoutSeconds);
  }

  #unanswered(): void {
    this.#heardAt = this.#clock.monotonic();
    // the file system is slow, not the client: all that was sent is acknowledged
    if (this.#progress.sent === this.#progress.acknowledged) return;
    this.#tries += 1;
    if (this.#tries === this.#waits.length)
      return this.#isAside ? this.stop() : this.#unreachable({ kind: 'silent', tries: this.#tries });
    if (this.#isAside) return;
    this.#progress = afterSilence(this.#progress);
    this.#advance();
  }

  /**
   * Ends the transfer. Once the last block was sent, the content counts as sent: a client that has all blocks may close its port
   * before its last acknowledgement arrives.
   */
  #unreachable(ending: Ending): void {
    const { lastBlock, sizeBytes } = this.#blocks;
    if (this.#progress.sent !== lastBlock) this.#over(ending);
    else this.#over({ kind: 'sent', bytes: sizeBytes, isConfirmed: false });
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#socket.send(encodeError(errorCodes.undefined, 'the file cannot be read to its end'));
    this.#over({ kind: 'failed', error });
  }

  #over(ending: Ending): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelWait();
    this.#socket.close();
    this.#end.resolve(ending);
  }
}
