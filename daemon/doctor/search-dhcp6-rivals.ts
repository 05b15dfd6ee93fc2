// Searches a network for DHCPv6 servers, and prints their addresses as a JSON list: `search-dhcp6-rivals.ts INTERFACE`. Needs the
// socket dhcp6-INTERFACE of with-sockets, with which it asks. A program of its own, because only a program that is started with the
// socket can use it. Answers that a firewall of this host drops are not heard.
import { hostInterface, openPassedSocket } from '../boot/dhcp/bound-socket.ts';
import { RIVAL_WAIT_MILLISECONDS, RivalSearch } from '../boot/dhcp/rivals.ts';
import {
  ALL_DHCP6_SERVERS,
  dhcp6SearchMessage,
  rivalInDhcp6,
  serverIdOf,
} from '../boot/dhcp6/dhcp6-search.ts';
import { DHCP6_SERVER_PORT } from '../boot/dhcp6/dhcp6-server.ts';
import { decodeDhcp6 } from '../boot/dhcp6/dhcp6-wire.ts';
import { systemClock } from '../lib/clock.ts';
import { ipv6Text, isGlobalUnicast, parseIpv6 } from '../lib/network/ipv6.ts';

if (import.meta.main) {
  const [name = ''] = process.argv.slice(2);
  const at = hostInterface(name, 'IPv6');
  if (typeof at === 'string') throw new Error(at);
  const from = at.addresses.map((text) => parseIpv6(text) ?? 0n).find(isGlobalUnicast);
  if (from === undefined) throw new Error(`${name} has a link-local address only; give it another`);
  const passed = await openPassedSocket('dhcp6', name, process.env);
  const { socket } = passed;
  await passed.bind();
  const serverId = serverIdOf(at.mac);
  const search = new RivalSearch({
    clock: systemClock,
    transactionIds: 2 ** 24,
    ask: (id) =>
      socket.send(
        dhcp6SearchMessage(serverId, from, id),
        DHCP6_SERVER_PORT,
        `${ipv6Text(ALL_DHCP6_SERVERS)}%${name}`,
      ),
  });
  const found = new Set<string>();
  socket.on('message', (bytes, { address }) => {
    const decoded = decodeDhcp6(bytes);
    if (decoded.kind !== 'reply' || !search.isAnswer(decoded.message)) return;
    if (rivalInDhcp6(decoded.message, serverId)) found.add(address.split('%', 1)[0] ?? address);
  });
  setTimeout(() => {
    process.stdout.write(JSON.stringify([...found]));
    search.end();
    socket.close();
  }, RIVAL_WAIT_MILLISECONDS);
}
