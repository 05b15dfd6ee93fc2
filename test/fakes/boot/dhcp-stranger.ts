// A stranger on the machines' network, which runs in a network namespace of its own: `dhcp-stranger.ts ATTACK [MAC]` sends DHCP
// messages in the names of machines, and prints what came of it as JSON.
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import {
  decodeMessage,
  type DhcpMessage,
  encodeMessage,
  messageType,
} from '../../../daemon/boot/dhcp/wire.ts';
import { addressesValue, optionCode } from '../../../daemon/boot/dhcp/options.ts';
import { ipv4Text } from '../../../daemon/lib/network/ipv4.ts';
import { choosing, ip, mac, requestOf, UEFI } from './dhcp-site.ts';

const SERVER = '10.99.0.1';
const PATIENCE_MILLISECONDS = 2000;

const socket = createSocket({ type: 'udp4', reuseAddr: true, recvBufferSize: 4_194_304 });
socket.bind(68);
await once(socket, 'listening');
socket.setBroadcast(true);

const waiting = new Map<number, (answer: DhcpMessage | undefined) => void>();
socket.on('message', (bytes) => {
  const decoded = decodeMessage(bytes);
  if (decoded.kind === 'message') waiting.get(decoded.message.transactionId)?.(decoded.message);
});

const numbered = (message: DhcpMessage): DhcpMessage => ({
  ...message,
  transactionId: randomInt(2 ** 32),
  flags: 0x80_00,
});
const send = (message: DhcpMessage) => socket.send(encodeMessage(message), 67, '255.255.255.255');

/** Resolves to the server's answer; undefined when there is none. */
async function ask(message: DhcpMessage): Promise<DhcpMessage | undefined> {
  const request = numbered(message);
  const answered = new Promise<DhcpMessage | undefined>((resolve) => {
    waiting.set(request.transactionId, resolve);
    send(request);
    void setTimeout(PATIENCE_MILLISECONDS).then(() => resolve(undefined));
  });
  const answer = await answered;
  waiting.delete(request.transactionId);
  return answer;
}

async function lease(client: string): Promise<string | undefined> {
  const offer = await ask(requestOf(client, 'discover'));
  if (offer === undefined) return undefined;
  const address = ipv4Text(offer.yourAddress);
  const answer = await ask(requestOf(client, 'request', { options: choosing(address, SERVER) }));
  const type = answer?.options.get(optionCode.messageType)?.[0];
  return type === messageType.acknowledge ? address : undefined;
}

/** Sends the messages, in groups with a short pause, so that the sockets' buffers can hold them. */
async function flood(count: number, message: (number: number) => DhcpMessage): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    send(numbered(message(number)));
    if (number % 200 === 199) await setTimeout(20);
  }
}

const ATTACKS: Readonly<Record<string, (client: string) => Promise<unknown>>> = {
  // boots that are none
  loop: (client) =>
    flood(200, () =>
      requestOf(client, 'request', { options: [...UEFI, [50, addressesValue([ip('10.99.0.60')])]] }),
    ),
  // each address is declined as soon as it is given
  async starve(client) {
    const declined = new Set<string>();
    for (let time = 0; time < 120; time += 1) {
      const address = await lease(client);
      if (address === undefined) break;
      declined.add(address);
      send(numbered(requestOf(client, 'decline', { options: choosing(address, SERVER) })));
    }
    return declined.size;
  },
  discover: () => flood(400, (number) => requestOf(mac(5000 + number), 'discover')),
  rivals: (client) =>
    flood(20_000, (number) =>
      requestOf(client, 'request', { options: choosing('10.99.0.9', ipv4Text(ip('10.1.0.0') + number)) }),
    ),
  // asks again like a machine's firmware
  async lease(client) {
    const before = performance.now();
    let address: string | undefined;
    for (let time = 0; time < 10 && address === undefined; time += 1) address = await lease(client);
    return { address, milliseconds: Math.round(performance.now() - before) };
  },
};

const [attack = '', client = mac(1)] = process.argv.slice(2);
const outcome = await ATTACKS[attack]?.(client);
// what was sent last must have left
await setTimeout(50);
console.log(JSON.stringify(outcome ?? null));
process.exit();
