// A read-only TFTP server of the names in the table of served files.
import type { RemoteInfo, Socket } from 'node:dgram';
import type { Clock } from '../../lib/clock.ts';
import type { Links } from '../../lib/network/links.ts';
import type { Logger } from '../../lib/logger.ts';
import type { BootEvent, RecordBootEvent } from '../boot-event.ts';
import { canonicalIp, hostInUrl } from '../../lib/network/ip.ts';
import { isOptional } from '../optional-files.ts';
import type { Served, ServedFiles, Withheld } from '../served-files.ts';
import { type TftpContent, openTftpContent } from './content.ts';
import { type ListenRequest, openListeners } from './listen.ts';
import { asNetascii } from './netascii.ts';
import { failed, isShortage, printable, reason, reportEnding } from './report.ts';
import { BlockSender } from './sender.ts';
import { agree } from './terms.ts';
import { decode, encodeError, errorCodes, type ReadRequest } from './wire.ts';

export interface TftpServices {
  readonly files: Pick<ServedFiles, 'findFor'>;
  readonly record: RecordBootEvent;
  readonly clock: Clock;
  readonly log: Logger;
  readonly links: Pick<Links, 'follow'>;
}

export interface TftpLimits {
  readonly transfers: number;
  readonly transfersPerClient: number;
  readonly blockBytes: number;
}

/** Rejects with an Error when it cannot listen. */
export async function startTftpServer(
  listening: ListenRequest,
  limits: TftpLimits,
  services: TftpServices,
): Promise<TftpServer> {
  const server = new TftpServer(limits, services);
  try {
    await openListeners(listening, services.links, (socket) => server.listen(socket));
    return server;
  } catch (error) {
    server.stop();
    throw error;
  }
}

interface Request {
  readonly datagram: Buffer;
  readonly client: RemoteInfo;
  readonly packet: ReadRequest;
}

/** Exists from the request until the transfer has ended. */
interface Transfer {
  readonly client: RemoteInfo;
  readonly datagram: Buffer;
  readonly startedAt: number;
  /** Undefined while the file is being opened. */
  sender: BlockSender | undefined;
  isStopped: boolean;
}

/** A transfer that is older than this, and whose client has never answered, may be ended to make room for another. */
const GRACE_MILLISECONDS = 1000;

const addressOf = ({ address }: RemoteInfo): string => canonicalIp(address) ?? address;

export class TftpServer {
  readonly #listeners: Socket[] = [];
  readonly #limits: TftpLimits;
  readonly #services: TftpServices;
  readonly #transfers = new Set<Transfer>();

  constructor(limits: TftpLimits, services: TftpServices) {
    this.#limits = limits;
    this.#services = services;
  }

  /** Answers the requests that arrive at the socket. */
  listen(listener: Socket): void {
    this.#listeners.push(listener);
    listener.on('message', (datagram, client) => this.#receive(listener, datagram, client));
    listener.on('error', (error) => this.#services.log.warn({ error }, 'TFTP: a datagram was lost'));
  }

  /** The addresses and ports that the server listens on, such as `192.0.2.10:69`. */
  get addresses(): readonly string[] {
    return this.#listeners.map((listener) => {
      const { address, port } = listener.address();
      return `${hostInUrl(address)}:${port}`;
    });
  }

