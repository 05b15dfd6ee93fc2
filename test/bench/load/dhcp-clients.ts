// New machines that each get an address through a relay: `node dhcp-clients.ts RELAY SERVER MACHINES OUTSTANDING SEED`.
// Prints JSON: the seconds, how many machines started and got an address, and how often a packet was repeated.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { addressesValue, optionCode } from '../../../daemon/boot/dhcp/options.ts';
import {
  decodeMessage,
  type DhcpMessage,
  encodeMessage,
  messageType,
} from '../../../daemon/boot/dhcp/wire.ts';
import { parseIpv4 } from '../../../daemon/lib/network/ipv4.ts';
import { requestOf } from '../../fakes/boot/dhcp-site.ts';
import { createRandom } from '../../fuzz/inputs/random.ts';

const RETRY_MILLISECONDS = 1000;
const [relayText = '', server = '', machines = '1000', outstanding = '32', seed = '1'] =
  process.argv.slice(2);
const relay = parseIpv4(relayText) ?? 0;
const random = createRandom(Number(seed));
// random MAC addresses: servers that hash them see no pattern
const randomMac = () =>
  ['52', ...Array.from({ length: 5 }, () => random.below(256).toString(16).padStart(2, '0'))].join(':');

const socket = createSocket({ type: 'udp4', reuseAddr: true });
socket.bind(67, relayText);
await once(socket, 'listening');
socket.setRecvBufferSize(1_048_576);

interface Machine {
  readonly mac: string;
  readonly timer: NodeJS.Timeout;
  packet: Uint8Array;
}
const waiting = new Map<number, Machine>();
const counts = { started: 0, served: 0, repeated: 0 };
const finished = Promise.withResolvers<void>();
const begun = performance.now();

function send(packet: Uint8Array): void {
  socket.send(packet, 67, server);
}

function startMachine(): void {
  counts.started += 1;
  const transactionId = counts.started;
  const client = randomMac();
  const packet = encodeMessage(requestOf(client, 'discover', { transactionId, relay, hops: 1 }));
  const again = () => {
    counts.repeated += 1;
    send(machine.packet);
  };
  const machine: Machine = { mac: client, packet, timer: setInterval(again, RETRY_MILLISECONDS) };
  waiting.set(transactionId, machine);
  send(packet);
}

socket.on('message', (datagram) => {
  const decoded = decodeMessage(datagram);
  const machine = decoded.kind === 'message' ? waiting.get(decoded.message.transactionId) : undefined;
  if (decoded.kind === 'malformed' || machine === undefined) return;
  const next = nextPacket(machine, decoded.message);
  if (next === undefined) return end(decoded.message.transactionId, machine);
  machine.packet = next;
  send(next);
});

/** A REQUEST for what is offered, a new DISCOVER after a refusal; undefined when the machine has its address. */
function nextPacket(
  { mac }: Machine,
  { transactionId, yourAddress, options }: DhcpMessage,
): Uint8Array | undefined {
  const type = options.get(optionCode.messageType)?.[0];
  const relayed = { transactionId, relay, hops: 1 };
  if (type === messageType.refuse) return encodeMessage(requestOf(mac, 'discover', relayed));
  if (type !== messageType.offer) return undefined;
  const chosen = [
    [optionCode.requestedAddress, addressesValue([yourAddress])],
    [optionCode.serverId, options.get(optionCode.serverId) ?? new Uint8Array()],
  ] as const;
  return encodeMessage(requestOf(mac, 'request', { ...relayed, options: chosen }));
}

function end(transactionId: number, { timer }: Machine): void {
  clearInterval(timer);
  waiting.delete(transactionId);
  counts.served += 1;
  if (counts.started < Number(machines)) startMachine();
  else if (waiting.size === 0) finished.resolve();
}

for (let count = Math.min(Number(outstanding), Number(machines)); count > 0; count -= 1) startMachine();
await finished.promise;
console.log(JSON.stringify({ seconds: (performance.now() - begun) / 1000, ...counts }));
socket.close();
