// Searches a network for DHCP servers, and prints their addresses as a JSON list: `search-dhcp-rivals.ts INTERFACE`. Needs the socket
// dhcp-INTERFACE of with-sockets, with which it asks. A program of its own, because only a program that is started with the socket
// can use it. The answers are heard before a firewall of this host drops them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { hostInterface, openPassedSocket } from '../boot/dhcp/bound-socket.ts';
import { RIVAL_WAIT_MILLISECONDS, RivalSearch, rivalIn, searchMessage } from '../boot/dhcp/rivals.ts';
import { decodeMessage, encodeMessage } from '../boot/dhcp/wire.ts';
import { systemClock } from '../lib/clock.ts';
import { ipv4Text, parseIpv4 } from '../lib/network/ipv4.ts';

const SERVER_PORT = 67;
const HEAR_DHCP = path.join(import.meta.dirname, 'hear-dhcp');

if (import.meta.main) {
  const [name = ''] = process.argv.slice(2);
  const at = hostInterface(name);
  if (typeof at === 'string') throw new Error(at);
  const passed = await openPassedSocket('dhcp', name, process.env);
  const { socket } = passed;
  await passed.bind();
  const hearing = spawn(HEAR_DHCP, [name], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: hearing.stdout });
  const [listens] = (await Promise.race([once(lines, 'line'), once(lines, 'close')])) as [string?];
  if (listens === undefined) throw new Error(`${HEAR_DHCP} has ended`);
  const from = parseIpv4(at.addresses[0] ?? '') ?? 0;
  const search = new RivalSearch({
    clock: systemClock,
    transactionIds: 2 ** 32,
    ask: (id) => socket.send(encodeMessage(searchMessage(at.mac, from, id)), SERVER_PORT, '255.255.255.255'),
  });
  const found = new Set<string>();
  const own = new Set(
    Object.values(networkInterfaces()).flatMap((all = []) =>
      all.map(({ address }) => parseIpv4(address) ?? 0),
    ),
  );
  lines.on('line', (line) => {
    const decoded = decodeMessage(Buffer.from(line, 'hex'));
    if (decoded.kind !== 'message' || !search.isAnswer(decoded.message)) return;
    const rival = rivalIn(decoded.message, own);
    if (rival !== undefined) found.add(ipv4Text(rival));
  });
  setTimeout(() => {
    process.stdout.write(JSON.stringify([...found]));
    search.end();
    socket.close();
    hearing.kill();
  }, RIVAL_WAIT_MILLISECONDS);
}