  /** Stops listening, and ends all transfers. */
  stop(): void {
    for (const listener of this.#listeners) listener.close();
    for (const transfer of this.#transfers) this.#drop(transfer);
  }

  #receive(listener: Socket, datagram: Buffer, client: RemoteInfo): void {
    // 1. Only requests are answered. Otherwise two servers could answer each other's errors endlessly.
    const packet = decode(datagram);
    if (packet?.kind !== 'read' && packet?.kind !== 'write') return;

    // 2. Nothing can be sent to port 0.
    if (client.port === 0) return;

    // 3. Files are read only.
    if (packet.kind === 'write') {
      refuse(listener, client, errorCodes.accessViolation, 'this server accepts no files');
      this.#record(client, failed(`asked to write ${printable(packet.name)}, which is refused`));
      return;
    }
    this.#read(listener, { datagram, client, packet });
  }

  #read(listener: Socket, { datagram, client, packet }: Request): void {
    // 4. Transfers to this address and port may be running. If the request equals the one that started a transfer, and the client
    // has not answered yet, the request is a repetition: the transfer goes on. Any other request comes from firmware that has
    // started again, or from somebody who pretends so: a transfer that the client has answered sends nothing more by itself, but
    // goes on if the client answers again.
    const earlier = [...this.#transfers].filter((each) => isSamePort(each.client, client));
    if (earlier.some((each) => each.sender?.isAnswered !== true && each.datagram.equals(datagram))) return;
    for (const each of earlier) {
      if (each.sender?.isAnswered === true) each.sender.standAside();
      else this.#drop(each);
    }

    // 5. Only names in the table are served, in modes octet and netascii.
    const { name, mode } = packet;
    if (mode === 'other')
      return refuse(listener, client, errorCodes.illegalOperation, 'use mode octet or netascii');
    const served = this.#services.files.findFor(name, addressOf(client));
    if (served === undefined || served.kind === 'withheld') {
      refuse(listener, client, errorCodes.notFound, `${printable(name)} is not served here`);
      return this.#recordRefusal(client, name, served);
    }

    // 6. When there are too many transfers, the client gets no answer and asks again.
    if (!this.#hasRoom(client)) {
      this.#services.log.debug({ client, name }, 'TFTP: no answer, there are too many transfers');
      return;
    }

    // 7. Each transfer uses a new port of this host.
    const startedAt = this.#services.clock.monotonic();
    const transfer: Transfer = { client, datagram, startedAt, sender: undefined, isStopped: false };
    this.#transfers.add(transfer);
    this.#transfer(listener, transfer, packet, served)
      .catch((error: unknown) => this.#services.log.error({ error, name }, 'TFTP: a transfer failed'))
      .finally(() => this.#transfers.delete(transfer));
  }

  #recordRefusal(client: RemoteInfo, name: string, found: Withheld | undefined): void {
    const why =
      found === undefined
        ? 'is not served'
        : 'is for a machine to which the DHCP server has not leased this address';
    if (found !== undefined || !isOptional(name))
      this.#record(client, failed(`asked for ${printable(name)}, which ${why}`));
  }

  async #transfer(listener: Socket, transfer: Transfer, packet: ReadRequest, served: Served): Promise<void> {
    const { client, startedAt } = transfer;
    let opened: TftpContent;
    try {
      opened = await openTftpContent(served);
    } catch (error) {
      // too many open files: the client gets no answer, and asks again
      if (!isShortage(error))
        refuse(listener, client, errorCodes.accessViolation, `${printable(packet.name)} cannot be read`);
      return this.#record(client, failed(`asked for ${printable(packet.name)}: ${reason(error)}`));
    }
    try {
      if (transfer.isStopped) return;
      const content = packet.mode === 'netascii' ? asNetascii(opened) : opened;
      const terms = agree(packet.options, this.#limits.blockBytes, content.sizeBytes);
      transfer.sender = new BlockSender(
        content,
        terms,
        this.#services.clock,
        client.family === 'IPv6' ? 'udp6' : 'udp4',
      );
      transfer.sender.start(listener.address().address, client);
      const ending = await transfer.sender.ended;
      const report = reportEnding(packet.name, ending, this.#services.clock.monotonic() - startedAt);
      if (report !== undefined) this.#record(client, report);
      else this.#services.log.debug({ client, name: packet.name, ending }, 'TFTP: a transfer ended early');
    } finally {
      await opened.close();
    }
  }

  /**
   * Whether there is room for another transfer. To make room, ends a transfer that is older than GRACE_MILLISECONDS and whose
   * client has never answered: the request for it may have been forged.
   */
  #hasRoom({ address }: RemoteInfo): boolean {
    const all = [...this.#transfers];
    const ofClient = all.filter(({ client }) => client.address === address);
    if (ofClient.length >= this.#limits.transfersPerClient) return this.#dropUnheard(ofClient);
    return all.length < this.#limits.transfers || this.#dropUnheard(all);
  }

  #dropUnheard(transfers: readonly Transfer[]): boolean {
    const before = this.#services.clock.monotonic() - GRACE_MILLISECONDS;
    const unheard = transfers.find(
      ({ sender, startedAt }) => startedAt < before && sender?.isAnswered !== true,
    );
    if (unheard !== undefined) this.#drop(unheard);
    return unheard !== undefined;
  }

  #drop(transfer: Transfer): void {
    transfer.isStopped = true;
    transfer.sender?.stop();
    this.#transfers.delete(transfer);
  }

  #record({ address }: RemoteInfo, report: Pick<BootEvent, 'text' | 'failed'>): void {
    this.#services.record({ hop: 'tftp', address: canonicalIp(address) ?? address, ...report });
  }
}

const isSamePort = (a: RemoteInfo, b: RemoteInfo): boolean => a.port === b.port && a.address === b.address;

function refuse(listener: Socket, client: RemoteInfo, code: number, text: string): void {
  listener.send(encodeError(code, text), client.port, client.address);
}
