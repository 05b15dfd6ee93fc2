// The DHCP relay of the network that simulated BMCs are in. It asks a DHCP server for the address of each BMC.
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { addressesValue, optionCode, textValue } from '../boot/dhcp/options.ts';
import { decodeMessage, type DhcpMessage, encodeMessage, messageType } from '../boot/dhcp/wire.ts';
import { type Clock, sleep } from '../lib/clock.ts';
import { ipv4Text, parseIpv4 } from '../lib/network/ipv4.ts';
import { reasonOf } from '../model/faults.ts';

const PORT = 67;
const TRIES = 10;
const RETRY_MILLISECONDS = 1000;

/** What a BMC says of itself when it requests an address. */
export interface DhcpIdentity {
  readonly mac: string;
  readonly hostName: string | null;
  readonly vendorClass: string | null;
}

interface DhcpPlace {
  /** The address of the relay, in the network of the BMCs. */
  readonly address: string;
  readonly server: string;
  readonly clock: Clock;
}

export class DhcpRelay implements Disposable {
  readonly #socket: Socket;
  readonly #place: DhcpPlace;

  private constructor(socket: Socket, place: DhcpPlace) {
    this.#socket = socket;
    this.#place = place;
  }

  /** Rejects with an Error when port 67 of `address` cannot be used. */
  static async open(place: DhcpPlace): Promise<DhcpRelay> {
    const socket = createSocket('udp4').bind(PORT, place.address);
    try {
      await once(socket, 'listening');
      return new DhcpRelay(socket, place);
    } catch (error) {
      throw new Error(
        `The DHCP relay cannot use port ${PORT} of ${place.address}: ${reasonOf(error)}. It needs root, an address of this host, and no other program at that port`,
        { cause: error },
      );
    }
  }

  /** Resolves to the address that the server gives to the BMC. Rejects with an Error when it gives none. */
  async lease(bmc: DhcpIdentity): Promise<string> {
    const { discover, request, offer, acknowledge, refuse } = messageType;
    const { yourAddress, options } = await this.#ask(bmc, [offer], [[optionCode.messageType, [discover]]]);
    const answer = await this.#ask(
      bmc,
      [acknowledge, refuse],
      [
        [optionCode.messageType, [request]],
        [optionCode.requestedAddress, addressesValue([yourAddress])],
        [optionCode.serverId, options.get(optionCode.serverId) ?? []],
      ],
    );
    if (typeOf(answer) === acknowledge) return ipv4Text(answer.yourAddress);
    throw new Error(
      `The DHCP server ${this.#place.server} refuses ${ipv4Text(yourAddress)} to ${bmc.mac} after it has offered it; its log says why`,
    );
  }

  /** Resolves to the first answer of one of these types. Repeats the request until there is one. */
  async #ask(bmc: DhcpIdentity, types: readonly number[], options: Options): Promise<DhcpMessage> {
    const { address, server, clock } = this.#place;
    const transactionId = randomInt(2 ** 32);
    const relay = parseIpv4(address) ?? 0;
    const message = encodeMessage({ ...EMPTY, transactionId, relay, ...saidBy(bmc, options) });
    const answer = Promise.withResolvers<DhcpMessage>();
    const receive = (datagram: Uint8Array) => {
      const decoded = decodeMessage(datagram);
      if (decoded.kind === 'malformed' || decoded.message.transactionId !== transactionId) return;
      if (types.includes(typeOf(decoded.message) ?? 0)) answer.resolve(decoded.message);
    };
    this.#socket.on('message', receive);
    try {
      for (let tries = 0; tries < TRIES; tries += 1) {
        this.#socket.send(message, PORT, server, (error) => error && answer.reject(error));
        const first = await Promise.race([answer.promise, sleep(clock, RETRY_MILLISECONDS)]);
        if (first !== undefined) return first;
      }
    } finally {
      this.#socket.off('message', receive);
    }
    throw new Error(
      `The DHCP server ${server} did not answer ${TRIES} requests of ${bmc.mac} through the relay ${address}: expected a server with a subnet that contains the relay, and with free addresses`,
    );
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}

type Options = readonly (readonly [code: number, value: Iterable<number>])[];

const EMPTY = {
  op: 'request',
  hardwareType: 1,
  hops: 1,
  flags: 0,
  clientAddress: 0,
  yourAddress: 0,
  nextServer: 0,
  file: '',
} as const;

const typeOf = ({ options }: DhcpMessage): number | undefined => options.get(optionCode.messageType)?.[0];

function saidBy(
  { mac, hostName, vendorClass }: DhcpIdentity,
  options: Options,
): Pick<DhcpMessage, 'hardwareAddress' | 'options'> {
  const all: Options = [
    ...options,
    ...(hostName === null ? [] : [[optionCode.hostName, textValue(hostName)] as const]),
    ...(vendorClass === null ? [] : [[optionCode.vendorClass, textValue(vendorClass)] as const]),
  ];
  return {
    hardwareAddress: Buffer.from(mac.replaceAll(':', ''), 'hex'),
    options: new Map(all.map(([code, value]) => [code, Uint8Array.from(value)])),
  };
}
